"""Which findings a comment or the configuration silences, and which comments are idle."""

from __future__ import annotations

import pytest

from hwlint.judge.suppressions import Upkeep, apply, apply_per_file_ignores
from hwlint.model.errors import SettingsError
from hwlint.model.finding import Certainty, Finding, Level, Suppression
from hwlint.model.span import Span
from hwlint.source.comments import suppressions
from hwlint.source.read import Text

RULES = {
    "HW101": "missing-key",
    "HW102": "hidden-miss",
    "HW901": "unused-suppression",
    "HW904": "malformed-suppression",
}


def _finding(line: int = 1, end_line: int = 0, rule: str = "HW101", path: str = "a.py", **facts: object) -> Finding:
    place = Span(path, line, 5, end_line or line, 9)
    targets = ("sm_120",)
    return Finding(
        rule, RULES[rule], Level.ERROR, Certainty.CERTAIN, "message", place, "f", targets, "KeyError: 12", facts=facts
    )


def _apply(
    source: str, *findings: Finding, ran: tuple[str, ...] | None = None
) -> tuple[list[str | None], list[Upkeep]]:
    comments = suppressions(Text("a.py", source, "utf-8", bom=False, digest=""))
    marked, upkeep = apply(findings, {"a.py": comments}, rules=RULES, ran=ran)
    assert len(marked) == len(findings)
    return [each.suppressed.kind if each.suppressed else None for each in marked], upkeep


@pytest.mark.parametrize("words", ["ignore", "ignore[HW101]", "ignore[missing-key]", "ignore[HW102, HW101]"])
def test_a_comment_on_the_line_silences_the_rules_it_names(words: str) -> None:
    kinds, _ = _apply(f"T[k]  # hwlint: {words}\nT[k]\n", _finding(1), _finding(2))
    assert kinds == ["comment", None]


def test_another_rule_is_not_silenced() -> None:
    kinds, upkeep = _apply("T[k]  # hwlint: ignore[HW102]\n", _finding(1))
    assert kinds == [None]
    assert [(each.rule, each.span.line) for each in upkeep] == [("HW901", 1)]


def test_a_comment_counts_anywhere_in_the_span_and_not_below_it() -> None:
    source = "f(\n  a,\n  b,  # hwlint: ignore\n)\n"
    assert _apply(source, _finding(2, 3))[0] == ["comment"]
    assert _apply(source, _finding(1, 2))[0] == [None]


def test_a_span_that_ends_at_a_line_start_does_not_reach_into_that_line() -> None:
    finding = _finding(1)
    whole_line = Span("a.py", 1, 1, 2, 1)
    comments = suppressions(Text("a.py", "a\nb  # hwlint: ignore\n", "utf-8", bom=False, digest=""))
    inside = Finding(**{name: getattr(finding, name) for name in finding.__slots__} | {"span": whole_line})
    assert apply([inside], {"a.py": comments}, rules=RULES)[0][0].suppressed is None


def test_a_comment_on_the_statements_first_line_counts() -> None:
    source = "x = f(  # hwlint: ignore[HW101]\n  a,\n  T[k],\n)\n"
    assert _apply(source, _finding(3))[0] == [None]
    assert _apply(source, _finding(3, statement_line=1))[0] == ["comment"]
    comments = {"a.py": suppressions(Text("a.py", source, "utf-8", bom=False, digest=""))}
    marked, _ = apply([_finding(3)], comments, {"a.py": {3: 1}}, rules=RULES)
    assert marked[0].suppressed == Suppression("comment", "# hwlint: ignore[HW101] in line 1")


def test_a_file_comment_silences_the_whole_file_and_no_other() -> None:
    kinds, upkeep = _apply(
        "# hwlint: ignore-file[HW101]\n", _finding(9), _finding(9, rule="HW102"), _finding(9, path="b.py")
    )
    assert kinds == ["file", None, None]
    assert upkeep == []


def test_each_idle_rule_of_a_comment_is_named() -> None:
    _, upkeep = _apply("T[k]  # hwlint: ignore[HW101, HW102]\n# hwlint: ignore\n", _finding(1))
    assert [(each.rule, each.span.line) for each in upkeep] == [("HW901", 1), ("HW901", 2)]
    assert "HW102" in upkeep[0].message
    assert "HW101" not in upkeep[0].message


def test_a_comment_for_a_rule_that_did_not_run_is_not_called_idle() -> None:
    source = "# hwlint: ignore[HW102]\n# hwlint: ignore\n"
    assert _apply(source, ran=("HW101",))[1] == []
    assert [each.span.line for each in _apply(source, ran=("HW101", "HW102"))[1]] == [1, 2]


def test_a_comment_can_be_kept_although_idle() -> None:
    assert _apply("# hwlint: ignore[HW101, HW901]\n")[1] == []


def test_an_unknown_rule_and_a_malformed_comment_are_reported_with_what_was_meant() -> None:
    _, upkeep = _apply("# hwlint: ignore[missing-kye]\n# hwlint: ignore[\n")
    assert [(each.rule, each.span.line) for each in upkeep] == [("HW904", 1), ("HW904", 2)]
    assert "did you mean `missing-key`" in upkeep[0].message


def test_a_finding_suppressed_before_stays_so_and_uses_the_comment() -> None:
    finding = apply_per_file_ignores([_finding(1)], {"*.py": ["HW101"]})[0]
    comments = {"a.py": suppressions(Text("a.py", "T[k]  # hwlint: ignore\n", "utf-8", bom=False, digest=""))}
    marked, upkeep = apply([finding], comments, rules=RULES)
    assert marked == [finding]
    assert upkeep == []


@pytest.mark.parametrize(
    ("pattern", "selectors", "path", "expected"),
    [
        ("a.py", ["HW101"], "pkg/a.py", True),
        ("/a.py", ["HW101"], "pkg/a.py", False),
        ("tests/", ["ALL"], "tests/deep/a.py", True),
        ("**/gen/*.py", ["HW1"], "x/gen/a.py", True),
        ("*.py", ["missing-key"], "a.py", True),
        ("*.py", ["HW2", "HW1011", "hidden-miss", "H"], "a.py", False),
        ("*.pyi", ["ALL"], "a.py", False),
    ],
)
def test_per_file_ignores_mark_by_pattern_and_rule(
    pattern: str,
    selectors: list[str],
    path: str,
    expected: bool,  # noqa: FBT001
) -> None:
    marked = apply_per_file_ignores([_finding(path=path)], {pattern: selectors})
    assert (marked[0].suppressed is not None) is expected
    if expected:
        assert marked[0].suppressed == Suppression("configuration", f"per-file-ignores: {pattern}")


def test_an_unusable_pattern_is_a_settings_error() -> None:
    with pytest.raises(SettingsError, match="per-file-ignores"):
        apply_per_file_ignores([], {"*a*a*a*a*a*a*b": ["ALL"]})
