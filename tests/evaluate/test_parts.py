"""Check that the parts of the evaluator, which share one object, keep out of each other's way."""

from __future__ import annotations

from hwlint.evaluate.engine import Machine


def test_no_two_parts_have_a_private_method_of_the_same_name() -> None:
    owners: dict[str, list[str]] = {}
    for part in Machine.__mro__:
        for name, member in vars(part).items():
            if callable(member) and name.startswith("_") and not name.startswith("__"):
                owners.setdefault(name, []).append(part.__name__)
    assert len(owners) > 100
    assert {name: parts for name, parts in owners.items() if len(parts) > 1} == {}
