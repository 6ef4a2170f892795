"""Say what imports call a file, and whether one of them means it."""

from __future__ import annotations

from hwlint.graph.bindings import Import

_PACKAGE = "/__init__.py"


def stem(path: str) -> str:
    """The name that an import calls a file by: its own, or that of its folder for a package."""
    parts = path.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]


def folder(path: str) -> str:
    """The folder of a module, or the one around it for a package."""
    around, _, leaf = path.rpartition("/")
    return around.rpartition("/")[0] if leaf == "__init__.py" else around


def spoken(path: str) -> tuple[str, str]:
    """What an import calls a file: its own name and the one of its folder; empty where there is none."""
    return stem(path), folder(path).rpartition("/")[2]


def inside(path: str) -> str:
    """The folder of which a file is the package, with a slash behind it; empty for any other file."""
    return path.removesuffix("__init__.py") if path.endswith(_PACKAGE) else ""


def means(record: Import, user: str, path: str) -> bool:
    """Tell whether an import in `user` may be from the file: it has the last name, or is `from . import` inside it."""
    if record.module or not record.level:
        return record.module.rpartition(".")[2] == stem(path)
    around = user.split("/")[: -record.level]
    return bool(around) and inside(path) == "/".join(around) + "/"
