"""Say what went wrong in a way a user can act on."""

from __future__ import annotations


class HwlintError(Exception):
    """Misuse or a broken setup; the message says what is wrong, where, and what to do next.

    Several things that are wrong at once are several arguments, one message each.
    """

    @property
    def messages(self) -> tuple[str, ...]:
        """What is wrong, one message for each thing."""
        return tuple(map(str, self.args))

    def __str__(self) -> str:
        return "; ".join(self.messages)


class UsageError(HwlintError):
    """A wrong option, path, architecture or rule id (exit status 2)."""


class SettingsError(HwlintError):
    """A wrong or unreadable configuration (exit status 2)."""


class RuleError(HwlintError):
    """A rule or origin file that does not fit its format (exit status 2)."""
