"""Build the documentation site from the pages of the checkout and the program's own help; a broken link fails."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click
from mkdocs.commands.build import build
from mkdocs.config import load_config
from pygments.formatters import HtmlFormatter

from hwlint import __version__
from hwlint.cli.commands import hwlint
from hwlint.hardware.show import archs_table
from hwlint.hardware.table import load
from hwlint.model.rule import Rule
from hwlint.report.matrix_html import render_matrix_html
from hwlint.rulebook.rules import load_rules
from hwlint.workflow.matrix import matrix
from hwlint.workflow.settings import load_settings

CHECKOUT = Path(__file__).resolve().parents[1]
SITE = CHECKOUT / "build" / "site"
EXAMPLE = CHECKOUT / "fixtures" / "symmetric_memory"

_GUIDES = {
    "Quick start": "index.md",
    "What works where": "docs/matrix.md",
    "What a change introduced": "docs/since.md",
    "From a crash to its cause": "docs/trace.md",
    "What is computed on a line": "docs/explain.md",
    "Confirming a fix": "docs/confirm.md",
    "Continuous integration": "docs/ci.md",
    "In the editor": "docs/editor.md",
    "From Python": "docs/api.md",
}
"""The guides in reading order; a page of docs/ that is named nowhere is listed after them."""
_INSIDE = ("docs/architecture.md", "docs/decisions.md", "docs/limitations.md", "CONTRIBUTING.md", "CHANGELOG.md")
_FENCE = re.compile(r"^(```|~~~|    )")
_RULE_ID = re.compile(r"(?<![`\w\[/-])(HW\d{3})(?![\w`\]-])")
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)")
_EXTERNAL = re.compile(r"""<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=["']?(?:https?:)?//""")


_THEME = """{% extends "base.html" %}
{% block libs %}<style id="hljs-light"></style><style id="hljs-dark"></style>{{ super() }}{% endblock %}
"""
"""The switch between light and dark counts on two elements that come with highlight.js, which is off."""


def main() -> int:
    """Build the site into build/site, or the folder given; return 0 where every link in it leads somewhere."""
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("folder", nargs="?", type=Path, help="where it is written; build/site, made anew, without it")
    folder = parser.parse_args().folder
    if folder is None and SITE.exists():
        shutil.rmtree(SITE)
    site = SITE if folder is None else folder.resolve()
    pages = build_site(site)
    sys.stdout.write(f"docs: {pages} pages in {site}\n")
    return 0


def build_site(site: Path) -> int:
    """Write the site and return how many pages it has; mkdocs' Abort, or SystemExit, where something is wrong."""
    with tempfile.TemporaryDirectory(prefix="hwlint-docs-") as scratch:
        sources = Path(scratch) / "pages"
        nav = _gather(sources)
        theme = Path(scratch) / "theme"
        theme.mkdir()
        (theme / "main.html").write_text(_THEME, encoding="utf-8")
        config = Path(scratch) / "mkdocs.yml"
        # JSON is YAML too.
        config.write_text(json.dumps(_settings(sources, theme, site, nav)), encoding="utf-8")
        loaded = load_config(str(config), strict=True)
        loaded.plugins.on_startup(command="build", dirty=False)
        build(loaded)
    written = sorted(site.rglob("*.html"))
    guilty = [str(page.relative_to(site)) for page in written if _EXTERNAL.search(page.read_text(encoding="utf-8"))]
    if guilty:
        raise SystemExit(f"docs: these pages load something from another host: {', '.join(guilty)}")
    return len(written)


def _settings(sources: Path, theme: Path, site: Path, nav: list[dict[str, object]]) -> dict[str, object]:
    return {
        "site_name": f"hwlint {__version__}",
        "docs_dir": str(sources),
        "site_dir": str(site),
        "use_directory_urls": False,  # the site works from a folder, without a server
        "theme": {
            "name": "mkdocs",
            "custom_dir": str(theme),
            "color_mode": "auto",
            "user_color_mode_toggle": True,
            "highlightjs": False,  # it would come from another host; Pygments colours at build time
            "navigation_depth": 3,
        },
        "extra_css": ["code.css"],
        "plugins": ["search"],
        "markdown_extensions": [
            "tables",
            "fenced_code",
            {"codehilite": {"guess_lang": False}},
            {"toc": {"permalink": True}},
        ],
        "validation": {
            "nav": {"omitted_files": "warn", "not_found": "warn", "absolute_links": "warn"},
            "links": {"not_found": "warn", "anchors": "warn", "absolute_links": "warn", "unrecognized_links": "warn"},
        },
        "nav": nav,
    }


