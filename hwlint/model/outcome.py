"""Say what one lookup, gate or comparison does on one architecture."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """The table has the key; `key` is its repr."""

    key: str


@dataclass(frozen=True, slots=True)
class Default:
    """The table lacks the key and the code goes on with a default; both are reprs."""

    key: str
    default: str


@dataclass(frozen=True, slots=True)
class Raises:
    """CPython raises: `KeyError` with message `12`."""

    exception: str
    message: str

    def __str__(self) -> str:
        return f"{self.exception}: {self.message}" if self.message else self.exception


@dataclass(frozen=True, slots=True)
class NotKnown:
    """What happens could not be worked out, and why."""

    reason: str


Outcome = Hit | Default | Raises | NotKnown
