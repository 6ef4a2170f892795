"""Check the HTML page: that it needs nothing else, holds no markup of others, and works in a real Chromium."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hwlint.report.matrix_html import render_matrix_html
from tests.matrix.browser import Page, chromium, find_browser
from tests.matrix.projects import KERNELS, matrix_of, project

_EVIL = '\n\ndef evil():\n    return {9: "</script><script>alert(1)</script><!--"}[major()]\n'
_MOST_OPEN_SECONDS = 2.0
_MOST_FILTER_MS = 100.0
_TRIES = 5
"""Times are the best of so many: the machine that runs the tests has other things to do."""


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the project, or the one that HWLINT_MATRIX_PAGE names."""
    folder = project(tmp_path_factory.mktemp("page"), kernels=KERNELS + _EVIL)
    text = render_matrix_html(
        matrix_of(folder), lambda path: (folder / path).read_text(encoding="utf-8"), title="a <b>project</b>"
    )
    file = folder / "matrix.html"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def tab() -> Iterator[Page]:
    """A tab of a real browser; where there is none the tests are skipped."""
    program = find_browser()
    if program is None:
        pytest.skip("NOT TESTED: no Chromium on the path; install it, or set HWLINT_CHROMIUM")
    with chromium(program) as page:
        page.size(1400, 900)
        yield page


def rows_of(page: Page) -> list[str]:
    """Return the names of the rows that are shown."""
    found = page.value("[...document.querySelectorAll('.row .text')].map(e => e.textContent)")
    assert isinstance(found, list)
    return found


def typed(page: Page, text: str) -> float:
    """Put a text into the search field, wait for the painted answer, and return the milliseconds of work until then.

    They are those of the page's thread, whatever else the machine has to do.
    """
    before = page.work()
    page.value(
        f"(async s => {{ s.value = {json.dumps(text)}; s.dispatchEvent(new Event('input'));"
        " await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))); })"
        "(document.getElementById('search'))"
    )
    return 1000 * (page.work() - before)


