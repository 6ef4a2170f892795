"""Judge checks that are told by their callers what to ask for, and values that reach a test from another file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

from hwlint.model.finding import Level
from hwlint.workflow.check import check
from hwlint.workflow.settings import Settings

NUMBER = """
import torch


def number():
    major, minor = torch.cuda.get_device_capability()
    return major * 10 + minor
"""
CHECK = f"""{NUMBER}

def check_number(listed):
    if number() not in listed:
        raise RuntimeError("not listed")
"""


def found(folder: Path, rule: str, **files: str) -> dict[tuple[str, int], str]:
    """Return what `rule` reports: (file, line) -> `level sm_120 sm_121`; targets are the default ones."""
    for name, source in files.items():
        (folder / f"{name}.py").write_text(dedent(source).lstrip("\n"), encoding="utf-8")
    settings = replace(Settings(root=folder, folders=(folder,)), level=Level.NOTE)
    report = check([folder], settings, jobs=1, use_cache=False)
    return {
        (finding.span.path, finding.span.line): " ".join((finding.level, *finding.targets))
        for finding in report.findings
        if finding.rule == rule
    }


def test_calls_with_lists_that_differ_are_told_each_at_its_place(tmp_path: Path) -> None:
    users = """
    from checks import check_number

    def hopper(data):
        check_number([90, 100, 103, 107, 110])
        return data

    def small(data):
        check_number([120])
        return data
    """
    assert found(tmp_path, "HW202", checks=CHECK, users=users) == {
        ("users.py", 4): "note sm_120 sm_121",
        ("users.py", 8): "note sm_121",
    }


def test_a_call_whose_list_has_all_that_is_newer_is_silent(tmp_path: Path) -> None:
    users = """
    from checks import check_number

    def hopper(data):
        check_number([90, 100, 103, 107, 110, 120, 121])
        return data

    def small(data):
        check_number([120, 121])
        return data
    """
    assert found(tmp_path, "HW202", checks=CHECK, users=users) == {}


def test_a_check_that_needs_no_list_is_told_where_it_raises(tmp_path: Path) -> None:
    checks = f"""{NUMBER}

def check_number(data, size):
    if number() not in (90, 100, 103, 107, 110):
        raise RuntimeError("not listed")
"""
    users = """
    from checks import check_number

    def hopper(data):
        check_number(data, 128)

    def other(data):
        check_number(data, 256)
    """
    assert found(tmp_path, "HW202", checks=checks, users=users) == {("checks.py", 11): "note sm_120 sm_121"}


def test_an_argument_that_may_be_passed_in_is_judged_by_what_the_hardware_gives(tmp_path: Path) -> None:
    users = """
    from checks import number

    def quantize(data, arch=None):
        if arch is None:
            arch = number()
        if arch not in (90, 100, 103, 107, 110):
            raise ValueError("not listed")
        return data

    def all_known(data, arch=None):
        if arch is None:
            arch = number()
        if arch not in (90, 100, 103, 107, 110, 120, 121):
            raise ValueError("not listed")
        return data
    """
    assert found(tmp_path, "HW202", checks=NUMBER, users=users) == {("users.py", 7): "note sm_120 sm_121"}


def test_a_member_with_a_common_name_is_followed_with_its_class(tmp_path: Path) -> None:
    device = """
    import torch

    class Device:
        @property
        def major(self):
            return torch.cuda.get_device_properties(0).major

        @property
        def width(self):
            return 12

    current = Device()
    """
    users = """
    from device import Device, current

    def made():
        if Device().major not in (9, 10, 11):
            raise RuntimeError("not listed")

    def shared():
        if current.major not in (9, 10, 11):
            raise RuntimeError("not listed")

    def other():
        if current.width not in (9, 10, 11):
            raise RuntimeError("not listed")
    """
    assert found(tmp_path, "HW202", device=device, users=users) == {
        ("users.py", 5): "note sm_120 sm_121",
        ("users.py", 9): "note sm_120 sm_121",
    }


def test_a_version_that_is_split_into_numbers_is_followed_through_its_parts(tmp_path: Path) -> None:
    helper = """
    import torch

    def is_exactly(text):
        major, minor = torch.cuda.get_device_capability()
        own = f"{major}.{minor}"
        return tuple(int(part) for part in own.split(".")) == tuple(int(part) for part in text.split("."))
    """
    users = """
    from helper import is_exactly

    def check(width, version):
        fits = is_exactly("9.0")
        most = 256 if version > 3 and fits else 128
        if not (width <= most and width % 8 == 0):
            raise NotImplementedError(f"at most {most}")
    """
    expected = {("users.py", 7): "note sm_100 sm_103 sm_107 sm_110"}
    assert found(tmp_path, "HW203", helper=helper, users=users) == expected


def test_a_decorator_that_turns_architectures_away_is_run(tmp_path: Path) -> None:
    checks = f"""{NUMBER}

def needs(*listed):
    def around(function):
        def wrapper(*args, **named):
            if number() not in listed:
                raise RuntimeError("not listed")
            return function(*args, **named)
        return wrapper
    return around
"""
    some = """
    from checks import needs

    @needs(90, 100, 103, 107, 110)
    def run(data):
        return data
    """
    everything = """
    from checks import needs

    @needs(90, 100, 103, 107, 110, 120, 121)
    def run(data):
        return data
    """
    assert found(tmp_path, "HW202", checks=checks, some=some) == {("checks.py", 13): "note sm_120 sm_121"}
    (tmp_path / "some.py").unlink()
    assert found(tmp_path, "HW202", checks=checks, everything=everything) == {}
