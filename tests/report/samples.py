"""Build small reports by hand, so that the writers are tested without the analysis."""

from __future__ import annotations

from dataclasses import replace

from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety, Suppression, TraceStep
from hwlint.model.report import Failure, Report, Summary, UnknownSite
from hwlint.model.rule import RuleInfo
from hwlint.model.span import Span

SIZES = "pkg/comm/sizes.py"
REDUCE = "pkg/comm/reduce.py"

SOURCES = {
    SIZES: """\
MiB = 1024 * 1024

MAX_SIZES = {
    9: {
        2: 64 * MiB,
        4: 32 * MiB,
        6: 64 * MiB,
        8: 64 * MiB,
    },
    10: {
        2: 8 * MiB,
        4: 32 * MiB,
        6: 128 * MiB,
        8: 128 * MiB,
    },
}
""",
    REDUCE: """\
import torch

from pkg.comm.sizes import MAX_SIZES


class Reducer:
    _WORLD_SIZES = {9: [4, 6, 8], 10: [6, 8]}

    def __init__(self, device):
        self.capability = torch.cuda.get_device_capability(device)[0]
        if self.capability < 9:
            return
        self.größe = MAX_SIZES[self.capability]
        self.buffer = torch.empty(
            MAX_SIZES[self.capability][2],
            dtype=torch.uint8,
        )
        label = "寸法"; size = MAX_SIZES.get(self.capability)
""",
}

RULES = (
    RuleInfo(
        id="HW101",
        name="missing-key",
        level=Level.ERROR,
        title="Lookup without an entry for an architecture",
        summary="A lookup by compute capability raises on an architecture that reaches it.",
        help_text="A table of values by compute capability has no entry for an architecture.",
        help_markdown="# HW101 missing-key\n\nA *table* has no entry for an architecture.\n",
        tags=("lookup", "crash"),
        uri="https://example.org/rules/HW101",
        precision="very-high",
    ),
    RuleInfo(
        id="HW102",
        name="hidden-miss",
        level=Level.NOTE,
        title="Default that hides a missing entry",
        summary="A default hides that an architecture has no entry.",
        help_text="The default stands in for an entry.",
        help_markdown="The default stands in for an entry.",
        tags=("lookup",),
    ),
)

MISSING = Finding(
    rule="HW101",
    name="missing-key",
    level=Level.ERROR,
    certainty=Certainty.CERTAIN,
    message="MAX_SIZES has no entry for compute capability 11 and 12",
    span=Span(REDUCE, 13, 22, 13, 48),
    symbol="Reducer.__init__",
    targets=("sm_110", "sm_120", "sm_121"),
    outcome="KeyError: 12",
    trace=(
        TraceStep(Span(REDUCE, 10, 27, 10, 67), "the major number of the compute capability is read here"),
        TraceStep(Span(REDUCE, 3, 1, 3, 38), "MAX_SIZES is imported from pkg.comm.sizes"),
        TraceStep(Span(SIZES, 3, 1, 16, 2), "MAX_SIZES is defined with keys 9 and 10"),
    ),
    related=(TraceStep(Span(REDUCE, 15, 13, 15, 39), "looked up again"),),
    why=(
        ("sm_80", "turned away by `self.capability < 9`"),
        ("sm_90", "Hit: {2: 67108864, ...}"),
        ("sm_110", "KeyError: 11"),
        ("sm_120", "KeyError: 12"),
        ("sm_121", "KeyError: 12"),
    ),
    table="MAX_SIZES",
    fixes=(
        Fix(
            title="Add the entry for 12 to MAX_SIZES",
            safety=Safety.UNSAFE,
            reason="the nearest architecture of an earlier generation that has an entry",
            donor="sm_100",
            edits=(Edit(Span(SIZES, 16, 1, 16, 1), "    12: {2: 8 * MiB},  # copied from sm_100\n"),),
        ),
        Fix(
            title="Ask the maintainers which size holds",
            safety=Safety.DISPLAY,
            reason="no entry is known to be right",
            edits=(),
        ),
    ),
    fingerprint="0011223344556677",
)

POSSIBLE = Finding(
    rule="HW105",
    name="none-used",
    level=Level.WARNING,
    certainty=Certainty.POSSIBLE,
    message="the missed `.get` gives None, which is then used: 100% of 12.x, see [sizes](0)",
    span=Span(REDUCE, 14, 9, 17, 10),
    symbol="Reducer.__init__",
    targets=("sm_120",),
    outcome="TypeError",
    fingerprint="8899aabbccddeeff",
)

HIDDEN = Finding(
    rule="HW102",
    name="hidden-miss",
    level=Level.NOTE,
    certainty=Certainty.CERTAIN,
    message="MAX_SIZES.get hides that 12 has no entry",
    span=Span(REDUCE, 18, 30, 18, 60),
    symbol="Reducer.__init__",
    targets=("sm_120",),
    outcome="Default",
    fingerprint="a1",
)

SUPPRESSED = replace(
    MISSING,
    span=Span(REDUCE, 15, 13, 15, 39),
    related=(),
    fixes=(),
    fingerprint="ffeeddccbbaa9988",
    suppressed=Suppression("comment", "reviewed with the vendor"),
)


def source(path: str) -> str | None:
    """Return the text of a sample file."""
    return SOURCES.get(path)


def make_report(
    *findings: Finding, unknown: tuple[UnknownSite, ...] = (), failures: tuple[Failure, ...] = ()
) -> Report:
    """Return a report that holds `findings` as given, unsorted, for the default targets of the samples."""
    return Report(
        version="0.1.0",
        targets=("sm_80", "sm_90", "sm_110", "sm_120", "sm_121"),
        findings=findings,
        unknown=unknown,
        failures=failures,
        summary=Summary(files=1404, parsed=12, error=99, warning=99, note=99, unknown=len(unknown), seconds=1.23456),
        root="/project",
    )


SAMPLE = make_report(
    HIDDEN,
    POSSIBLE,
    SUPPRESSED,
    MISSING,
    unknown=(
        UnknownSite("pkg/other.py", 7, "`arch` comes from the environment"),
        UnknownSite("pkg/comm/reduce.py", 40, "call of a compiled module"),
    ),
    failures=(Failure("pkg/broken.py", 3, "invalid syntax: unexpected indent"),),
)
