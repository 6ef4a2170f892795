"""Read one rule page: TOML front matter between `+++` lines, a title, a summary, and six fixed sections."""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hwlint.model.errors import RuleError
from hwlint.model.finding import Level
from hwlint.model.rule import Rule, RuleInfo, RuleStatus
from hwlint.model.suggest import did_you_mean
from hwlint.rulebook.vocabulary import HEADINGS, MESSAGE_FIELDS, PRECISIONS, PREDICATES, RECIPES

_REQUIRED = ("id", "name", "level", "subject", "predicate", "message")
_OPTIONAL = ("fix", "precision", "tags", "default", "status", "params")
_ID = re.compile(r"[A-Z]{2,8}[0-9]{3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_HEADING = re.compile(r"^(#{1,2}) (.+?)[ \t]*$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```[ \t]*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Page:
    """A rule page taken apart: `front` is its front matter, `sections` maps each heading to its Markdown."""

    front: Mapping[str, Any]
    title: str
    summary: str
    sections: Mapping[str, str]
    markdown: str
    """The page without its front matter."""


def read_page(text: str, where: str) -> Page:
    """Take a rule page apart; raises RuleError, naming `where`, where its shape is not the fixed one."""
    front, body = _split_front_matter(text, where)
    masked = _FENCE.sub(lambda fence: " " * len(fence.group()), body)
    found = list(_HEADING.finditer(masked))
    if not found or found[0].group(1) != "#" or body[: found[0].start()].strip():
        raise RuleError(f"{where}: the page does not open with a `# Title`; write one below the front matter")
    if second := next((heading for heading in found[1:] if heading.group(1) == "#"), None):
        raise RuleError(f"{where}: `# {second.group(2)}` is a second title; use `##` for sections")
    names = tuple(heading.group(2) for heading in found[1:])
    if names != HEADINGS:
        raise RuleError(f"{where}: {_what_is_wrong(names)}; the sections are, in order: {', '.join(HEADINGS)}")
    ends = [heading.start() for heading in found[1:]] + [len(body)]
    parts = [body[heading.end() : end].strip() for heading, end in zip(found, ends, strict=True)]
    if "" in parts:
        empty = ("summary", *HEADINGS)[parts.index("")]
        raise RuleError(f"{where}: `{empty}` is empty; say it, or say why there is nothing to say")
    summary = " ".join(parts[0].split())
    return Page(front, found[0].group(2), summary, dict(zip(HEADINGS, parts[1:], strict=True)), body.strip() + "\n")


def rule_from_page(page: Page, where: str) -> Rule:
    """Return the rule that a page describes; raises RuleError, naming `where`, for a wrong or missing key."""
    front = page.front
    _check_keys(front, where)
    subject, predicate = _question(front, where)
    info = RuleInfo(
        id=_matching(front, "id", _ID, "HW101", where),
        name=_matching(front, "name", _NAME, "missing-key", where),
        level=Level(_one_of(front, "level", [level.value for level in Level], where)),
        title=page.title,
        summary=page.summary,
        help_text=plain_text(page.markdown),
        help_markdown=page.markdown,
        tags=_words(front, "tags", None, where),
        precision=_one_of({"precision": "high", **front}, "precision", PRECISIONS, where),
    )
    default, params = front.get("default", True), front.get("params", {})
    if not isinstance(default, bool) or not isinstance(params, dict):
        raise RuleError(f"{where}: `default` takes true or false, and `[params]` is a table")
    return Rule(
        info=info,
        subject=subject,
        predicate=predicate,
        message=_message(front, where),
        fixes=_words(front, "fix", RECIPES, where),
        default=default,
        status=RuleStatus(_one_of({"status": "active", **front}, "status", [s.value for s in RuleStatus], where)),
        params=params,
        path=where,
    )


def plain_text(markdown: str) -> str:
    """Return Markdown without its marks: headings, fences, emphasis and links become their words."""
    text = re.sub(r"^```.*\n", "", markdown, flags=re.MULTILINE)
    text = re.sub(r"^#{1,6} ", "", text, flags=re.MULTILINE)
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    return text.replace("**", "").replace("`", "")


def _split_front_matter(text: str, where: str) -> tuple[dict[str, Any], str]:
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if not text.startswith("+++\n") or (end := text.find("\n+++\n", 3)) < 0:
        raise RuleError(f"{where}: no front matter; open the page with TOML between two `+++` lines")
    try:
        return tomllib.loads(text[4 : end + 1]), text[end + 5 :]
    except tomllib.TOMLDecodeError as error:
        raise RuleError(f"{where}: the front matter is not TOML ({error})") from None


def _what_is_wrong(names: Sequence[str]) -> str:
    for name in names:
        if name not in HEADINGS:
            return f"`## {name}` is not one of the sections{did_you_mean(name, HEADINGS)}"
    if missing := [name for name in HEADINGS if name not in names]:
        return f"the section `## {missing[0]}` is missing"
    return "a section comes twice or out of order"


def _check_keys(front: Mapping[str, Any], where: str) -> None:
    known = (*_REQUIRED, *_OPTIONAL)
    if unknown := sorted(front.keys() - set(known)):
        raise RuleError(*(f"{where}: the unknown key `{key}`{did_you_mean(key, known)}" for key in unknown))
    if missing := [key for key in _REQUIRED if key not in front]:
        raise RuleError(f"{where}: the front matter lacks `{missing[0]}`; it needs {', '.join(_REQUIRED)}")


def _question(front: Mapping[str, Any], where: str) -> tuple[str, str]:
    subject = _one_of(front, "subject", list(PREDICATES), where)
    return subject, _one_of(front, "predicate", PREDICATES[subject], f"{where} (subject {subject})")


def _one_of(front: Mapping[str, Any], key: str, known: Sequence[str], where: str) -> str:
    value = front[key]
    if not isinstance(value, str) or value not in known:
        hint = did_you_mean(value, known) if isinstance(value, str) else ""
        raise RuleError(f"{where}: `{key}` is {value!r}; it takes one of {', '.join(known)}{hint}")
    return value


def _matching(front: Mapping[str, Any], key: str, pattern: re.Pattern[str], example: str, where: str) -> str:
    value = front[key]
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise RuleError(f"{where}: `{key}` is {value!r}; write it like `{example}`")
    return value


def _words(front: Mapping[str, Any], key: str, known: Mapping[str, str] | None, where: str) -> tuple[str, ...]:
    words = front.get(key, [])
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise RuleError(f"{where}: `{key}` is {words!r}; it takes a list of texts")
    for word in words:
        if known is not None and word not in known:
            raise RuleError(f"{where}: `{key}` has the unknown `{word}`{did_you_mean(word, known)}")
    return tuple(words)


def _message(front: Mapping[str, Any], where: str) -> str:
    message = front["message"]
    if not isinstance(message, str) or not message.strip():
        raise RuleError(f"{where}: `message` is {message!r}; it takes a text")
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(message) if field is not None]
    except ValueError as error:
        raise RuleError(f"{where}: `message` is not a template ({error}); write a brace as `{{{{`") from None
    for field in fields:
        if field not in MESSAGE_FIELDS:
            raise RuleError(f"{where}: `message` has the unknown field `{field}`{did_you_mean(field, MESSAGE_FIELDS)}")
    return message
