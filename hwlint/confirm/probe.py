"""Find the probe for a finding, and see to it that only probes which the user named or allowed are run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from hwlint.confirm.job import JobProbe
from hwlint.model.errors import UsageError
from hwlint.model.finding import Finding
from hwlint.model.suggest import did_you_mean

_ON = ("BEFORE", "WHOLE_CLASS")


class NamedBy(StrEnum):
    """Who asks for a probe, which decides whether it may run."""

    USER = "user"
    """Named on the command line: runs."""
    BUNDLED_RULE = "bundled-rule"
    """Named by a rule that comes with hwlint, and bundled too: runs where probes are allowed."""
    SETTINGS = "settings"
    """Named by the project's configuration: runs where probes are allowed, if bundled or a file of the project."""
    RULE = "rule"
    """Named by a rule of the project's own: runs where probes are allowed, and only if bundled."""


@dataclass(frozen=True, slots=True)
class ProbeRequest:
    """A probe asked for: its name or path, for which table (`` for any), with which options, and by whom."""

    name: str
    table: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    named_by: NamedBy = NamedBy.USER
    base: Path = Path()
    """The folder that a relative path starts from: the current one, or that of the configuration."""
    within: Path | None = None
    """The folder that a file has to lie in, after links are followed; None for any."""

    def may_run(self, *, allowed: bool) -> bool:
        """True where the user named it, or allowed what the project names."""
        return self.named_by is NamedBy.USER or allowed

    def suits(self, finding: Finding) -> bool:
        """True where the request is about the finding's table, by its bare or its qualified name."""
        return not self.table or self.table in (finding.table, finding.table.rpartition(".")[2])


def parse_request(text: str, named_by: NamedBy = NamedBy.USER) -> ProbeRequest:
    """Read `[TABLE=]PROBE[:option=value,...]`; PROBE is a bundled name or the path of a `.py` file."""
    body, _, tail = text.partition(":")
    table, equals, name = body.rpartition("=")
    options: dict[str, str] = {}
    for part in filter(None, tail.split(",")):
        key, found, value = part.partition("=")
        if not found or not key:
            raise UsageError(f"probe `{text}`: `{part}` is not option=value; write [TABLE=]PROBE[:option=value,...]")
        options[key] = value
    if not name or (equals and not table):
        raise UsageError(f"probe `{text}`: write [TABLE=]PROBE[:option=value,...]")
    return ProbeRequest(name, table, options, named_by)


def bundled() -> dict[str, Path]:
    """Return the probes that come with hwlint, by name."""
    folder = Path(str(files("hwlint.confirm") / "probes"))
    return {path.stem.replace("_", "-"): path for path in sorted(folder.glob("*.py"))}


def choose_probe(finding: Finding, requests: Sequence[ProbeRequest], *, allowed: bool) -> JobProbe | None:
    """Return the first probe asked for that suits the finding and may run; None where there is none.

    What the user names runs; what the configuration or a rule names runs only with `allowed`. The file that a rule
    names is never run: rule pages are data. Raises UsageError for a probe that does not exist.
    """
    for request in requests:
        if request.suits(finding) and request.may_run(allowed=allowed):
            path = find_probe(request)
            if path is not None:
                return load_probe(request.name, path, request.options)
    return None


def find_probe(request: ProbeRequest) -> Path | None:
    """Return the file of a bundled or named probe, or None for a file that a rule names, which is never run.

    Raises UsageError for a probe that does not exist, or that lies where it must not.
    """
    path = bundled().get(request.name.replace("_", "-"))
    if path is not None:
        return path
    return _named_file(request) if request.named_by in (NamedBy.USER, NamedBy.SETTINGS) else None


def load_probe(name: str, path: Path, options: Mapping[str, str]) -> JobProbe:
    """Return a probe as a job carries it; its flags are read from its text, the file is not run here."""
    try:
        source = path.read_bytes()
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(f"probe `{name}`: {path} cannot be read as Python: {error}") from error
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    if "probe" not in functions:
        raise UsageError(f"probe `{name}`: {path} defines no function probe(value, context); see docs/confirm.md")
    flags = {flag: _is_on(tree, flag) for flag in _ON}
    return JobProbe(name, source, dict(options), before=flags["BEFORE"], whole_class=flags["WHOLE_CLASS"])


def _named_file(request: ProbeRequest) -> Path:
    path = request.base / request.name
    if path.suffix == ".py" and path.is_file():
        if request.within is not None and not path.resolve().is_relative_to(request.within.resolve()):
            raise UsageError(f"probe `{request.name}`: it lies outside the project; name it with --probe instead")
        return path
    known = ", ".join(bundled())
    hint = did_you_mean(request.name, bundled())
    raise UsageError(
        f"there is no probe `{request.name}`{hint}{' ' if hint else '; '}give the path of a .py file or one of {known}"
    )


def _is_on(tree: ast.Module, flag: str) -> bool:
    return any(
        isinstance(node, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == flag for target in node.targets)
        and isinstance(node.value, ast.Constant)
        and node.value.value is True
        for node in tree.body
    )
