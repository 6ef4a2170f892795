"""Check what the cells of the matrix say of each kind of code."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.model.errors import UsageError
from hwlint.model.matrix import Matrix, Status
from hwlint.workflow.matrix import between, matrix, matrix_of_two, since
from hwlint.workflow.settings import load_settings
from tests.matrix.projects import KERNELS, labels, matrix_of, project, row_of


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return matrix_of(project(tmp_path_factory.mktemp("kernels"), kernels=KERNELS))


def test_a_lookup_works_where_the_table_has_the_key_and_fails_where_not(found: Matrix) -> None:
    assert ["fails", "works", "works", "fails"] == labels(row_of(found, "tile"))


def test_a_default_is_a_fall_back(found: Matrix) -> None:
    assert ["works", "works", "falls back", "falls back"] == labels(row_of(found, "size"))


def test_what_the_author_turns_away_is_rejected(found: Matrix) -> None:
    assert ["rejected", "works", "rejected", "rejected"] == labels(row_of(found, "only_hopper"))


def test_of_a_ladder_those_that_no_branch_takes_fall_back(found: Matrix) -> None:
    row = row_of(found, "ladder")
    assert ["falls back", "works", "works", "falls back"] == labels(row)
    assert any("takes none of `major() == 9`, `major() == 10`" == e.text for s in row.sites for e in s.effects)


def test_a_guard_that_returns_nothing_leaves_its_architectures_behind(found: Matrix) -> None:
    assert ["falls back", "works", "works", "works"] == labels(row_of(found, "guarded"))


def test_an_exception_that_is_caught_is_a_fall_back_and_no_failure(found: Matrix) -> None:
    assert ["falls back", "works", "works", "falls back"] == labels(row_of(found, "Pool.caught"))


def test_a_file_and_a_class_say_the_worst_of_what_lies_in_them(found: Matrix) -> None:
    assert ["fails", "unknown", "rejected", "fails"] == labels(row_of(found, ""))
    assert "falls back" == row_of(found, "Pool").cells[0].label
    assert ("class", 1) == (row_of(found, "Pool").kind, row_of(found, "Pool").depth)


def test_a_table_that_starts_empty_is_unknown_where_it_lacks_a_key_as_check_says_nothing(tmp_path: Path) -> None:
    text = (
        KERNELS
        + "\n\ndef filled():\n    table = {}\n    if major() == 9:\n        table[9] = 1\n    return table[major()]\n"
    )
    row = row_of(matrix_of(project(tmp_path, kernels=text)), "filled")
    assert "fails" not in labels(row)
    lookup = next(site for site in row.sites if site.kind == "lookup")
    assert {Status.WORKS, Status.UNKNOWN} == {effect.status for effect in lookup.effects}


def test_a_failure_that_more_than_the_hardware_decides_carries_a_question_mark(tmp_path: Path) -> None:
    text = KERNELS + "\n\ndef flagged(flag):\n    if flag:\n        return TILES[major()]\n    return 0\n"
    row = row_of(matrix_of(project(tmp_path, kernels=text)), "flagged")
    assert ["fails?", "works", "works", "fails?"] == labels(row)


def test_a_test_that_something_else_decides_too_leaves_its_function_unknown(found: Matrix) -> None:
    assert {Status.UNKNOWN} == {cell.status for cell in row_of(found, "Pool.open").cells}


def test_code_behind_a_guard_is_not_reached(tmp_path: Path) -> None:
    text = "import torch\nTILES = {9: 1, 10: 2, 12: 3}\ndef f():\n    if torch.cuda.get_device_capability()[0] < 9:\n"
    text += "        return None\n    return g(torch.cuda.get_device_capability()[0])\ndef g(m):\n    return TILES[m]\n"
    found = matrix_of(project(tmp_path, kernels=text))
    reached = {row.symbol: labels(row) for row in found.rows}
    assert "fails" not in reached["g"]
    assert ["falls back", "works", "works", "works"] == reached["f"]


def test_a_file_without_anything_that_depends_on_the_hardware_has_no_row(tmp_path: Path) -> None:
    found = matrix_of(project(tmp_path, kernels=KERNELS, words="GREETING = 'hello'\n"))
    assert {"kernels.py"} == {row.path for row in found.rows}
    assert 2 == found.files


def test_two_architectures_are_compared_on_the_rows_where_they_differ(found: Matrix) -> None:
    narrowed = between(found, "sm_100", "sm_120")
    assert {"", "tile", "ladder", "Pool", "Pool.caught"} == {row.symbol for row in narrowed.rows}
    assert ["works", "fails"] == labels(row_of(narrowed, "tile"))
    (lookup, *_) = [site for site in row_of(narrowed, "tile").sites if site.kind == "lookup"]
    assert {1, 2} == {effect.mask for effect in lookup.effects}


def test_diff_wants_two_different_single_architectures(tmp_path: Path) -> None:
    folder = project(tmp_path, kernels=KERNELS)
    with pytest.raises(UsageError, match="names 5"):
        matrix_of_two([folder], load_settings([folder]), ("sm_90", "consumer"))
    with pytest.raises(UsageError, match="the same"):
        matrix_of_two([folder], load_settings([folder]), ("sm_90", "9.0"))


def test_a_change_shows_what_became_of_each_cell(tmp_path: Path) -> None:
    old = matrix_of(project(tmp_path, kernels=KERNELS))
    new = matrix_of(project(tmp_path, kernels=KERNELS.replace("10: 256}", "10: 256, 12: 64}")))
    changed = since(new, old, "v1")
    cell = row_of(changed, "tile").cells[3]
    assert (Status.WORKS, Status.FAILS) == (cell.status, cell.was)
    assert row_of(changed, "tile").cells[0].was is None
    assert "size" not in {row.symbol for row in changed.rows}


def test_a_function_that_went_is_told_as_gone_and_a_new_one_as_not_reached_before(tmp_path: Path) -> None:
    old = matrix_of(project(tmp_path, kernels=KERNELS))
    new = matrix_of(project(tmp_path, kernels=KERNELS.replace("def size()", "def extent()")))
    changed = since(new, old, "v1")
    assert row_of(changed, "size").gone
    assert {Status.NOT_REACHED} == {cell.was for cell in row_of(changed, "extent").cells}


def test_the_same_tree_has_no_changes(found: Matrix) -> None:
    assert () == since(found, found, "HEAD").rows


def test_a_second_run_over_unchanged_sources_gives_the_stored_matrix(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project(tmp_path, kernels=KERNELS)
    settings = load_settings([folder])
    first = matrix([folder], settings, jobs=1)
    monkeypatch.setattr("hwlint.workflow.matrix.observe", None)
    assert first == matrix([folder], settings, jobs=1)
    assert first.architectures == matrix([folder], settings, jobs=1).architectures
    (folder / "kernels.py").write_text(KERNELS + "\n\nX = 1\n")
    with pytest.raises(TypeError):
        matrix([folder], settings, jobs=1)
