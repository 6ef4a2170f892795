"""The cache gives the same report as a fresh run, notices every change, and survives whatever is in its folder."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from hwlint.model.codec import CodecError, dumps, loads
from hwlint.model.report import Report
from hwlint.workflow import check as module
from hwlint.workflow.cache import MOST_RESULTS, Cache
from hwlint.workflow.check import check
from hwlint.workflow.scope import survey
from hwlint.workflow.settings import Settings

TABLE = "SIZES = {9: 1, 10: 2}\n"
USE = """
import torch
from tables import SIZES

def size():
    return SIZES[torch.cuda.get_device_capability()[0]]
"""


def project(folder: Path) -> Settings:
    (folder / "tables.py").write_text(TABLE)
    (folder / "use.py").write_text(USE)
    return Settings(root=folder, folders=(folder,), cache_dir=folder / ".hwlint_cache")


def timeless(report: Report) -> Report:
    return replace(report, summary=replace(report.summary, seconds=0.0))


def missing(report: Report) -> list[tuple[str, ...]]:
    return [finding.targets for finding in report.findings if finding.rule == "HW101" and finding.level == "error"]


def test_a_second_run_gives_the_same_report_without_an_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = project(tmp_path)
    monkeypatch.setattr("hwlint.workflow.cache.own_files", lambda: iter(()))
    first = check([tmp_path], settings)

    monkeypatch.setattr("hwlint.workflow.fresh.analyse_and_keep", refuse)
    assert timeless(first) == timeless(check([tmp_path], settings))


def test_a_change_in_a_file_that_the_finding_only_imports_is_noticed(tmp_path: Path) -> None:
    settings = project(tmp_path)
    assert missing(check([tmp_path], settings)) == [("sm_110", "sm_120", "sm_121")]
    (tmp_path / "tables.py").write_text("SIZES = {9: 1, 10: 2, 12: 3}\n")
    assert missing(check([tmp_path], settings)) == [("sm_110",)]


BESIDE = "import os\n\ndef greet(name):\n    return os.sep + name\n"


def refuse(*arguments: object) -> Report:
    raise AssertionError("analysed again")


def test_a_change_in_a_file_that_hardware_values_do_not_reach_costs_no_analysis(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = project(tmp_path)
    (tmp_path / "beside.py").write_text(BESIDE)
    first = check([tmp_path], settings)
    monkeypatch.setattr("hwlint.workflow.fresh.analyse_and_keep", refuse)
    for text in (BESIDE.replace("greet", "welcome"), "", "def broken(:\n", BESIDE):
        (tmp_path / "beside.py").write_text(text)
        assert timeless(first) == timeless(check([tmp_path], settings))


@pytest.mark.parametrize(
    "change",
    [
        "import torch\nT = {9: 1}\n\ndef f():\n    return T[torch.cuda.get_device_capability()[0]]\n",
        "from use import size\nT = {1: 1}\n\ndef f():\n    return T[size()]\n",
        "x = 1  # hwlint: ignore[HW101]\n",
        "archs = ['-gencode=arch=compute_90,code=sm_90']\n",
    ],
)
def test_a_change_that_brings_something_to_such_a_file_is_noticed(change: str, tmp_path: Path) -> None:
    settings = project(tmp_path)
    (tmp_path / "beside.py").write_text(BESIDE)
    check([tmp_path], settings)
    (tmp_path / "beside.py").write_text(change)
    assert timeless(check([tmp_path], settings)) == timeless(check([tmp_path], settings, use_cache=False))


def test_a_file_that_cannot_be_read_any_more_is_noticed(tmp_path: Path) -> None:
    settings = project(tmp_path)
    (tmp_path / "beside.py").write_text(BESIDE)
    check([tmp_path], settings)
    (tmp_path / "beside.py").write_bytes(b"\x00" * (33 * 2**20))
    assert [failure.path for failure in check([tmp_path], settings).failures] == ["beside.py"]


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_edited_the_cache_gives_what_a_run_without_it_gives(seed: int, tmp_path: Path) -> None:
    settings = project(tmp_path)
    files = ["tables.py", "use.py", "beside.py", "more.py"]
    texts = [
        *(TABLE, USE, BESIDE, "", "from use import size\n", "from tables import *\n", "SIZES[12] = 3\n"),
        *("import tables\ntables.SIZES[12] = 4\n", "# hwlint: ignore\n", "import beside\n", "def broken(:\n"),
    ]
    draw = Random(seed)  # noqa: S311  # programs, not secrets
    for _ in range(8):
        file = tmp_path / draw.choice(files)
        match draw.randrange(5):
            case 0 if file.exists():
                file.unlink()
            case 1 if file.exists():
                file.replace(tmp_path / draw.choice(files))
            case _:
                file.write_text("".join(draw.choices(texts, k=draw.randrange(1, 4))))
        assert timeless(check([tmp_path], settings)) == timeless(check([tmp_path], settings, use_cache=False))


def test_renaming_and_deleting_a_file_is_noticed(tmp_path: Path) -> None:
    settings = project(tmp_path)
    check([tmp_path], settings)
    (tmp_path / "use.py").rename(tmp_path / "used.py")
    assert [finding.span.path for finding in check([tmp_path], settings).findings if finding.rule == "HW101"] == [
        "used.py"
    ] * 2
    (tmp_path / "used.py").unlink()
    assert check([tmp_path], settings).findings == ()


def test_other_targets_are_another_run(tmp_path: Path) -> None:
    settings = project(tmp_path)
    check([tmp_path], settings)
    assert missing(check([tmp_path], replace(settings, targets=("sm_120",)))) == [("sm_120",)]


@pytest.mark.parametrize("junk", ["", "{", '["Report"]', '["Span","x",1,1,1,1]', "[" * 100_000])
def test_a_broken_entry_is_analysed_anew(junk: str, tmp_path: Path) -> None:
    settings = project(tmp_path)
    first = check([tmp_path], settings)
    for entry in (settings.cache_dir / "results").glob("*.json"):
        entry.write_text(junk)
    assert timeless(first) == timeless(check([tmp_path], settings))


def test_a_folder_that_cannot_be_made_costs_only_time(tmp_path: Path) -> None:
    settings = project(tmp_path)
    settings.cache_dir.write_text("in the way")
    assert missing(check([tmp_path], settings)) == [("sm_110", "sm_120", "sm_121")]
    assert settings.cache_dir.read_text() == "in the way"


def test_the_folder_ignores_itself_and_stays_small(tmp_path: Path) -> None:
    settings = project(tmp_path)
    report = check([tmp_path], settings)
    cache = Cache(settings.cache_dir)
    for number in range(MOST_RESULTS + 5):
        cache.store(f"{number:040x}", report)
    assert (settings.cache_dir / ".gitignore").read_text() == "*\n"
    assert (settings.cache_dir / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert len(list((settings.cache_dir / "results").iterdir())) == MOST_RESULTS
    assert cache.clean() == MOST_RESULTS
    assert not settings.cache_dir.exists()


def test_without_the_cache_nothing_is_written(tmp_path: Path) -> None:
    settings = project(tmp_path)
    check([tmp_path], settings, use_cache=False)
    assert not settings.cache_dir.exists()


def test_what_is_not_of_the_model_is_refused() -> None:
    with pytest.raises(CodecError):
        dumps(object())
    for text in ('["true",["os.system",0]]', '["fatal",["Level",0]]', '[1,["Span",0]]', "[]", "{}", "1", "nonsense"):
        with pytest.raises(CodecError):
            loads(text)


def test_the_check_module_does_not_load_the_analysis_before_it_is_needed() -> None:
    import subprocess
    import sys

    late = ("libcst", "networkx", "hwlint.evaluate", "hwlint.graph.build")
    code = f"import sys, hwlint.workflow.check; print([name for name in sys.modules if name.startswith({late})])"
    assert module is not None
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_folder_given_as_baseline_or_for_rules_is_not_read_whole(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "huge.bin").symlink_to("/dev/zero")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.md")).write_text("not UTF-8 in its name")
    settings = replace(project(tmp_path), baseline=tmp_path, extend_rules=(tmp_path, Path("/dev/zero")))
    scope = survey([tmp_path / "use.py"], settings, {})
    assert Cache(settings.cache_dir).key(scope, settings)


@pytest.mark.parametrize("link", ["", "results"])
def test_a_link_out_of_the_project_is_neither_written_nor_emptied(link: str, tmp_path: Path) -> None:
    inside, outside = tmp_path / "project", tmp_path / "outside"
    inside.mkdir()
    (outside / "results").mkdir(parents=True)
    (outside / "results" / "mine.json").write_text("{}")
    (outside / "mine.json").write_text("{}")
    settings = project(inside)
    if link:
        settings.cache_dir.mkdir()
    (settings.cache_dir / link).symlink_to(outside)
    before = sorted(outside.rglob("*"))
    assert missing(check([inside], settings))
    assert Cache(settings.cache_dir).clean() == 0
    assert sorted(outside.rglob("*")) == before


def test_cleaning_also_forgets_what_the_language_server_remembered(tmp_path: Path) -> None:
    settings = project(tmp_path)
    check([tmp_path], settings)
    (settings.cache_dir / "server.json").write_text("{}")
    assert Cache(settings.cache_dir).clean() == 1
    assert not settings.cache_dir.exists()
