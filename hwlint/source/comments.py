"""Read `# hwlint: ignore` comments."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from hwlint.model.span import Span
from hwlint.source.lines import split_lines
from hwlint.source.read import Text

MARK = "hwlint"
"""A file without these characters has no such comment, and is not cut into tokens."""

_DIRECTIVE = re.compile(r"\#[ \t]*hwlint[ \t]*:[ \t]*(?P<word>[\w-]*)(?P<rest>[^#]*)")
_RULES = re.compile(r"[ \t]*\[(?P<rules>[^\]\[]*)\]")
_RULE = re.compile(r"[A-Za-z][\w-]*")
_LOOKS_LIKE_RULE = re.compile(r"[ \t]*[\[(:=]?[ \t]*HW\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ignore:
    """One comment that silences findings: on its line, or in the whole file.

    `rules` are ids (upper case) and names (lower case) as the author wrote them, in order; empty means every rule.
    """

    span: Span
    rules: tuple[str, ...] = ()
    whole_file: bool = False


@dataclass(frozen=True, slots=True)
class Malformed:
    """A comment that addresses hwlint and says nothing it understands; it silences nothing."""

    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Comments:
    """The comments of one file, in their order."""

    path: str
    ignores: tuple[Ignore, ...] = ()
    malformed: tuple[Malformed, ...] = ()


def suppressions(text: Text) -> Comments:
    """Return the ignore comments of `text`; what looks like one inside a string is none.

    A file that cannot be cut into tokens to its end gives the comments up to there.
    """
    if MARK not in text.text:
        return Comments(text.path)
    ignores: list[Ignore] = []
    malformed: list[Malformed] = []
    for line, column, comment in _comments(text.text):
        for match in _DIRECTIVE.finditer(comment):
            end = match.start() + len(match.group().rstrip())
            place = Span(text.path, line, column + match.start(), line, column + end)
            read = _read(match["word"], match["rest"], place)
            if isinstance(read, Ignore):
                ignores.append(read)
            else:
                malformed.append(read)
    return Comments(text.path, tuple(ignores), tuple(malformed))


def _read(word: str, rest: str, place: Span) -> Ignore | Malformed:
    if word not in ("ignore", "ignore-file"):
        said = f"`{word}` is" if word else "nothing follows the colon, which is"
        return Malformed(place, f"{said} not understood; write `ignore`, `ignore[HW101]` or `ignore-file`")
    whole_file = word == "ignore-file"
    listed = _RULES.match(rest)
    if listed is None:
        if rest.lstrip().startswith("["):
            return Malformed(place, f"the list of rules does not end; write `{word}[HW101, HW102]`")
        if _LOOKS_LIKE_RULE.match(rest):
            return Malformed(place, f"rules stand in brackets: write `{word}[HW101, HW102]`")
        return Ignore(place, (), whole_file)
    rules = [rule.strip() for rule in listed["rules"].split(",")]
    if rules and not rules[-1]:
        rules.pop()
    if not rules:
        return Malformed(place, f"the list of rules is empty; write `{word}[HW101]`, or `{word}` for every rule")
    wrong = next((rule for rule in rules if not _RULE.fullmatch(rule)), None)
    if wrong is not None:
        return Malformed(place, f"`{wrong}` is neither a rule's id nor its name; separate rules by commas")
    return Ignore(place, tuple(dict.fromkeys(_spelling(rule) for rule in rules)), whole_file)


def _spelling(rule: str) -> str:
    return rule.upper() if re.fullmatch(r"[A-Za-z]+\d+", rule) else rule.lower()


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield line, column (both 1-based, columns in code points) and text of every comment."""
    # Only these three ends are lines to Python's parser; the tokenizer of some versions takes `\r` for an error.
    lines = iter([line.rstrip("\r\n") + "\n" if line[-1] in "\r\n" else line for line in split_lines(text)])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT and MARK in token.string:
                yield token.start[0], token.start[1] + 1, token.string
    except (tokenize.TokenError, SyntaxError, RecursionError):
        return
