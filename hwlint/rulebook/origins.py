"""Load origins: hwlint's own TOML files, more files, and the `[tool.hwlint.origins]` table of a project."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hwlint.model.architecture import Vendor
from hwlint.model.errors import RuleError
from hwlint.model.origin import Origin, OriginKind, Origins, Parameter
from hwlint.model.suggest import did_you_mean
from hwlint.rulebook.expression import ExpressionError, parse_expression
from hwlint.rulebook.location import origins_folder

_KEYS = frozenset({"name", "kind", "value", "parameters", "returns", "vendors", "needles", "source", "doc"})
_TEXTS = ("name", "kind", "value", "returns", "source", "doc")


def load_origins(extra: Sequence[Path] = (), declared: Mapping[str, object] | None = None) -> Origins:
    """Return hwlint's own origins, then those of the `extra` files or folders, then those of a project's settings.

    A later entry replaces an earlier one of the same name, kind and vendors. `declared` is the table
    `[tool.hwlint.origins]` of the settings. Raises RuleError with file, entry and remedy.
    """
    files = [*_origin_files(origins_folder()), *(file for place in extra for file in _origin_files(place))]
    found = [origin for file in files for origin in read_origins(file)]
    return Origins([*found, *origins_from_settings(declared or {})])


def read_origins(file: Path) -> tuple[Origin, ...]:
    """Return the `[[origin]]` entries of one TOML file, in order; raises RuleError where it does not fit."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RuleError(f"{file}: cannot read the origins ({error}); mend the file or take it out") from None
    unknown = sorted(document.keys() - {"origin"})
    if unknown:
        raise RuleError(f"{file}: `{unknown[0]}` is not known there; an origin file holds only `[[origin]]` entries")
    entries = document.get("origin", [])
    if not isinstance(entries, list):
        raise RuleError(f"{file}: `origin` is not a list of tables; write `[[origin]]`")
    origins = tuple(_origin(entry, f"{file}: origin {number}") for number, entry in enumerate(entries, 1))
    _refuse_duplicates(origins, file)
    return origins


def origins_from_settings(table: Mapping[str, object], where: str = "[tool.hwlint.origins]") -> tuple[Origin, ...]:
    """Return the origins that a project declares: qualified name -> expression, or -> a table with an entry's keys.

    A bare expression declares a call: `"pkg.device_sm" = "major * 10 + minor"`. Raises RuleError like `read_origins`,
    with a message for each that is wrong.
    """
    found: list[Origin] = []
    wrong: list[str] = []
    for name, entry in table.items():
        given = entry if isinstance(entry, Mapping) else {"value": entry}
        try:
            found.append(_origin({"name": name, **given}, f"{where}: `{name}`"))
        except RuleError as error:
            wrong += error.messages
    if wrong:
        raise RuleError(*wrong)
    return tuple(found)


def _origin_files(place: Path) -> Iterator[Path]:
    if place.is_dir():
        yield from sorted(place.glob("*.toml"))
    else:
        yield place


def _origin(entry: object, where: str) -> Origin:
    if not isinstance(entry, Mapping):
        raise RuleError(f"{where} is not a table; write `[[origin]]` with at least `name` and `value`")
    if unknown := sorted(entry.keys() - _KEYS):
        raise RuleError(*(f"{where} has the unknown key `{key}`{did_you_mean(key, _KEYS)}" for key in unknown))
    texts = {key: _text(entry, key, where) for key in _TEXTS}
    name = texts["name"] or ""
    where = f"{where} ({name})" if name and name not in where else where
    kind = _kind(texts["kind"] or "call", where)
    _check_name(name, kind, where)
    parameters = _parameters(entry.get("parameters", []), where)
    if parameters and kind is not OriginKind.CALL:
        raise RuleError(f'{where} has parameters but is not called; set `kind = "call"` or take them out')
    value = texts["value"]
    if value is None and texts["returns"] is None:
        raise RuleError(
            f"{where} says neither `value` nor `returns`; give the expression it yields, or its type's name"
        )
    return Origin(
        name=name,
        kind=kind,
        value=value,
        parameters=parameters,
        returns=texts["returns"],
        vendors=_vendors(entry.get("vendors", []), where),
        needles=_needles(entry.get("needles", []), where),
        source=texts["source"] or "",
        doc=texts["doc"] or "",
        expression=None if value is None else _expression(value, [p.name for p in parameters], where),
    )


def _check_name(name: str, kind: OriginKind, where: str) -> None:
    owner, _, last = name.removeprefix("*.").rpartition(".")
    parts = [*owner.split("."), last] if owner else [last]
    index = kind is OriginKind.ITEM and last.isdigit()
    if "." not in name or not all(part.isidentifier() for part in (parts[:-1] if index else parts)):
        raise RuleError(f"{where}: `name` is not a dotted name; write it like `torch.cuda.get_device_capability`")


def _text(entry: Mapping[object, object], key: str, where: str) -> str | None:
    value = entry.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise RuleError(f"{where}: `{key}` is {value!r}; it takes a text in quotes")
    return value


def _kind(kind: str, where: str) -> OriginKind:
    known = [kind.value for kind in OriginKind]
    if kind not in known:
        raise RuleError(f"{where}: `kind` is `{kind}`; it takes one of {', '.join(known)}{did_you_mean(kind, known)}")
    return OriginKind(kind)


def _vendors(vendors: object, where: str) -> tuple[str, ...]:
    known = [vendor.value for vendor in Vendor]
    if not isinstance(vendors, list) or not all(vendor in known for vendor in vendors):
        raise RuleError(f"{where}: `vendors` is {vendors!r}; it takes a list of {' and '.join(known)}")
    return tuple(sorted(vendors))


def _needles(needles: object, where: str) -> tuple[str, ...]:
    if not isinstance(needles, list) or not all(isinstance(text, str) and text for text in needles):
        raise RuleError(f"{where}: `needles` is {needles!r}; it takes a list of texts that a file must hold one of")
    return tuple(needles)


def _parameters(parameters: object, where: str) -> tuple[Parameter, ...]:
    remedy = f'{where}: `parameters` is {parameters!r}; it takes a list such as ["capability", "device_id=0"]'
    if not isinstance(parameters, list) or not all(isinstance(text, str) for text in parameters):
        raise RuleError(remedy)
    found = []
    for text in parameters:
        name, equals, default = (part.strip() for part in text.partition("="))
        if not name.isidentifier():
            raise RuleError(remedy)
        try:
            found.append(Parameter(name, required=not equals, default=ast.literal_eval(default) if equals else None))
        except (ValueError, SyntaxError):
            raise RuleError(f"{where}: the default of `{name}` is not a constant: {default}") from None
    return tuple(found)


def _expression(value: str, parameters: Sequence[str], where: str) -> ast.expr:
    try:
        return parse_expression(value, parameters)
    except ExpressionError as error:
        raise RuleError(f"{where}: the value `{value}` {error}") from None


def _refuse_duplicates(origins: Sequence[Origin], file: Path) -> None:
    seen: set[tuple[str, OriginKind, tuple[str, ...]]] = set()
    for origin in origins:
        key = (origin.name, origin.kind, origin.vendors)
        if key in seen:
            raise RuleError(f"{file}: `{origin.name}` is declared twice; keep one, or give them different `vendors`")
        seen.add(key)
