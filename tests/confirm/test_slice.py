"""A slice holds the definitions that a name needs, across modules, at their own lines, and nothing else."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from hwlint.confirm.layout import Layout
from hwlint.confirm.project import Project
from hwlint.confirm.slicing import Slice, cut


@pytest.fixture
def slice_of(tmp_path: Path) -> Callable[..., Slice]:
    def run(files: dict[str, str], path: str, *names: str) -> Slice:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(textwrap.dedent(text))
        return cut(Project(tmp_path, Layout()), path, names)

    return run


def names(found: Slice) -> list[str]:
    return [f"{one.path}:{one.name}" for one in found.definitions]


def test_a_constant_brings_the_constants_and_the_changes_that_make_it(slice_of: Callable[..., Slice]) -> None:
    text = "import os\nMiB = 1 << 20\nT = {8: MiB}\nT[9] = 2 * MiB\nT.update({10: 1})\nprint(T)\nOTHER = os.sep\n"
    found = slice_of({"a.py": text}, "a.py", "T")
    kept = [line for line in found.files["a.py"].split("\n") if line.strip()]
    assert ["MiB = 1 << 20", "T = {8: MiB}", "T[9] = 2 * MiB", "T.update({10: 1})"] == kept


def test_every_definition_stays_at_its_line(slice_of: Callable[..., Slice]) -> None:
    text = "import os\n\n\nX = 1\nUNUSED = '''\n\n'''\n\ndef f():\n    return X\n"
    found = slice_of({"a.py": text}, "a.py", "f")
    lines = found.files["a.py"].split("\n")
    assert ("X = 1", "def f():") == (lines[3], lines[8])
    assert len(text.split("\n")) == len(lines)


def test_imports_are_followed_through_re_exports_and_stars(slice_of: Callable[..., Slice]) -> None:
    files = {
        "pkg/__init__.py": "from pkg.inner import *\nimport a_missing_package\n",
        "pkg/inner.py": "from .deep import T as TABLE, U\nV = 3\n",
        "pkg/deep.py": "T = 1\nU = 2\n",
        "a.py": "from pkg import TABLE\n",
    }
    found = slice_of(files, "a.py", "TABLE")
    assert ["pkg/deep.py:T"] == names(found)
    assert "a_missing_package" not in found.files["pkg/__init__.py"]
    assert "from .deep import T as TABLE" == found.files["pkg/inner.py"].strip()


def test_a_module_used_by_its_name_gives_only_what_is_used_of_it(slice_of: Callable[..., Slice]) -> None:
    files = {
        "pkg/t.py": "T = 1\nU = 2\n",
        "a.py": "import pkg.t\nfrom pkg import t as short\nX = pkg.t.T\nY = short.U\n",
    }
    assert ["a.py:X", "pkg/t.py:T"] == names(slice_of(files, "a.py", "X"))
    assert ["a.py:Y", "pkg/t.py:U"] == names(slice_of(files, "a.py", "Y"))


def test_a_class_keeps_the_members_asked_for_and_the_ones_they_use(slice_of: Callable[..., Slice]) -> None:
    text = """
        import unheard_of
        class Base:
            A = 1
            B = 2
        class C(Base):
            T = {8: 1}
            @property
            def major(self):
                return self.helper()
            def helper(self):
                return 9
            def heavy(self):
                return unheard_of.run()
    """
    found = slice_of({"a.py": text}, "a.py", "C.major", "C.A")
    assert ["a.py:Base.A", "a.py:C.helper", "a.py:C.major"] == names(found)
    assert "unheard_of" not in found.files["a.py"]
    compile(found.files["a.py"], "a.py", "exec")


def test_a_bare_class_has_an_empty_body(slice_of: Callable[..., Slice]) -> None:
    found = slice_of({"a.py": "class C:\n    '''Doc.'''\n    x = undefined_thing()\n"}, "a.py", "C.")
    space: dict[str, object] = {}
    exec(found.files["a.py"], space)  # noqa: S102  # the slice has to run
    assert "C" in space


def test_a_name_that_nobody_defines_is_reported_missing(slice_of: Callable[..., Slice]) -> None:
    assert ("a.py: T",) == slice_of({"a.py": "X = 1\n"}, "a.py", "T").missing


def test_the_hash_of_a_definition_changes_with_its_text_alone(slice_of: Callable[..., Slice]) -> None:
    first = slice_of({"a.py": "T = {8: 1}\n"}, "a.py", "T").definitions[0]
    moved = slice_of({"a.py": "# more\n\nT = {8: 1}\n"}, "a.py", "T").definitions[0]
    other = slice_of({"a.py": "T = {8: 2}\n"}, "a.py", "T").definitions[0]
    assert first.sha256 == moved.sha256 != other.sha256
    assert (1, 3) == (first.line, moved.line)


def test_names_and_columns_beyond_ascii_are_cut_where_they_stand(slice_of: Callable[..., Slice]) -> None:
    found = slice_of({"a.py": "é = 'ü'; T = {'ß': 'é'}\nU = 'ä'\n"}, "a.py", "T")
    assert "T = {'ß': 'é'}" in found.files["a.py"]
    assert "U" not in found.files["a.py"]


@pytest.mark.parametrize(
    ("module", "path", "layout"),
    [
        ("a.b.c", "a/b/c.py", Layout()),
        ("b.c", "src/b/c.py", Layout(inner="src")),
        ("top.b.c", "b/c.py", Layout(outer="top")),
        ("b", "b/__init__.py", Layout()),
    ],
)
def test_a_module_name_and_a_path_tell_the_layout(module: str, path: str, layout: Layout) -> None:
    assert layout == Layout.of(path, module)
    assert module == layout.module(path)


def test_the_layout_is_guessed_from_the_imports_that_exist(tmp_path: Path) -> None:
    root = tmp_path / "vendor"
    for path in ("python/pkg/a.py", "python/pkg/b.py", "top.py"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    assert Layout(inner="python") == Layout.guess(root, "python/pkg/a.py", "import os\nfrom pkg.b import x\n")
    inside = root / "python/pkg"
    assert Layout(outer="python/pkg") == Layout.guess(inside, "a.py", "from python.pkg.b import x\nimport json\n")
    assert Layout(outer="vendor") == Layout.guess(root, "top.py", "from vendor.python import pkg\n")
