"""The public names are these and no others; `hwlint.check` finds what the command finds."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hwlint
from hwlint.cli import run

CHECKOUT = Path(__file__).resolve().parents[1]
SAMPLE = CHECKOUT / "fixtures" / "symmetric_memory"
PUBLIC = {
    "Certainty", "Edit", "Failure", "Finding", "Fix", "HwlintError", "Level", "Report", "RuleError", "Safety",
    "SettingsError", "Span", "Summary", "Suppression", "TraceStep", "UnknownSite", "UsageError", "__version__", "check",
}  # fmt: skip


def test_the_public_names_are_these_and_no_others() -> None:
    assert set(hwlint.__all__) == PUBLIC
    assert set(dir(hwlint)) == PUBLIC
    assert all(getattr(hwlint, name) is not None for name in PUBLIC)


def test_a_name_that_is_not_public_does_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chekc'"):
        hwlint.chekc  # type: ignore[attr-defined]  # noqa: B018


def test_importing_the_package_loads_nothing_else() -> None:
    watched = {"hwlint", "click", "libcst"}
    code = f"import sys, hwlint; print([name for name in sys.modules if name.partition('.')[0] in {watched}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    assert done.stdout == "['hwlint']\n"


def test_the_guide_shows_every_name_and_every_argument() -> None:
    guide = (CHECKOUT / "docs" / "api.md").read_text(encoding="utf-8")
    assert [] == [name for name in PUBLIC - {"__version__"} if not re.search(rf"\b{name}\b", guide)]
    shown = dict(re.findall(r"^    (\w+)=(\S+?),", guide, re.MULTILINE))
    actual = {
        name: repr(getattr(parameter.default, "value", parameter.default)).replace("'", '"').replace("()", "()")
        for name, parameter in inspect.signature(hwlint.check).parameters.items()
    }
    assert actual == shown


def test_the_function_finds_what_the_command_finds(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", str(SAMPLE), "--level", "note", "--no-cache", "--output-format", "json"])
    printed = json.loads(capsys.readouterr().out)
    report = hwlint.check(SAMPLE, use_cache=False)
    assert isinstance(report, hwlint.Report)
    assert printed["findings"]
    assert [one["fingerprint"] for one in printed["findings"]] == [one.fingerprint for one in report.findings]
    assert report.targets == tuple(printed["targets"])


def test_arguments_go_before_the_configuration() -> None:
    report = hwlint.check([str(SAMPLE)], targets=["sm_90", "12.0"], select=["HW101"], use_cache=False)
    assert ("sm_90", "sm_120") == report.targets
    assert {("HW101", ("sm_120",))} == {(one.rule, one.targets) for one in report.findings}
    assert report.findings == hwlint.check(SAMPLE, targets="sm_90, 12.0", select="HW101", use_cache=False).findings
    assert hwlint.check(SAMPLE, ignore=["HW101"], level="error", use_cache=False).findings == ()


def test_fixes_come_where_they_are_asked_for() -> None:
    assert not any(one.fixes for one in hwlint.check(SAMPLE, use_cache=False).findings)
    (first, *_) = hwlint.check(SAMPLE, level=hwlint.Level.ERROR, fixes=True, use_cache=False).findings
    assert any(fix.safety is hwlint.Safety.SAFE and fix.edits for fix in first.fixes)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"targets": ["sm_122"]}, "did you mean"),
        ({"level": "eror"}, "did you mean `error`"),
        ({"paths": "nowhere"}, "no such file"),
    ],
)
def test_misuse_is_an_error_that_names_what_was_meant(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(hwlint.UsageError, match=words):
        hwlint.check(**{"paths": SAMPLE, "use_cache": False, **arguments})  # type: ignore[arg-type]


def test_what_is_wrong_with_the_code_is_no_exception(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("get_device_capability(\n")
    report = hwlint.check(tmp_path, isolated=True, use_cache=False)
    assert ["broken.py"] == [failure.path for failure in report.failures]
