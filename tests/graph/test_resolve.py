"""Check that a name leads to the places that define it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hwlint.graph.bindings import BindingKind
from hwlint.graph.resolve import Definition, External, Unresolved
from tests.graph.trees import Tree

TABLE = "TABLE = {9: 1, 10: 2}"


def test_a_name_is_followed_through_a_chain_of_re_exports() -> None:
    tree = Tree(
        {
            "pkg/__init__.py": "from .mid import LIMITS",
            "pkg/mid.py": "from pkg.deep.tables import TABLE as LIMITS",
            "pkg/deep/tables.py": TABLE,
            "app.py": "from pkg import LIMITS as L",
        }
    )
    (found,) = tree.resolver.resolve("app.py", "L")
    assert isinstance(found, Definition)
    assert (found.path, found.name, found.statements) == ("pkg/deep/tables.py", "TABLE", (0,))
    assert found.via == (("app.py", 1), ("pkg/__init__.py", 1), ("pkg/mid.py", 1))


def test_a_module_alias_leads_through_attributes() -> None:
    tree = Tree({"a/b.py": TABLE, "app.py": "import a.b as c\nimport a.b", "a/__init__.py": ""})
    assert tree.where("app.py", "c.TABLE") == ["a/b.py:TABLE"]
    assert tree.where("app.py", "a.b.TABLE") == ["a/b.py:TABLE"]


def test_a_namespace_package_leads_to_its_modules() -> None:
    tree = Tree({"a/b/c.py": TABLE, "app.py": "import a.b.c\nfrom a.b import c as d\nfrom a import b"})
    assert tree.where("app.py", "a.b.c.TABLE") == ["a/b/c.py:TABLE"]
    assert tree.where("app.py", "d.TABLE") == ["a/b/c.py:TABLE"]
    assert tree.where("app.py", "b.c.TABLE") == ["a/b/c.py:TABLE"]


def test_relative_imports_lead_up_and_sideways() -> None:
    tree = Tree(
        {
            "p/__init__.py": "TOP = 1",
            "p/q/__init__.py": "",
            "p/q/a.py": "from . import b\nfrom .b import TABLE\nfrom .. import TOP\nfrom ..r.s import DEEP",
            "p/q/b.py": TABLE,
            "p/r/s.py": "DEEP = 1",
        }
    )
    assert tree.where("p/q/a.py", "b.TABLE") == ["p/q/b.py:TABLE"]
    assert tree.where("p/q/a.py", "TABLE") == ["p/q/b.py:TABLE"]
    assert tree.where("p/q/a.py", "TOP") == ["p/__init__.py:TOP"]
    assert tree.where("p/q/a.py", "DEEP") == ["p/r/s.py:DEEP"]


def test_a_relative_import_of_something_missing_is_named_from_the_root() -> None:
    tree = Tree({"p/__init__.py": "", "p/a.py": "from ._C import op"})
    assert tree.where("p/a.py", "op") == ["p._C.op"]


def test_a_star_import_brings_public_names_only() -> None:
    tree = Tree({"m.py": "A = 1\n_B = 2", "app.py": "from m import *"})
    assert tree.where("app.py", "A") == ["m.py:A"]
    assert tree.where("app.py", "_B") == ["? _B is not bound in app.py"]


def test_dunder_all_decides_what_a_star_import_brings() -> None:
    tree = Tree({"m.py": "__all__ = ['_B']\nA = 1\n_B = 2", "app.py": "from m import *"})
    assert tree.where("app.py", "_B") == ["m.py:_B"]
    assert tree.where("app.py", "A") == ["? A is not bound in app.py"]


def test_star_imports_chain_and_a_later_binding_hides_them() -> None:
    tree = Tree({"a.py": "X = 1\nY = 1", "b.py": "from a import *", "app.py": "from b import *\nY = 2"})
    assert tree.where("app.py", "X") == ["a.py:X"]
    assert tree.where("app.py", "Y") == ["app.py:Y"]


def test_a_star_import_of_another_package_is_a_guess_that_built_ins_and_own_names_beat() -> None:
    tree = Tree({"m.py": "A = 1", "app.py": "from m import *\nfrom torch.nn import *"})
    assert tree.where("app.py", "A") == ["m.py:A"]
    assert tree.where("app.py", "len") == ["builtins.len"]
    assert tree.where("app.py", "Linear") == ["torch.nn.Linear"]


def test_both_sides_of_an_import_fallback_count_in_their_order() -> None:
    tree = Tree(
        {
            "fast.py": "def f(): ...",
            "app.py": "try:\n    from fast import f\nexcept ImportError:\n    f = None",
        }
    )
    assert tree.where("app.py", "f") == ["fast.py:f", "app.py:f"]


def test_an_import_for_type_checkers_counts_only_where_it_is_the_only_one() -> None:
    both = "if TYPE_CHECKING:\n    from a import X\nelse:\n    X = make()"
    tree = Tree({"a.py": "class X: ...", "both.py": both, "only.py": "if TYPE_CHECKING:\n    from a import X"})
    assert tree.where("both.py", "X") == ["both.py:X"]
    assert tree.where("only.py", "X") == ["a.py:X"]


def test_names_of_other_packages_are_external_with_their_full_name() -> None:
    tree = Tree(
        {"app.py": "import torch\nfrom torch.cuda import get_device_capability as cap\nimport torch.cuda as tc"}
    )
    assert tree.where("app.py", "torch.cuda.get_device_capability") == ["torch.cuda.get_device_capability"]
    assert tree.where("app.py", "cap") == ["torch.cuda.get_device_capability"]
    assert tree.where("app.py", "tc.get_device_name") == ["torch.cuda.get_device_name"]


def test_a_later_binding_that_always_runs_hides_the_earlier_ones() -> None:
    tree = Tree({"m.py": "X = 1", "app.py": "from m import X\nX = X + 1"})
    assert tree.where("app.py", "X") == ["app.py:X"]
    assert [one.path for one in tree.resolver.resolve("app.py", "X", before=1) if isinstance(one, Definition)] == [
        "m.py"
    ]


def test_the_statements_to_run_include_changes_in_place() -> None:
    tree = Tree({"m.py": "T = {}\nif flag:\n    T[9] = 1\nother = 2\nT.update({10: 2})"})
    (found,) = tree.resolver.resolve("m.py", "T")
    assert isinstance(found, Definition)
    assert (found.kind, found.statements, found.changed_elsewhere) == (BindingKind.VALUE, (0, 1, 3), False)


def test_a_change_inside_a_function_or_by_an_importer_is_told() -> None:
    tree = Tree({"m.py": "T = {}\ndef f():\n    T[1] = 2", "n.py": "U = {}", "app.py": "from n import U\nU[1] = 2"})
    assert [one.changed_elsewhere for one in tree.resolver.resolve("m.py", "T") if isinstance(one, Definition)] == [
        True
    ]
    assert [one.changed_elsewhere for one in tree.resolver.resolve("app.py", "U") if isinstance(one, Definition)] == [
        True
    ]


def test_a_submodule_is_an_attribute_of_its_package_unless_the_package_binds_the_name() -> None:
    tree = Tree({"p/__init__.py": "b = 3", "p/a.py": "X = 1", "p/b.py": "X = 1", "app.py": "from p import a, b"})
    assert tree.where("app.py", "a") == ["p/a.py"]
    assert tree.where("app.py", "b") == ["p/__init__.py:b"]


def test_a_class_member_is_looked_up_in_the_bases_too() -> None:
    tree = Tree(
        {
            "base.py": "class Base:\n    TABLE = {}\n    def m(self): ...",
            "app.py": "from base import Base\nclass C(Base):\n    OWN = 1\nclass D(C, torch.Module): ...\nimport torch",
        }
    )
    assert tree.where("app.py", "D.TABLE") == ["base.py:Base.TABLE"]
    assert tree.where("app.py", "D.OWN") == ["app.py:C.OWN"]
    assert tree.where("app.py", "D.forward") == ["torch.Module.forward"]
    assert tree.where("app.py", "C.nothing") == ["? neither class C in app.py nor its bases define nothing"]


def test_classes_that_inherit_from_each_other_do_not_hang() -> None:
    tree = Tree({"a.py": "from b import B\nclass A(B): ...", "b.py": "from a import A\nclass B(A): ..."})
    assert tree.where("a.py", "A.x") == ["? neither class A in a.py nor its bases define x"]


def test_modules_that_import_a_name_from_each_other_still_find_it() -> None:
    tree = Tree({"a.py": "try:\n    from b import X\nexcept ImportError:\n    X = 1", "b.py": "from a import X"})
    assert tree.where("a.py", "X") == ["a.py:X"]
    assert tree.where("b.py", "X") == ["a.py:X"]


def test_a_ring_of_three_hundred_modules_ends() -> None:
    ring = {f"m{n}.py": f"from m{(n + 1) % 300} import X\nfrom m{(n + 7) % 300} import *" for n in range(300)}
    assert Tree(ring).where("m0.py", "X") == ["? X is not bound in m0.py"]
    ring["m299.py"] = "X = 1"
    assert Tree(ring).where("m0.py", "X") == ["m299.py:X"]


def test_a_name_that_a_module_makes_up_says_which_module() -> None:
    tree = Tree({"p/__init__.py": "def __getattr__(name): ...", "app.py": "from p import current"})
    (found,) = tree.resolver.resolve("app.py", "current")
    assert isinstance(found, Unresolved)
    assert found.dynamic == "p/__init__.py"


def test_a_file_that_does_not_parse_is_a_reason_and_no_crash() -> None:
    tree = Tree({"bad.py": "def (", "app.py": "from bad import X"})
    assert tree.where("app.py", "X") == ["? bad.py could not be read"]


def test_an_import_statement_inside_a_function_can_be_resolved_by_itself() -> None:
    tree = Tree({"p/a.py": "", "p/b.py": TABLE})
    (table,) = tree.resolver.resolve_import("p/a.py", "b", 1, "TABLE", 7)
    assert table == Definition("p/b.py", "TABLE", BindingKind.VALUE, (0,), via=(("p/a.py", 7),))
    (module,) = tree.resolver.resolve_import("p/a.py", "p.b")
    assert isinstance(module, Definition)
    assert (module.path, module.kind) == ("p/b.py", BindingKind.MODULE)


def test_answers_do_not_read_files_that_no_import_leads_to() -> None:
    tree = Tree({"a.py": "from b import X", "b.py": "X = 1", "c.py": "X = 2"})
    tree.where("a.py", "X")
    assert tree.outlined == ["a.py", "b.py"]


_names = st.sampled_from(["X", "Y", "a", "b", "p"])
_modules = st.sampled_from(["a", "b", "p", "p.a", "p.q.b", "torch"])
_lines = st.one_of(
    st.builds("from {} import {}".format, _modules, _names),
    st.builds("from {} import {} as {}".format, _modules, _names, _names),
    st.builds("from {}{} import {}".format, st.sampled_from([".", ".."]), _names, _names),
    st.builds("from {} import *".format, _modules),
    st.builds("import {} as {}".format, _modules, _names),
    st.builds("import {}".format, _modules),
    st.builds("{} = 1".format, _names),
    st.builds("class {}({}): ...".format, _names, _names),
    st.builds("if c:\n    from {} import {}\nelse:\n    from {} import {}".format, _modules, _names, _modules, _names),
)
_files = ["a.py", "b.py", "p/__init__.py", "p/a.py", "p/q/b.py"]


@settings(max_examples=80, deadline=None)
@given(
    sources=st.fixed_dictionaries({path: st.lists(_lines, max_size=4).map("\n".join) for path in _files}),
    path=st.sampled_from(_files),
    dotted=st.lists(_names, min_size=1, max_size=3).map(".".join),
)
def test_every_question_ends_with_an_answer_that_does_not_depend_on_earlier_ones(
    sources: dict[str, str], path: str, dotted: str
) -> None:
    fresh = Tree(sources).resolver.resolve_attribute(path, dotted)
    asked = Tree(sources)
    for other in _files:
        for name in ("X", "Y", "a"):
            asked.resolver.resolve(other, name)
    assert fresh
    assert fresh == asked.resolver.resolve_attribute(path, dotted)
    assert all(isinstance(one, Definition | External | Unresolved) for one in fresh)
