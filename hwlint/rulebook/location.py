"""Find the `rules/` folder, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path

from hwlint.model.errors import RuleError

_PACKAGE = Path(__file__).resolve().parent.parent


def rules_folder() -> Path:
    """Return the folder with hwlint's own rules: `hwlint/rules` in a wheel, else `rules` beside the package.

    Raises RuleError where neither exists, which means a broken installation.
    """
    for folder in (_PACKAGE / "rules", _PACKAGE.parent / "rules"):
        if (folder / "origins").is_dir():
            return folder
    raise RuleError(f"hwlint's rules are missing beside {_PACKAGE}; reinstall hwlint")


def origins_folder() -> Path:
    """Return the folder with hwlint's own origin files; raises like `rules_folder`."""
    return rules_folder() / "origins"
