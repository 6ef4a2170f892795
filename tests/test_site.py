"""Check that the documentation site builds, and that a broken link or anchor stops it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def maker() -> dict[str, Any]:
    """The names of the script that builds the site."""
    pytest.importorskip("mkdocs", reason="NOT TESTED: no mkdocs; pip install '.[dev]' brings it")
    return runpy.run_path(str(CHECKOUT / "docs" / "make_site.py"))


def test_the_site_has_a_page_for_every_rule_guide_and_command(maker: dict[str, Any], tmp_path: Path) -> None:
    assert maker["build_site"](tmp_path / "site") > 40
    pages = {file.relative_to(tmp_path / "site").as_posix() for file in (tmp_path / "site").rglob("*.html")}
    rules = {f"rules/{page.stem}.html" for page in (CHECKOUT / "rules").glob("HW*.md")}
    guides = {f"docs/{page.stem}.html" for page in (CHECKOUT / "docs").glob("*.md")}
    assert rules | guides | {"index.html", "reference/commands.html", "reference/matrix.html"} <= pages
    rule = (tmp_path / "site" / "rules" / "HW104-guards-disagree.html").read_text(encoding="utf-8")
    assert 'href="HW101-missing-key.html"' in rule or 'href="HW103-left-out-of-list.html"' in rule
    commands = (tmp_path / "site" / "reference" / "commands.html").read_text(encoding="utf-8")
    assert "--output-format" in commands


@pytest.mark.parametrize("link", ["[x](docs/nowhere.md)", "[x](docs/matrix.md#no-such-heading)", "[x](hwlint/no.py)"])
def test_a_link_that_leads_nowhere_stops_the_build(
    maker: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str
) -> None:
    gather = maker["_gather"]

    def with_bad_link(folder: Path) -> list[dict[str, object]]:
        nav = gather(folder)
        page = folder / "index.md"
        page.write_text(f"{page.read_text(encoding='utf-8')}\n{link}\n", encoding="utf-8")
        assert isinstance(nav, list)
        return nav

    from mkdocs.exceptions import Abort

    monkeypatch.setitem(maker["build_site"].__globals__, "_gather", with_bad_link)
    with pytest.raises(Abort):
        maker["build_site"](tmp_path / "site")