def test_the_page_refers_to_nothing_outside_of_itself(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert [] == re.findall(r"""(?:src|href|url)\s*[=(]\s*["']?\w+:""", text)
    assert "default-src 'none'" in text


def test_code_under_check_is_data_and_never_markup(page_file: Path) -> None:
    text = page_file.read_text(encoding="utf-8")
    assert "alert(1)</script>" not in text
    assert "<title>a &lt;b&gt;project&lt;/b&gt;: hwlint matrix</title>" in text


def test_it_opens_without_a_complaint_and_without_a_request(tab: Page, page_file: Path) -> None:
    tab.requests.clear()
    tab.open(page_file)
    assert [] == tab.complaints
    assert {"file"} == {url.partition(":")[0] for url in tab.requests}
    assert ["kernels.py", "tile", "size"] == rows_of(tab)[:3]
    assert "open" not in rows_of(tab)


def test_search_status_and_comparison_narrow_the_rows(tab: Page, page_file: Path) -> None:
    tab.open(page_file)
    typed(tab, "only_hop")
    assert ["kernels.py", "only_hopper"] == rows_of(tab)
    typed(tab, "")
    tab.value("document.querySelector('[data-status=R]').click()")
    assert ["kernels.py", "only_hopper"] == rows_of(tab)
    tab.value("document.querySelector('[data-status=R]').click()")
    for name, architecture in (("first", "2"), ("second", "3")):
        tab.value(
            f"(s => {{ s.value = '{architecture}'; s.dispatchEvent(new Event('change')); }})"
            f"(document.getElementById('{name}'))"
        )
    assert {"kernels.py", "tile", "ladder", "evil", "Pool", "caught"} >= set(rows_of(tab))
    assert 2 == tab.value("document.querySelectorAll('.head [data-sort]').length")


def test_a_row_opens_by_keyboard_and_shows_source_and_trace(tab: Page, page_file: Path) -> None:
    tab.open(page_file)
    tab.press("/", text="/")
    assert "search" == tab.value("document.activeElement.id")
    typed(tab, "evil")
    tab.press("ArrowDown", code=40)
    tab.press("ArrowDown", code=40)
    tab.press("Enter", code=13, text="\r")
    more = tab.value("document.querySelector('.more')?.textContent ?? ''")
    assert "</script><script>alert(1)" in more
    assert "get_device_capability" in more
    assert 0 == tab.value("document.querySelectorAll('.more script').length")
    tab.press("ArrowLeft", code=37)
    assert tab.value("document.querySelector('.more') === null")


def test_an_architecture_heading_puts_what_fails_there_first(tab: Page, page_file: Path) -> None:
    tab.open(page_file)
    tab.value("document.querySelector('[data-sort=\"3\"]').click()")
    assert "tile" == rows_of(tab)[0]
    tab.open(page_file, hash_part="#sort=place")


def test_light_and_dark_follow_the_system_and_differ(tab: Page, page_file: Path) -> None:
    seen = {}
    for scheme in ("light", "dark"):
        tab.prefer(scheme)
        tab.open(page_file)
        seen[scheme] = tab.value("getComputedStyle(document.body).backgroundColor")
    assert {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 28)"} == seen
    tab.prefer("light")


def test_on_a_narrow_screen_the_end_of_a_path_and_every_number_can_be_read(tab: Page, page_file: Path) -> None:
    tab.size(390, 844)
    try:
        tab.open(page_file)
        tab.value(
            "document.querySelector('[data-kind=\"0\"] bdi').textContent = 'a/long/path/to/a/folder/of/kernels.py'"
        )
        shown = tab.value(
            "(text => [text.firstElementChild.getBoundingClientRect().right <= text.getBoundingClientRect().right + 1,"
            " text.scrollWidth > text.clientWidth])(document.querySelector('[data-kind=\"0\"] .text'))"
        )
        assert [True, True] == shown
        too_wide = (
            "[...document.querySelectorAll('.head button b')].filter(b => b.getBoundingClientRect().width >"
            " b.closest('[role=columnheader]').getBoundingClientRect().width).length"
        )
        assert 0 == tab.value(too_wide)
        assert tab.value("document.querySelector('.name').getBoundingClientRect().width < 390 / 2")
        tab.value("document.querySelector('[data-kind=\"2\"]').click()")
        assert tab.value("document.querySelector('.site').getBoundingClientRect().right <= 390")
    finally:
        tab.size(1400, 900)


def test_print_leaves_the_controls_out_and_keeps_the_colours(tab: Page, page_file: Path) -> None:
    tab.open(page_file)
    tab.prefer("light", media="print")
    assert "none" == tab.value("getComputedStyle(document.querySelector('.bar')).display")
    assert "exact" == tab.value("getComputedStyle(document.querySelector('.c')).printColorAdjust")
    tab.prefer("light")


def test_a_large_page_opens_within_two_seconds_and_paints_a_filter_within_a_tenth(tab: Page, tmp_path: Path) -> None:
    named = os.environ.get("HWLINT_MATRIX_PAGE")
    file = Path(named) if named else _large(tmp_path)
    opened = min(tab.open(file) for _ in range(_TRIES))
    assert opened < _MOST_OPEN_SECONDS
    slowest = 0.0
    for word in ("a", "tile", "kernel module_1", "nothing has this name", ""):
        times = []
        for _ in range(_TRIES):
            typed(tab, "zz")
            times.append(typed(tab, word))
        slowest = max(slowest, min(times))
    assert slowest < _MOST_FILTER_MS


def _large(folder: Path) -> Path:
    """Write a page with a thousand functions in a hundred files."""
    from dataclasses import replace

    small = matrix_of(project(folder, kernels=KERNELS))
    rows = [replace(row, path=f"pkg/module_{n}/kernels.py") for n in range(100) for row in small.rows]
    file = folder / "large.html"
    text = render_matrix_html(replace(small, rows=tuple(rows)), lambda _: KERNELS, title="large")
    file.write_text(text, encoding="utf-8")
    return file


def test_what_is_out_of_sight_is_drawn_too_once_nobody_types(tab: Page, tmp_path: Path) -> None:
    tab.open(_large(tmp_path))
    waited = "new Promise(done => { const look = () => document.documentElement.dataset.waiting === '0'"
    tab.value(f"{waited} ? done(1) : setTimeout(look, 20); look(); }})")
    shown = str(tab.value("document.getElementById('count').textContent")).split()[0].replace(",", "")
    assert int(shown) <= len(rows_of(tab))
