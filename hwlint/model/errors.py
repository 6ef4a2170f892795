"""Say what went wrong in a way a user can act on."""

from __future__ import annotations


class HwlintError(Exception):
    """Misuse or a broken setup; the message says what is wrong, where, and what to do next."""


class UsageError(HwlintError):
    """A wrong option, path, architecture or rule id (exit status 2)."""


class SettingsError(HwlintError):
    """A wrong or unreadable configuration (exit status 2)."""


class RuleError(HwlintError):
    """A rule or origin file that does not fit its format (exit status 2)."""
