"""The probe that constructs a class on every GPU, with a stand-in for torch: each rank is a process of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hwlint.confirm.probes import construct

TORCH = """
import types

cuda = types.SimpleNamespace(device_count=lambda: 2, set_device=lambda device: None)


def device(kind, index):
    return f"{kind}:{index}"
"""
DISTRIBUTED = """
import types

group = types.SimpleNamespace(WORLD="everyone")


def FileStore(path, world):
    return path


def init_process_group(backend, store, rank, world_size, device_id):
    assert (backend, world_size, device_id) == ("nccl", 2, f"cuda:{rank}")


def barrier():
    pass


destroy_process_group = barrier
"""
USER = """
import logging


class Reducer:
    def __init__(self, group, device):
        assert group == "everyone"
        self.disabled = {disabled}
        if self.disabled:
            logging.getLogger("reducer").warning("no multicast on %s", device)


class Broken:
    def __init__(self, group, device):
        raise KeyError(9)
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    (tmp_path / "torch" / "distributed").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").write_text(TORCH)
    (tmp_path / "torch" / "distributed" / "__init__.py").write_text(DISTRIBUTED)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]))
    for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
        monkeypatch.delitem(sys.modules, name)

    def probe(name: str, *, disabled: bool) -> dict[str, Any]:
        (tmp_path / "user.py").write_text(USER.format(disabled=disabled))
        spec = {"sys_path": str(tmp_path), "module": "user"}
        try:
            return construct.probe(None, {"spec": spec, "options": {"class": name}, "module": SimpleNamespace()})
        finally:
            for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == "torch"]:
                del sys.modules[loaded]

    return probe


def test_a_feature_that_stays_on_is_said_to_be_on(run: Any) -> None:
    answer = run("Reducer", disabled=False)
    assert (answer["feature"], answer["uses_value"], answer["not_shown"]) == ("on", True, [])
    assert answer["text"] == "the constructor of Reducer ran on 2 GPUs; its feature is on afterwards"


def test_a_feature_that_turns_itself_off_is_said_to_be_off_and_why(run: Any) -> None:
    answer = run("Reducer", disabled=True)
    assert (answer["feature"], answer["uses_value"]) == ("off", False)
    assert answer["not_shown"] == ["the feature itself: the object turned it off (no multicast on cuda:0)"]


def test_a_constructor_that_raises_is_told_with_its_rank(run: Any) -> None:
    with pytest.raises(RuntimeError, match="rank 0 of 2: KeyError: 9"):
        run("Broken", disabled=False)