def _gather(folder: Path) -> list[dict[str, object]]:
    """Write every page below `folder` under the name it has in the checkout; return the navigation."""
    folder.mkdir()
    rules = load_rules(()).rules
    names = {rule.id: f"rules/{rule.id}-{rule.name}.md" for rule in rules}
    _write(folder, "index.md", (CHECKOUT / "README.md").read_text(encoding="utf-8"), names)
    for name in _INSIDE:
        _write(folder, name, (CHECKOUT / name).read_text(encoding="utf-8"), names)
    guides = dict(_GUIDES)
    for page in sorted((CHECKOUT / "docs").glob("*.md")):
        name = f"docs/{page.name}"
        if name not in _INSIDE:
            text = page.read_text(encoding="utf-8")
            _write(folder, name, text, names)
            if name not in guides.values():
                guides[text.partition("\n")[0].removeprefix("# ")] = name
    guides = {title: name for title, name in guides.items() if (folder / name).is_file()}
    for rule in rules:
        _write(folder, names[rule.id], _rule_page(rule), names)
    _write(folder, "rules/index.md", "\n".join(_rule_list(rules, names)), names)
    samples = {page.parent.name: f"fixtures/{page.parent.name}/README.md" for page in _sample_pages()}
    for name in samples.values():
        _write(folder, name, (CHECKOUT / name).read_text(encoding="utf-8"), names)
    _write(folder, "reference/commands.md", "\n".join(_commands()), names)
    catalogue = load()
    table = archs_table(catalogue, catalogue.architectures, 160)
    _write(folder, "reference/architectures.md", f"# Architectures\n\n```text\n{table}```\n", names)
    (folder / "reference" / "matrix.html").write_text(_example_matrix(), encoding="utf-8")
    (folder / "code.css").write_text(_code_style(), encoding="utf-8")
    return [
        {"Guide": [{title: name} for title, name in guides.items()]},
        {"Rules": [{"All rules": "rules/index.md"}, *({f"{each.id} {each.name}": names[each.id]} for each in rules)]},
        {
            "Reference": [
                {"Commands": "reference/commands.md"},
                {"Architectures": "reference/architectures.md"},
                {"Limitations": "docs/limitations.md"},
                {"Samples": [{name: page} for name, page in samples.items()]},
            ]
        },
        {
            "Inside": [
                {"The map": "docs/architecture.md"},
                {"Decisions": "docs/decisions.md"},
                {"Working on hwlint": "CONTRIBUTING.md"},
                {"Changes": "CHANGELOG.md"},
            ]
        },
    ]


def _write(folder: Path, name: str, text: str, rules: dict[str, str]) -> None:
    """Write one page with its links as the site needs them."""
    up = "../" * name.count("/")

    def leading_somewhere(match: re.Match[str]) -> str:
        target = match[1].rstrip("/")
        place = (CHECKOUT / name).parent / target
        if name == "index.md":
            place = CHECKOUT / target
        if place.is_dir() and (place / "README.md").is_file():
            return f"{target}/README.md"
        return "index.md" if target == "README.md" else target

    def linked(match: re.Match[str]) -> str:
        page = rules.get(match[1])
        return match[1] if page in (None, name) else f"[{match[1]}]({up}{page})"

    lines = []
    fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith(("```", "~~~"))
        if not fenced and not _FENCE.match(line):
            line = _LINK.sub(leading_somewhere, line)
            if not line.startswith("#"):
                line = _RULE_ID.sub(linked, line)
        lines.append(line)
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rule_page(rule: Rule) -> str:
    about = f"**{rule.id} {rule.name}** · {rule.level.value} · precision {rule.info.precision}"
    fixes = f" · fixes: {', '.join(rule.fixes)}" if rule.fixes else ""
    title, _, body = rule.info.help_markdown.partition("\n")
    return f"{title}\n\n{about}{fixes}\n{body}"


def _rule_list(rules: tuple[Rule, ...], names: dict[str, str]) -> Iterator[str]:
    yield "# Rules\n"
    yield "One page for each: what it flags, what it leaves alone, how to mend it. Every example is a test.\n"
    yield "| rule | name | level | what |"
    yield "| --- | --- | --- | --- |"
    for rule in rules:
        page = names[rule.id].removeprefix("rules/")
        yield f"| [{rule.id}]({page}) | {rule.name} | {rule.level.value} | {rule.info.title} |"


def _commands() -> Iterator[str]:
    context = click.Context(hwlint, info_name="hwlint", max_content_width=100, terminal_width=100)
    yield "# Commands\n"
    yield f"```text\n{hwlint.get_help(context)}\n```\n"
    for name in hwlint.list_commands(context):
        command = hwlint.get_command(context, name)
        assert command is not None
        inner = click.Context(command, info_name=name, parent=context, max_content_width=100, terminal_width=100)
        yield f"## hwlint {name}\n"
        yield f"```text\n{command.get_help(inner)}\n```\n"
    yield "An example of the page that `hwlint matrix --output-format html` writes: [matrix.html](matrix.html).\n"


def _example_matrix() -> str:
    made = matrix([EXAMPLE], load_settings([EXAMPLE]), jobs=1, use_cache=False)
    return render_matrix_html(made, lambda path: (EXAMPLE / path).read_text(encoding="utf-8"), title=EXAMPLE.name)


def _sample_pages() -> list[Path]:
    return sorted((CHECKOUT / "fixtures").glob("*/README.md"))


def _code_style() -> str:
    light = HtmlFormatter(style="default").get_style_defs(".codehilite")
    dark = HtmlFormatter(style="github-dark").get_style_defs('[data-bs-theme="dark"] .codehilite')
    return f"{light}\n{dark}\n.codehilite {{ background: none; }}\n"


if __name__ == "__main__":
    sys.exit(main())
