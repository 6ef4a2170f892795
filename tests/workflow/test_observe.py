"""What was seen can be had without a judgement: joined over files, of all of them or of some."""

from __future__ import annotations

from pathlib import Path

from hwlint.model.observation import Lookup
from hwlint.workflow.observe import Seen, observe
from hwlint.workflow.scope import survey
from hwlint.workflow.settings import Settings

CLASS = """import torch


class Sizes:
    TABLE = {
        9: 1,
    }

    def of(self):
        return sum(
            [self.TABLE[torch.cuda.get_device_capability()[0]]],
        )
"""


def seen(folder: Path, **files: str) -> Seen:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    return run(folder)


def run(folder: Path, only: set[str] | None = None) -> Seen:
    settings = Settings(root=folder, folders=(folder,), targets=("sm_90", "sm_120"))
    return observe(survey([folder], settings, {}), settings, 1, only=only)


def lookups(found: Seen) -> list[Lookup]:
    return [one for one in found.observations if isinstance(one, Lookup)]


def test_the_statement_of_a_lookup_is_the_one_that_looks_up_and_not_that_of_the_table(tmp_path: Path) -> None:
    (lookup,) = lookups(seen(tmp_path, mod=CLASS))
    assert (10, 12) == (lookup.place.statement.line, lookup.place.statement.end_line)
    assert 11 == lookup.place.span.line


def test_only_the_files_asked_for_are_evaluated(tmp_path: Path) -> None:
    everything = seen(tmp_path, one=CLASS, two=CLASS)
    assert ("one.py", "two.py") == everything.roots
    some = run(tmp_path, {"two.py"})
    assert ("two.py",) == some.roots
    assert {"two.py"} == {one.place.path for one in lookups(some)}


def test_masks_count_over_the_targets_of_the_run(tmp_path: Path) -> None:
    found = seen(tmp_path, mod=CLASS)
    assert ("sm_90", "sm_120") == tuple(row.name for row in found.targets)
    (lookup,) = lookups(found)
    assert {("Hit", 0b01), ("Raises", 0b10)} == {(type(one.outcome).__name__, one.mask) for one in lookup.happenings}
