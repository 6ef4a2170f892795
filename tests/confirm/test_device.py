"""The devices of an interpreter are asked for in a child process; having none is a normal answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hwlint.confirm.device import ask, disagreements
from hwlint.confirm.replay import RunSettings
from tests.confirm.conftest import architecture

SMI = """#!/bin/sh
case "$1" in
    *name*) echo "0, NVIDIA Fake 3000, 12.0, GPU-77, 580.1, 97887 MiB";;
    *) echo 580.1;;
esac
"""


def test_torch_answers_first(fake_torch: Callable[..., None]) -> None:
    fake_torch((9, 0))
    here = ask(RunSettings(seconds=20))
    assert [("Fake GPU", (9, 0))] == [(one.name, one.capability) for one in here.devices]
    assert "2.11.0+fake" == here.torch
    assert here.devices[0].is_a(architecture("sm_90"))
    assert not here.devices[0].is_a(architecture("sm_100"))


def test_nvidia_smi_answers_where_there_is_no_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nvidia-smi").write_text(SMI)
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    here = ask(RunSettings(seconds=20))
    assert [("NVIDIA Fake 3000", (12, 0))] == [(one.name, one.capability) for one in here.devices]
    assert ("580.1", None) == (here.driver, here.torch)
    assert 16 == len(here.devices[0].uuid)


def test_no_device_is_an_answer_with_everyone_who_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/no/such/folder")
    here = ask(RunSettings(seconds=20))
    assert () == here.devices
    assert ["torch", "nvml", "smi"] == [said.split(":")[0] for said in here.asked]


def test_a_limit_that_the_device_denies_is_a_disagreement(fake_torch: Callable[..., None]) -> None:
    fake_torch((9, 0), optin=99 * 1024)
    found = disagreements(ask(RunSettings(seconds=20)), [architecture("sm_90"), architecture("sm_100")])
    assert ["sm_90: limits.shared_mem_per_block_optin_kib is 227 in the catalogue, 99 on the device"] == list(
        map(str, found)
    )


def test_a_device_that_agrees_is_none(fake_torch: Callable[..., None]) -> None:
    fake_torch((9, 0))
    assert () == disagreements(ask(RunSettings(seconds=20)), [architecture("sm_90")])
