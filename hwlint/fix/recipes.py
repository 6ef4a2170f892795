"""Name the recipes that a rule's front matter may ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from hwlint.fix.add_entry import add_entry
from hwlint.fix.branches import add_branch
from hwlint.fix.build_list import extend_list
from hwlint.fix.comment import remove_comment
from hwlint.fix.device_names import tell_names_apart
from hwlint.fix.digits import parse_digits
from hwlint.fix.guard import guard_lookup
from hwlint.fix.limits import query_limit
from hwlint.fix.problem import Problem
from hwlint.fix.ranges import bound_range
from hwlint.fix.rewrite import compare_tuples, match_units, widen_to_family
from hwlint.model.finding import Fix

Recipe = Callable[[Problem], tuple[Fix, ...]]
"""Returns ways to mend one finding, best first; none where the recipe does not fit it."""

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "add-entry": add_entry,
        "guard-lookup": guard_lookup,
        "extend-list": extend_list,
        "add-branch": add_branch,
        "bound-range": bound_range,
        "widen-to-family": widen_to_family,
        "compare-tuples": compare_tuples,
        "parse-digits": parse_digits,
        "match-units": match_units,
        "tell-names-apart": tell_names_apart,
        "remove-comment": remove_comment,
        "query-limit": query_limit,
    }
)
"""By the names that rules use (`rulebook.vocabulary.RECIPES`)."""
