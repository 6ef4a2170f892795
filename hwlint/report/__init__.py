"""Turn the result of a run into what people and programs read."""

from hwlint.report.formats import Format, render

__all__ = ["Format", "render"]
