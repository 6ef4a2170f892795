"""Name the recipes that a rule's front matter may ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hwlint.fix.add_entry import add_entry
from hwlint.fix.branches import explicit_else
from hwlint.fix.build_list import extend_build_list
from hwlint.fix.guard import guard_lookup
from hwlint.fix.problem import Problem
from hwlint.fix.rewrite import compare_as_numbers, componentwise, parse_all_digits, unit, widen_family
from hwlint.model.finding import Fix

Recipe = Callable[[Problem], tuple[Fix, ...]]
"""Returns ways to mend one finding, best first; none where the recipe does not fit it."""

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "add-entry": add_entry,
        "extend-list": add_entry,
        "guard-lookup": guard_lookup,
        "compare-as-numbers": compare_as_numbers,
        "parse-all-digits": parse_all_digits,
        "unit": unit,
        "componentwise": componentwise,
        "explicit-else": explicit_else,
        "widen-family": widen_family,
        "extend-build-list": extend_build_list,
    }
)
"""By the names that rules use. A list, tuple or set is extended as a table without values."""
