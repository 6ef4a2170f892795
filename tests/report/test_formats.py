"""The one door of the reports: formats, levels, suppressions, determinism."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from itertools import permutations

import pytest

from hwlint.model.errors import UsageError
from hwlint.model.finding import Level
from hwlint.report import Format, render
from tests.report.samples import HIDDEN, MISSING, POSSIBLE, RULES, SAMPLE, SUPPRESSED, make_report, source

PRINTED_FORMATS = (Format.TEXT, Format.FULL, Format.GITHUB, Format.SARIF, Format.GITLAB)


def test_an_unknown_format_is_a_usage_error_that_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"did you mean `sarif`.*known: text, full"):
        render(SAMPLE, "sarfi", rules=RULES, sources=source)


@pytest.mark.parametrize("fmt", Format)
def test_the_order_of_the_findings_does_not_change_a_byte(fmt: Format) -> None:
    orders = permutations((HIDDEN, POSSIBLE, SUPPRESSED, MISSING))
    written = {render(replace(SAMPLE, findings=order), fmt, rules=RULES, sources=source) for order in orders}
    assert len(written) == 1


@pytest.mark.parametrize("fmt", Format)
def test_a_finding_below_the_level_is_left_out(fmt: Format) -> None:
    quiet = render(make_report(HIDDEN), fmt, rules=(), sources=source)
    loud = render(make_report(HIDDEN), fmt, rules=(), sources=source, level=Level.NOTE)
    assert HIDDEN.message not in quiet
    assert HIDDEN.message in loud


@pytest.mark.parametrize("fmt", PRINTED_FORMATS)
def test_a_suppressed_finding_is_not_printed(fmt: Format) -> None:
    assert SUPPRESSED.message not in render(make_report(SUPPRESSED), fmt, rules=(), sources=source)


@pytest.mark.parametrize("fmt", Format)
def test_a_report_is_written_without_any_source_at_hand(fmt: Format) -> None:
    written = render(SAMPLE, fmt, rules=RULES, sources=lambda _: None, level=Level.NOTE)
    assert MISSING.message in written


@pytest.mark.parametrize("fmt", Format)
def test_a_report_without_findings_or_rules_is_written(fmt: Format) -> None:
    render(make_report(), fmt, rules=(), sources=source, statistics=True, show_unknown=True)


@pytest.mark.parametrize("fmt", Format)
def test_no_escape_sequence_of_a_source_reaches_the_terminal(fmt: Format) -> None:
    evil = "\x1b]0;owned\x07 \u202e\ud800 end"
    finding = replace(MISSING, message=evil, symbol=evil, outcome=evil, span=replace(MISSING.span, path="p\x1b.py"))
    written = render(make_report(finding), fmt, rules=RULES, sources=lambda _: evil + "\n" * 20)
    assert written.isascii() or not {"\x1b", "\x07", "\u202e", "\ud800"} & set(written)
    written.encode("utf-8")


def test_only_the_sarif_writer_loads_sarif_om() -> None:
    program = (
        "import sys; from tests.report.samples import *; from hwlint.report import Format, render\n"
        "for fmt in Format:\n"
        "    if fmt is not Format.SARIF: render(SAMPLE, fmt, rules=RULES, sources=source)\n"
        "assert not {'sarif_om', 'attr', 'jsonschema'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
