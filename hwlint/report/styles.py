"""Colour text for terminals; the only place that knows escape sequences."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from hwlint.model.finding import Level

_RESET = "\x1b[0m"
_STYLED = re.compile(r"\x1b\[[\d;]*m")


class Style(StrEnum):
    """A role that text plays, with its ANSI sequence; the sixteen basic colours follow the user's own theme."""

    ERROR = "\x1b[1;31m"
    WARNING = "\x1b[1;33m"
    NOTE = "\x1b[1;36m"
    PLACE = "\x1b[1m"
    RULE = "\x1b[35m"
    GUTTER = "\x1b[34m"
    QUIET = "\x1b[2m"
    ADDED = "\x1b[32m"
    REMOVED = "\x1b[31m"
    HEADING = "\x1b[1;4m"


LEVEL_STYLES = {Level.ERROR: Style.ERROR, Level.WARNING: Style.WARNING, Level.NOTE: Style.NOTE}


def plain(text: str) -> str:
    """Return `text` as it is seen: without the styles."""
    return _STYLED.sub("", text)


@dataclass(frozen=True, slots=True)
class Painter:
    """Applies styles, or leaves text as it is where `color` is False."""

    color: bool

    def paint(self, text: str, style: Style) -> str:
        """Return `text` in `style`; the empty string stays empty."""
        return f"{style.value}{text}{_RESET}" if self.color and text else text
