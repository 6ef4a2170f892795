"""Check `hwlint matrix`: every format, what it leaves out, and what it says where it is used wrongly."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from hwlint.cli import run
from tests.matrix.projects import KERNELS, project

_SOME = ["--targets", "sm_80,sm_90,sm_100,sm_120", "--jobs", "1"]


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, kernels=KERNELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")


def test_the_table_has_words_where_they_fit_and_tells_what_fails(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", *_SOME]) == 0
    shown = capsys.readouterr().out
    assert "  tile                    fails         works         works         fails" in shown
    assert "    sm_120: fails: KeyError: 12 from `TILES`" in shown
    assert "2 more rows treat all architectures alike; --all shows them" in shown
    assert "open" not in shown


def test_narrow_terminals_get_signs_and_no_line_is_too_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert run(["matrix", "--targets", "all", "--jobs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "X fails" in shown
    assert all(len(line) <= 60 for line in shown.splitlines())


def test_all_shows_the_rows_that_treat_every_architecture_alike(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", "--all", *_SOME]) == 0
    assert "open" in capsys.readouterr().out


def test_json_says_for_each_row_what_happens_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", "--output-format", "json", *_SOME]) == 0
    told = json.loads(capsys.readouterr().out)
    assert "hwlint-matrix/1" == told["schema"]
    tile = next(row for row in told["rows"] if row["symbol"] == "tile")
    assert {"status": "fails", "certain": True} == tile["cells"]["sm_120"]
    lookup = next(site for site in tile["sites"] if site["kind"] == "lookup")
    assert {"sm_80", "sm_120"} == {n for e in lookup["effects"] if e["status"] == "fails" for n in e["targets"]}
    assert lookup["trace"][0]["path"] == "kernels.py"
    assert 1 == told["summary"]["counts"]["sm_120"]["fails"]


def test_the_same_input_gives_the_same_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    texts = set()
    for _ in range(2):
        run(["matrix", "--output-format", "html", *_SOME])
        texts.add(capsys.readouterr().out)
    assert 1 == len(texts)


def test_diff_shows_only_where_two_architectures_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", "--diff", "sm_100", "12.0", "--jobs", "1"]) == 0
    shown = capsys.readouterr().out
    assert "sm_100: works: `TILES` has 10" in shown
    assert "only_hopper" not in shown
    assert "3 rows differ, sm_100 with sm_120" in shown


def test_since_shows_what_a_change_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    git = ["git", "-c", "user.name=n", "-c", "user.email=e@example.org"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]):
        subprocess.run([*git, *arguments], check=True, cwd=tmp_path)
    (tmp_path / "kernels.py").write_text(KERNELS.replace("10: 256}", "10: 256, 12: 64}"))
    assert run(["matrix", "--since", "HEAD", *_SOME]) == 0
    shown = capsys.readouterr().out
    assert "sm_120: fails -> works: `TILES` has 12" in shown
    assert "size" not in shown


def test_a_file_that_cannot_be_read_is_named_and_changes_the_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("import torch\ntorch.cuda.get_device_capability(\ndef (:\n")
    assert run(["matrix", *_SOME]) == 3
    assert "broken.py" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--diff", "sm_100", "sm_122"], "unknown architecture `sm_122`"),
        (["--diff", "sm_100", "sm_120", "--since", "HEAD"], "give one of them"),
        (["--since", "HEAD"], "git"),
        (["--output-format", "htm"], "did you mean"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", *arguments]) == 2
    assert said in capsys.readouterr().err
