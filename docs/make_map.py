"""Write the list of modules in architecture.md from what each module says of itself."""

from __future__ import annotations

import ast
import sys
from itertools import groupby
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
PAGE = CHECKOUT / "docs" / "architecture.md"
BEGIN, END = "<!-- map: begin -->\n", "<!-- map: end -->\n"


def with_map(page: str) -> str:
    """Return the page with a fresh list between its two marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{_module_list()}{END}{after}"


def _module_list() -> str:
    files = sorted((CHECKOUT / "hwlint").rglob("*.py"), key=lambda file: (file.parent, file.name))
    parts = []
    for folder, members in groupby(files, key=lambda file: file.parent):
        rows = [f"- `{file.name}`: {_first_sentence(file)}\n" for file in members if file.name != "__init__.py"]
        opening = _first_sentence(folder / "__init__.py")  # none where the folder holds scripts and is no package
        paragraphs = [f"### {folder.relative_to(CHECKOUT).as_posix()}", opening, "".join(rows)]
        parts.append("\n" + "\n\n".join(filter(None, paragraphs)))
    return "".join(parts) + "\n"


def _first_sentence(file: Path) -> str:
    text = ast.get_docstring(ast.parse(file.read_bytes())) if file.is_file() else None
    return " ".join((text or "").partition("\n\n")[0].split())


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    fresh = with_map(page)
    PAGE.write_text(fresh, encoding="utf-8")
    sys.stdout.write("docs/architecture.md: " + ("as it was\n" if fresh == page else "written anew\n"))
