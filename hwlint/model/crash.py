"""Describe what a log tells of a crash, and how a source tree explains it."""

from __future__ import annotations

from dataclasses import dataclass

from hwlint.model.finding import Finding, TraceStep
from hwlint.model.span import Span


@dataclass(frozen=True, slots=True)
class Frame:
    """One line of a traceback: the file as the crashed machine named it, its line, the function and the source text.

    `line` is 0 and the texts are empty where the log does not tell. `log_line` is where the log says it (1-based).
    """

    path: str
    line: int
    function: str
    text: str
    log_line: int


@dataclass(frozen=True, slots=True)
class Crash:
    """One exception of a log, with its frames, the outermost first; no frames where the log has lost them.

    `exception` is the type as written, with its modules, and empty where the log is cut before it. `details` are the
    lines of the message after its first. `follows` is the position of the exception that came before it in a chain,
    `times` how often the log has the same crash (each process of a group reports its own).
    """

    frames: tuple[Frame, ...]
    exception: str
    message: str
    log_line: int
    details: tuple[str, ...] = ()
    whole: bool = True
    """False where the beginning or the end is missing."""
    follows: int | None = None
    times: int = 1

    @property
    def type(self) -> str:
        """The exception's name without its modules: `OutOfResources`."""
        return self.exception.rpartition(".")[2]

    @property
    def said(self) -> str:
        """`KeyError: 12`, as the log's last line has it."""
        return f"{self.exception}: {self.message}" if self.message else self.exception


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one crash comes from; `reason` is empty where it is explained, and says why not where it is not.

    `steps` lead from the exception over the lookup, the attribute and the import to the definition. `targets` are the
    architectures that it must have been, `because` says what tells. `following` are the findings that the same
    architectures meet elsewhere in the tree, the worst first.
    """

    crash: Crash
    frame: Frame | None = None
    """The frame that explains it."""
    span: Span | None = None
    """Where that is in the tree."""
    symbol: str = ""
    headline: str = ""
    steps: tuple[TraceStep, ...] = ()
    targets: tuple[str, ...] = ()
    because: str = ""
    why: tuple[tuple[str, str], ...] = ()
    """What happens there on each architecture."""
    finding: Finding | None = None
    """The finding of check at this place, with its fixes; None where check reports nothing there."""
    advice: str = ""
    """What to do, where no finding has a fix."""
    following: tuple[Finding, ...] = ()
    reason: str = ""

    @property
    def is_explained(self) -> bool:
        """True where the cause is known."""
        return not self.reason
