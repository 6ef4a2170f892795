"""Decide which paths are left out: by default, by the configuration, and by `.gitignore` files, without calling git."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hwlint.model.report import Failure
from hwlint.source.read import read_bytes

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

DEFAULT_EXCLUDE = frozenset(
    {
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".git-rewrite",
        ".hg",
        ".hwlint",
        ".hwlint_cache",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pants.d",
        ".pyenv",
        ".pytest_cache",
        ".pytype",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "buck-out",
        "node_modules",
        "site-packages",
    }
)
"""Names of folders that never hold a project's own code.

Those that other linters skip by default, without the plausible names of packages (`build`, `dist`, `_build`, and
`venv`, which is one of the standard library); environments are known by their contents instead.
"""

MAX_STARS = 5
"""Wildcards in one pattern; more make the matching time explode on a file name made for it."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """The lines of one file, valid below `base` (absolute, with a final slash); `outer` are those from further out."""

    base: str
    spec: GitIgnoreSpec
    outer: Patterns | None = None
    quick: re.Pattern[str] | None = None
    """Matches wherever one of the lines does; most paths match none, and one search is cheaper than one a line."""

    def decide(self, path: str, *, folder: bool) -> bool | None:
        """Return whether the last matching line leaves `path` out, or None where no line matches."""
        patterns: Patterns | None = self
        shown = f"{path}/" if folder else path
        while patterns is not None:
            relative = shown[len(patterns.base) :]
            if patterns.quick is None or patterns.quick.match(relative):
                decided = patterns.spec.check_file(relative).include
                if decided is not None:
                    return decided
            patterns = patterns.outer
        return None


@dataclass(frozen=True, slots=True)
class Rules:
    """What is left out at one place of the walk; `configured` is asked first, then the defaults, then `git`."""

    configured: Patterns | None = None
    git: Patterns | None = None
    respect_gitignore: bool = True

    @property
    def can_leave_out_files(self) -> bool:
        """True where a file can be left out at all."""
        return self.configured is not None or self.git is not None

    def leave_out(self, path: str, name: str, *, folder: bool) -> bool:
        """Say whether `path` (absolute, called `name`) is left out; a folder takes its contents with it."""
        if self.configured is not None:
            decided = self.configured.decide(path, folder=folder)
            if decided is not None:
                return decided
        if folder and name in DEFAULT_EXCLUDE:
            return True
        return self.git is not None and bool(self.git.decide(path, folder=folder))

    def entering(self, folder: str, *, repository: bool) -> tuple[Rules, list[Failure]]:
        """Return the rules inside `folder`, with its own `.gitignore`; a nested repository starts afresh."""
        if not self.respect_gitignore:
            return self, []
        git = self.git
        failures: list[Failure] = []
        files = [Path(folder, ".gitignore")]
        if repository:
            git = None
            files.insert(0, Path(folder, ".git", "info", "exclude"))
        for file in files:
            if file.is_file() and not file.is_symlink():  # git does not follow such a link either
                git, failure = _load(folder, str(file), git)
                failures += [failure] if failure else []
        return replace(self, git=git), failures


def compile_patterns(lines: Iterable[str]) -> tuple[GitIgnoreSpec, tuple[str, ...]]:
    """Compile git-style patterns; also return the lines that cannot be used, which git would skip as well."""
    from pathspec import GitIgnoreSpec

    good: list[str] = []
    bad: list[str] = []
    for line in lines:
        (good if _is_usable(line) else bad).append(line)
    return GitIgnoreSpec.from_lines(good), tuple(bad)


def patterns_below(folder: str, spec: GitIgnoreSpec, outer: Patterns | None = None) -> Patterns:
    """Make `spec` hold for the paths below `folder`, on top of `outer`."""
    return Patterns(folder.rstrip(os.sep) + os.sep, spec, outer, _quick(spec))


def rules_for(start: str, root: str, configured: Patterns | None, *, respect_gitignore: bool) -> tuple[Rules, bool]:
    """Return the rules that reach `start` from the folders around it, and whether one of them leaves it out.

    Folders outside `root` count up to the top of the git repository that `root` is in, but only for what git
    ignores below `root`: a project that lies in an ignored folder is still a project.
    """
    rules = Rules(None, None, respect_gitignore)
    if not is_below(start, root):
        root = start
    top = repository_top(root)
    if respect_gitignore and top is not None and top != root:
        rules, left_out = _descend(rules, top, root)
        if left_out:
            rules = Rules(None, None, respect_gitignore)
    return _descend(replace(rules, configured=configured), root, start)


def repository_top(folder: str) -> str | None:
    """Return the nearest folder, from `folder` upwards, that holds a `.git`, or None."""
    candidates = (Path(folder), *Path(folder).parents)
    return next((str(each) for each in candidates if _is_repository(each)), None)


def _descend(rules: Rules, outer: str, inner: str) -> tuple[Rules, bool]:
    """Enter the folders from `outer` to just above `inner`; say whether something on the way leaves `inner` out."""
    folder = Path(outer)
    for name in Path(inner).relative_to(outer).parts:
        rules, _ = rules.entering(str(folder), repository=_is_repository(folder))
        folder = folder / name
        if rules.leave_out(str(folder), name, folder=folder.is_dir()):
            return rules, True
    return rules, False


def _is_repository(folder: Path) -> bool:
    return os.path.lexists(folder / ".git")


def is_below(path: str, folder: str) -> bool:
    """Say whether `path` is `folder` or lies in it; both absolute."""
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _load(folder: str, file: str, outer: Patterns | None) -> tuple[Patterns | None, Failure | None]:
    data = read_bytes(file)
    if isinstance(data, Failure):
        return outer, data
    text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    spec, bad = compile_patterns(line.removesuffix("\r") for line in text.split("\n"))
    failure = Failure(file, 1, f"pattern that cannot be used: {bad[0]!r}") if bad else None
    return (patterns_below(folder, spec, outer) if len(spec) else outer), failure


def _quick(spec: GitIgnoreSpec) -> re.Pattern[str] | None:
    """Join the patterns into one expression, those that may match in any folder behind one common beginning."""
    anywhere = "^(?:.+/)?"
    sources = [each.regex.pattern for each in spec.patterns if each.include is not None and each.regex is not None]
    unnamed = [re.sub(r"\(\?P<\w+>", "(?:", source) for source in sources]
    floating = [source.removeprefix(anywhere) for source in unnamed if source.startswith(anywhere)]
    fixed = [source for source in unnamed if not source.startswith(anywhere)]
    joined = "|".join([f"{anywhere}(?:{'|'.join(floating)})"] * bool(floating) + fixed)
    try:
        return re.compile(joined) if joined else None
    except re.error:
        return None


def _is_usable(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    if not line.startswith("#") and len(re.findall(r"\*+", line)) > MAX_STARS:
        return False
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
