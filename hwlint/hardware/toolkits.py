"""Work out what follows from the lists of compile targets that the CUDA toolkits print."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hwlint.model.architecture import Fact

NONE = "none"
"""The value of a fact that says that there is no such thing: no such target, not dropped."""

_SOURCE = ("ptxas_list",)
_SUFFIXES = ("", "a", "f")
_NOTHING = Fact(NONE, _SOURCE)


def unfold(rows: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Turn the rows of the file (releases, targets without `sm_`) into targets by release, in file order."""
    targets: dict[str, tuple[str, ...]] = {}
    for releases, names in rows:
        listed = tuple(f"sm_{name}" for name in names.split())
        targets.update(dict.fromkeys(releases.split(), listed))
    return targets


def ranges(listed: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, str]]:
    """Map each target to the first and the last release that lists it."""
    found: dict[str, tuple[str, str]] = {}
    for release, targets in listed.items():
        for target in targets:
            found[target] = (found[target][0] if target in found else release, release)
    return found


def facts(name: str, spans: Mapping[str, tuple[str, str]], releases: Sequence[str]) -> dict[str, Fact]:
    """Return the facts of the architecture `name` (`sm_120`) that its targets tell.

    `compiler_targets.base`, `.a` and `.f` are target names or "none", `compiler_targets.a_first_toolkit` and
    `.f_first_toolkit` releases; `cuda.last_toolkit` and `cuda.dropped_in` are releases, or "none" while it is built.
    `compatibility.family_target_runs_on` is told here only where there is no f target: nowhere.
    """
    told: dict[str, Fact] = {}
    for suffix in _SUFFIXES:
        target = name + suffix
        told[f"compiler_targets.{suffix or 'base'}"] = Fact(target, _SOURCE) if target in spans else _NOTHING
        if suffix and target in spans:
            told[f"compiler_targets.{suffix}_first_toolkit"] = Fact(spans[target][0], _SOURCE)
    if name + "f" not in spans:
        told["compatibility.family_target_runs_on"] = Fact((), _SOURCE, "no f target")
    if name in spans:
        last = spans[name][1]
        gone = last != releases[-1]
        told["cuda.last_toolkit"] = Fact(last, _SOURCE) if gone else _NOTHING
        told["cuda.dropped_in"] = Fact(releases[releases.index(last) + 1], _SOURCE) if gone else _NOTHING
    return told
