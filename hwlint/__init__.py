"""Find, explain and mend hardware-version assumptions in Python code without running it.

`hwlint.check` is the program's `hwlint check` as a function; docs/api.md describes it and the values that it returns.
Importing `hwlint` loads nothing else: each name is looked up when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hwlint.model.errors import HwlintError, RuleError, SettingsError, UsageError
    from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety, Suppression, TraceStep
    from hwlint.model.report import Failure, Report, Summary, UnknownSite
    from hwlint.model.span import Span
    from hwlint.workflow.api import check

__all__ = [
    "Certainty",
    "Edit",
    "Failure",
    "Finding",
    "Fix",
    "HwlintError",
    "Level",
    "Report",
    "RuleError",
    "Safety",
    "SettingsError",
    "Span",
    "Summary",
    "Suppression",
    "TraceStep",
    "UnknownSite",
    "UsageError",
    "__version__",
    "check",
]

_HOMES = {
    "hwlint.model.errors": ("HwlintError", "RuleError", "SettingsError", "UsageError"),
    "hwlint.model.finding": ("Certainty", "Edit", "Finding", "Fix", "Level", "Safety", "Suppression", "TraceStep"),
    "hwlint.model.report": ("Failure", "Report", "Summary", "UnknownSite"),
    "hwlint.model.span": ("Span",),
    "hwlint.workflow.api": ("check",),
}


if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted

    def __getattr__(name: str) -> object:
        """Load a public name when it is first asked for (PEP 562)."""
        for module, names in _HOMES.items():
            if name in names:
                found = getattr(import_module(module), name)
                globals()[name] = found
                return found
        raise AttributeError(f"module 'hwlint' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
