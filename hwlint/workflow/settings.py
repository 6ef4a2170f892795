"""Read what the project wants from `[tool.hwlint]` in pyproject.toml or from hwlint.toml."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hwlint.model.errors import SettingsError, UsageError
from hwlint.model.finding import Level
from hwlint.model.suggest import did_you_mean
from hwlint.workflow.settings_table import SettingsTable

CACHE_FOLDER = ".hwlint_cache"
MOST_SETTINGS = 16 * 1024 * 1024
"""Bytes read of a configuration file; a device such as /dev/zero has no end."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run is asked to do; every path is absolute.

    `root` is the folder that reported paths are relative to: the one with the project file, else the first given
    folder. `folders` are what the graph is made of: usually `root` alone, else `root` is their common parent.
    `select` empty means every rule that runs by default. `floor` None means that it is inferred. `origins` and
    `architectures` are the tables as written; `rulebook.origins` and `hardware.additions` check what is in them.
    """

    root: Path
    folders: tuple[Path, ...]
    file: Path | None = None
    """The file that the settings came from, or None for the defaults."""
    targets: tuple[str, ...] = ("current",)
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_rules: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    level: Level = Level.WARNING
    baseline: Path | None = None
    floor: str | None = None
    origins: Mapping[str, object] = field(default_factory=dict)
    architectures: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    probes: Mapping[str, str] = field(default_factory=dict)
    """By table (`*` for any), the probe that `confirm` runs where probes are allowed: `PROBE[:option=value,...]`."""
    cache_dir: Path = Path(CACHE_FOLDER)
    include_tests: bool = False
    force_exclude: bool = False
    """Leave out excluded files even where they are given by name, as pre-commit needs."""


def load_settings(paths: Sequence[Path], *, config: Path | None = None, isolated: bool = False) -> Settings:
    """Return the settings for a run over `paths` (the current folder where there is none).

    They come from `config` where given, from nowhere with `isolated`, else from the nearest file upward from the
    first path: a hwlint.toml, or a pyproject.toml that has a `[tool.hwlint]` table. The nearest of either name, with
    or without that table, makes its folder the root. Where there is none, a folder that is given is the root itself,
    and a file belongs to the git repository around it, else to the folder that its package lies in. Raises UsageError
    for a path that does not exist, and SettingsError for a file that cannot be read, or all its unknown keys and wrong
    types.
    """
    given = [_absolute(path) for path in paths or (Path(),)]
    for path in given:
        if not path.exists():
            if path.is_symlink():
                raise UsageError(f"{path}: a symbolic link that leads nowhere; mend or remove it")
            raise UsageError(f"{path}: no such file or folder{_neighbour(path)}")
    source = None if isolated else _absolute(config) if config is not None else _nearest_file(given[0])
    marker = None if isolated else _nearest_marker(given[0])
    home = source.parent if source is not None and config is None else marker.parent if marker else _home(given[0])
    folders = _outermost([home, *map(_folder, given)])
    root = Path(os.path.commonpath(folders))
    if source is None:
        return Settings(root=root, folders=folders, cache_dir=root / CACHE_FOLDER)
    return _read(source, root, folders)


def override(
    settings: Settings,
    *,
    targets: tuple[str, ...] | None = None,
    select: tuple[str, ...] | None = None,
    ignore: tuple[str, ...] | None = None,
    level: Level | None = None,
    baseline: Path | None = None,
    cache_dir: Path | None = None,
    include_tests: bool | None = None,
    force_exclude: bool | None = None,
) -> Settings:
    """Return the settings with what the command line says put over them; None leaves a value as it is.

    `ignore` adds to what the configuration ignores, everything else replaces. Relative paths start at the current
    folder.
    """
    given: dict[str, Any] = {
        "targets": targets,
        "select": select,
        "ignore": None if ignore is None else (*settings.ignore, *ignore),
        "level": level,
        "baseline": None if baseline is None else _absolute(baseline),
        "cache_dir": None if cache_dir is None else _absolute(cache_dir),
        "include_tests": include_tests,
        "force_exclude": force_exclude,
    }
    return replace(settings, **{name: value for name, value in given.items() if value is not None})


def _read(source: Path, root: Path, folders: tuple[Path, ...]) -> Settings:
    table = SettingsTable(source, *_parse(source))
    base = source.parent
    settings = Settings(
        root=root,
        folders=folders,
        file=source,
        targets=table.words("targets") or ("current",),
        select=table.words("select"),
        ignore=table.words("ignore"),
        extend_rules=tuple(_absolute(base / folder) for folder in table.words("extend-rules")),
        exclude=table.words("exclude"),
        per_file_ignores=table.words_by_name("per-file-ignores"),
        level=Level(table.choice("level", [level.value for level in Level]) or Level.WARNING),
        baseline=_below(base, table.word("baseline")),
        floor=table.word("floor"),
        origins=table.table("origins"),
        architectures=table.tables_by_name("architectures"),
        probes=table.word_by_name("probes"),
        cache_dir=_below(base, table.word("cache-dir")) or root / CACHE_FOLDER,
        include_tests=table.flag("include-tests"),
    )
    table.settle()
    return settings


def _parse(source: Path) -> tuple[str, str, Mapping[str, object]]:
    """Return the file's text, the table's dotted name in it and the table."""
    try:
        with source.open("rb") as stream:
            data = stream.read(MOST_SETTINGS + 1)
        if len(data) > MOST_SETTINGS:
            raise SettingsError(f"{source}: too large to be a configuration; give another file with --config")
        text = data.decode("utf-8").replace("\r\n", "\n")
        document: object = tomllib.loads(text)
    except OSError as error:
        raise SettingsError(f"{source}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{source}: not UTF-8 at byte {error.start}; TOML files must be") from error
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{source}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise SettingsError(f"{source}: nested too deeply to be read; flatten it") from error
    if source.name != "pyproject.toml":
        assert isinstance(document, dict)
        return text, "", document
    name = "tool.hwlint"
    for part in name.split("."):
        document = document.get(part, {}) if isinstance(document, dict) else {}
    if not isinstance(document, dict):
        raise SettingsError(f"{source}: `{name}` must be a table; write [{name}] on a line of its own")
    return text, name, document


def _nearest_file(start: Path) -> Path | None:
    for folder in _upward(start):
        if (folder / "hwlint.toml").is_file():
            return folder / "hwlint.toml"
        project = folder / "pyproject.toml"
        if project.is_file() and _mentions_hwlint(project):
            return project
    return None


def _mentions_hwlint(project: Path) -> bool:
    """True where the file has a `[tool.hwlint]` table, or is too broken to tell and names it."""
    try:
        text = project.read_bytes()
    except OSError:
        return False
    if b"hwlint" not in text:
        return False
    try:
        return "hwlint" in tomllib.loads(text.decode("utf-8")).get("tool", {})
    except (ValueError, TypeError, AttributeError, RecursionError):
        return True


def _nearest_marker(start: Path) -> Path | None:
    for folder in _upward(start):
        for name in ("hwlint.toml", "pyproject.toml"):
            if (folder / name).is_file():
                return folder / name
    return None


def _upward(start: Path) -> tuple[Path, ...]:
    folder = _folder(start)
    return (folder, *folder.parents)


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def project_of(place: Path) -> Path | None:
    """The folder of the nearest project file upward from a place, else of the git repository around it, else None."""
    marker = _nearest_marker(_absolute(place))
    return marker.parent if marker is not None else _repository(_absolute(place))


def _repository(start: Path) -> Path | None:
    return next((folder for folder in _upward(start) if (folder / ".git").exists()), None)


def _home(given: Path) -> Path:
    """What a place without a project file belongs to: a folder to itself, a file to its repository or package."""
    if given.is_dir():
        return given
    repository = _repository(given)
    return repository if repository is not None else _above_package(given.parent)


def _above_package(folder: Path) -> Path:
    """The first folder upward that is no regular package."""
    return next((each for each in (folder, *folder.parents) if not (each / "__init__.py").is_file()), folder)


def _outermost(folders: Sequence[Path]) -> tuple[Path, ...]:
    """Drop every folder that lies in another, and keep the order of the rest."""
    kept: list[Path] = []
    for folder in folders:
        if not any(folder.is_relative_to(other) for other in kept):
            kept = [other for other in kept if not other.is_relative_to(folder)]
            kept.append(folder)
    return tuple(kept)


def _absolute(path: Path) -> Path:
    """Make a path absolute as the user wrote it: `..` goes, symbolic links stay."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - Path.absolute keeps `..`, Path.resolve follows links


def _below(base: Path, name: str | None) -> Path | None:
    return None if name is None else _absolute(base / name)


def _neighbour(path: Path) -> str:
    try:
        names = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return ""
    return did_you_mean(path.name, names)
