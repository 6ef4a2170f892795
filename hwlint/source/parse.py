"""Parse a module with `ast`, and turn everything that can go wrong into a failure that says so."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from hwlint.model.report import Failure
from hwlint.source.lines import split_lines
from hwlint.source.read import Text
from hwlint.source.syntax import parse_tree

_PYTHON_2_MESSAGES = (
    "Missing parentheses in call to 'print'",
    "Missing parentheses in call to 'exec'",
    "leading zeros",
)
_PYTHON_2 = re.compile(
    r"""^\s*(?:
        print[ \t]+(?:["'\w%]|>>)                            # print "x", print >>stream, x
      | exec[ \t]+["'\w]                                    # exec code in scope
      | raise[ \t]+[\w.]+[ \t]*,                            # raise Error, "text"
      | except[ \t]+[\w.]+[ \t]*,[ \t]*[a-z_]\w*[ \t]*:     # except Error, e: (Python 3.14 has except A, B:)
    )
    | ^[^\#"']*(?:<>|\b[uU][rR]["'])                        # a <> b, ur"text"
    """,
    re.VERBOSE,
)
_NEVER_VALID = ("cannot assign to", "cannot delete")
"""How the messages begin that no later Python will take back, although LibCST reads such code."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A top-level statement that this interpreter's `ast` cannot read.

    `line` to `end_line` are its lines, with the blank ones and comments behind it.
    """

    line: int
    end_line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """A module as a tree.

    Statements in `skipped` are missing from `tree`: what depends on them is unknown for the reason given there.
    """

    text: Text
    tree: ast.Module
    skipped: tuple[Skipped, ...] = ()
    _cut: list[tuple[str, ...]] = field(default_factory=list, compare=False, repr=False)

    @property
    def lines(self) -> tuple[str, ...]:
        """The physical lines with their ends, cut where `ast` cuts them; most files are never asked."""
        if not self._cut:
            self._cut.append(split_lines(self.text.text))
        return self._cut[0]

    @property
    def path(self) -> str:
        """The file's path, POSIX and relative to the project root."""
        return self.text.path


def parse(text: Text, *, newer: bool = True) -> Parsed | Failure:
    """Parse `text`; never raises and never crashes the interpreter, whatever the text holds.

    Where the running interpreter is older than the syntax, the statements that it can read are kept and the others
    are listed in `skipped`. A file that no Python 3 reads is a Failure with the line that is to blame. Without `newer`
    that is any file which this interpreter does not read: to find out what a newer one would read takes seconds.
    """
    try:
        tree = parse_tree(text.text)
    except SyntaxError as error:
        return _recover(text, error) if newer else Failure(text.path, error.lineno or 1, f"syntax error: {error.msg}")
    except RecursionError:
        return Failure(text.path, 1, "nested too deeply for Python's own parser")
    except MemoryError:
        return Failure(text.path, 1, "nested too deeply, or too large, for Python's own parser")
    except ValueError as error:
        return Failure(text.path, 1, f"cannot be parsed: {error}")
    return Parsed(text, tree)


def _recover(text: Text, error: SyntaxError) -> Parsed | Failure:
    lines = split_lines(text.text)
    line = min(max(error.lineno or 1, 1), max(len(lines), 1))
    # The parser may stop one line late.
    if error.msg.startswith(_PYTHON_2_MESSAGES) or _has_python_2(lines[max(line - 2, 0) : line]):
        return _python_2(text, line, error)
    recovered = None
    if not error.msg.startswith(_NEVER_VALID) and not isinstance(error, IndentationError):
        from hwlint.source.recover import recover

        recovered = recover(text.text, lines)
    if recovered is None:
        if _has_python_2(lines):
            return _python_2(text, line, error)
        return Failure(text.path, line, f"syntax error: {error.msg}")
    tree, bad = recovered
    version = f"syntax newer than Python {sys.version_info.major}.{sys.version_info.minor}"
    return Parsed(text, tree, tuple(Skipped(start, end, f"{version} ({why})") for start, end, why in bad))


def _python_2(text: Text, line: int, error: SyntaxError) -> Failure:
    return Failure(text.path, line, f"Python 2 syntax, which hwlint does not read ({error.msg})")


def _has_python_2(lines: Sequence[str]) -> bool:
    return any(_PYTHON_2.search(each) for each in lines)
