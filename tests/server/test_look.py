"""Check what looks at one file find, beside a check of the whole project with the same text saved."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="NOT TESTED: no pygls; pip install '.[dev]' brings it")

from hwlint.server.edited import edited
from hwlint.server.look import glance, look
from hwlint.server.machine import Stop, StoppedError
from hwlint.server.settle import glimpsed, settle
from hwlint.server.wordbook import Wordbook
from tests.server.bench import Bench, told

SAMPLES = sorted(each.parent for each in (Path(__file__).resolve().parents[2] / "fixtures").glob("*/expected.json"))
ONE_MORE = "\n\ndef one_more():\n    import torch\n\n    return {9: 1}[torch.cuda.get_device_capability()[0]]\n"
NEVER: Stop = bool
ALWAYS: Stop = lambda: True  # noqa: E731
SMALL = """\
import torch

SIZES = {9: 1, 10: 2}
OTHER = {9: 1}


def major():
    return torch.cuda.get_device_capability()[0]


def first():
    return SIZES[major()]


def second():
    return OTHER[major()]
"""


@pytest.fixture
def small(tmp_path: Path) -> Bench:
    """A project of one file with two tables."""
    (tmp_path / "hwlint.toml").write_text("", encoding="utf-8")
    (tmp_path / "sizes.py").write_text(SMALL, encoding="utf-8")
    return Bench(tmp_path)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize(
    "edit", [lambda text: f"# a comment\n{text}", lambda text: text + ONE_MORE], ids=["comment", "table"]
)
def test_after_an_edit_a_file_shows_what_a_check_of_the_saved_text_reports(
    sample: Path, edit: Callable[[str], str], tmp_path: Path
) -> None:
    bench = Bench(Path(shutil.copytree(sample, tmp_path / "project")))
    for path in bench.files:
        old = bench.held.text(path)
        if old is None or not bench.known.is_reported(path):
            continue
        new = edit(old)
        before, alone = bench.checked(path, old), bench.look(path, old, old)
        expected = told(bench.checked(path, new))
        assert expected == told(settle(bench.look(path, new, old), alone, before, old, new)), path


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("SIZES = {9: 1, 10: 2}", "SIZES = {8: 1, 10: 2}"),
        ("OTHER = {9: 1}", "OTHER = {7: 0, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1}"),
        ("    return torch.cuda.get_device_capability()[0]", "    return 9"),
        ("    return OTHER[major()]", "    return OTHER.get(major())"),
        ("    return SIZES[major()]", "    # hwlint: ignore[HW101]\n    return SIZES[major()]"),
        ("def first():\n    return SIZES[major()]\n", ""),
    ],
)
def test_a_glance_shows_what_a_look_at_everything_does(small: Bench, then: str, now: str) -> None:
    new = SMALL.replace(then, now)
    assert new != SMALL
    before = small.look("sizes.py", SMALL, SMALL)
    found = glance(small.held, small.known, "sizes.py", small.news("sizes.py", new, SMALL), SMALL, NEVER, NEVER, NEVER)
    assert found is not None
    shown = glimpsed(*found, before, before, before, SMALL, new)
    assert told(small.look("sizes.py", new, SMALL)) == told(shown)


def test_a_glance_evaluates_what_changed_and_leaves_the_rest_where_it_is_late(small: Bench) -> None:
    new = SMALL.replace("return SIZES[major()]", "return SIZES[major() + 1]")
    news = small.news("sizes.py", new, SMALL)
    found = glance(small.held, small.known, "sizes.py", news, SMALL, NEVER, ALWAYS, NEVER)
    assert found is not None
    assert (range(11, 13),) == found[1]
    assert {12} == {one.span.line for one in found[0]}


def test_a_changed_function_that_takes_too_long_is_left_for_the_look_at_everything(small: Bench) -> None:
    new = SMALL.replace("return SIZES[major()]", "return SIZES[major() + 1]")
    news = small.news("sizes.py", new, SMALL)
    assert ((), ()) == glance(small.held, small.known, "sizes.py", news, SMALL, NEVER, ALWAYS, ALWAYS)


def test_a_look_ends_as_soon_as_nobody_waits_for_it(small: Bench) -> None:
    news = small.news("sizes.py", SMALL + "\n", SMALL)
    with pytest.raises(StoppedError):
        look(small.held, small.known, "sizes.py", news, lambda: True)


def test_targets_that_leave_neighbours_out_give_what_check_gives(tmp_path: Path) -> None:
    (tmp_path / "hwlint.toml").write_text('targets = ["sm_120"]\nlevel = "note"\n', encoding="utf-8")
    text = SMALL + "\n\ndef third():\n    return {9: 1, 10: 2}.get(major(), 0)\n"
    (tmp_path / "sizes.py").write_text(text, encoding="utf-8")
    bench = Bench(tmp_path)
    found = bench.look("sizes.py", text, text)
    assert {("sm_120",)} == {one.targets for one in found}
    assert told(bench.checked("sizes.py", text)) == told(found)


def test_where_lines_went_those_around_the_place_count_as_changed() -> None:
    assert {2, 3} == edited("a\nb\nc\nd\n", "a\nb\nd\n").lines
    assert {2} == edited("a\nb\nc\n", "a\nx\nb\nc\n").lines
    assert set() == edited("a\nb\n", "a\nb\n").lines


def test_the_words_of_a_file_are_those_on_disk_once_it_is_refreshed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("class Parser: pass\n", encoding="utf-8")
    book = Wordbook(tmp_path)
    assert (True, False, False) == tuple(book.holds("a.py", word) for word in ("Parser", "Pars", "Writer"))
    assert not book.holds("missing.py", "Parser")
    file.write_text("class Writer: ...\n", encoding="utf-8")
    assert book.holds("a.py", "Parser")
    book.refresh()
    assert (False, True) == (book.holds("a.py", "Parser"), book.holds("a.py", "Writer"))


def test_a_text_that_is_being_written_is_broken_and_not_newer_than_this_python(
    small: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.held.buffers = {"sizes.py": f"{SMALL}\nif (\n"}
    monkeypatch.setattr("hwlint.source.recover.recover", None)  # it takes seconds
    assert small.held.load("sizes.py") is None


def test_a_file_with_newer_syntax_stays_readable_while_it_is_edited(tmp_path: Path) -> None:
    newer = f"{SMALL}\ndef kind[T: int = int](one: T) -> T:\n    return one\n"
    (tmp_path / "hwlint.toml").write_text("", encoding="utf-8")
    (tmp_path / "sizes.py").write_text(newer, encoding="utf-8")
    held = Bench(tmp_path).held
    held.buffers = {"sizes.py": newer}
    assert held.load("sizes.py") is not None
    held.buffers = {"sizes.py": f"# more\n{newer}"}
    assert held.load("sizes.py") is not None
