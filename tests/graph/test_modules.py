"""Check that modules are found by every name an import may use, from paths alone."""

from __future__ import annotations

import pytest

from hwlint.graph.modules import ModuleTable


def test_a_folder_names_a_module_whether_it_is_a_regular_package_or_not() -> None:
    table = ModuleTable.build(["app/__init__.py", "app/plain/tool.py", "app/regular/__init__.py"])
    assert table.find("app.plain.tool") == ("app/plain/tool.py",)
    assert table.find("app.regular") == ("app/regular/__init__.py",)
    assert table.name_of("app/plain/tool.py") == "app.plain.tool"
    assert table.name_of("app/regular/__init__.py") == "app.regular"


def test_a_namespace_package_has_a_folder_and_no_file() -> None:
    table = ModuleTable.build(["app/__init__.py", "app/plain/tool.py"])
    assert table.find("app.plain") == ()
    assert table.find_folders("app.plain") == ("app/plain",)


def test_a_source_folder_is_no_part_of_the_name() -> None:
    table = ModuleTable.build(["src/pkg/__init__.py", "src/pkg/a.py"])
    assert table.find("pkg.a") == ("src/pkg/a.py",)
    assert table.name_of("src/pkg/a.py") == "pkg.a"


def test_absolute_imports_work_when_the_root_is_the_package_itself() -> None:
    table = ModuleTable.build(["__init__.py", "core/utils.py"], root="/home/me/engine")
    assert table.find("engine.core.utils") == ("core/utils.py",)
    assert table.find("engine") == ("__init__.py",)
    assert table.name_of("core/utils.py") == "engine.core.utils"


def test_absolute_imports_work_when_the_root_lies_inside_the_package() -> None:
    table = ModuleTable.build(["layers/moe.py"], root="/home/me/engine/core")
    assert table.find("engine.core.layers.moe") == ("layers/moe.py",)


def test_another_package_is_not_mistaken_for_a_folder_of_ours() -> None:
    table = ModuleTable.build(["__init__.py", "cuda.py", "layers/triton/__init__.py"], root="/home/me/engine")
    assert table.find("torch.cuda") == ()
    assert table.find("triton") == ()


def test_a_tail_of_two_names_is_enough_where_the_root_is_not_known() -> None:
    table = ModuleTable.build(["__init__.py", "core/utils.py", "cuda.py"])
    assert table.find("engine.core.utils") == ("core/utils.py",)
    assert table.find("torch.cuda") == ()


def test_a_script_finds_the_module_beside_it_and_others_do_not() -> None:
    table = ModuleTable.build(["bench/helper.py", "bench/run.py", "pkg/__init__.py", "pkg/a.py"])
    assert table.find("helper", "bench/run.py") == ("bench/helper.py",)
    assert table.find("helper", "pkg/a.py") == ()


def test_the_importers_own_tree_comes_first() -> None:
    paths = ["one/kit/__init__.py", "one/main.py", "two/kit/__init__.py", "two/main.py"]
    table = ModuleTable.build(paths)
    assert table.find("kit", "two/main.py") == ("two/kit/__init__.py", "one/kit/__init__.py")
    assert table.find("kit", "one/main.py") == ("one/kit/__init__.py", "two/kit/__init__.py")


def test_a_package_wins_over_a_module_of_the_same_name() -> None:
    table = ModuleTable.build(["pkg/__init__.py", "pkg/a.py", "pkg/a/__init__.py"])
    assert table.find("pkg.a") == ("pkg/a/__init__.py",)


@pytest.mark.parametrize(
    ("importer", "level", "module", "expected"),
    [
        ("p/q/a.py", 1, "b", ("p/q/b.py",)),
        ("p/q/a.py", 1, "", ("p/q/__init__.py",)),
        ("p/q/__init__.py", 1, "b", ("p/q/b.py",)),
        ("p/q/a.py", 2, "top", ("p/top.py",)),
        ("p/q/a.py", 2, "q.b", ("p/q/b.py",)),
        ("p/q/a.py", 3, "p.top", ("p/top.py",)),
        ("p/q/a.py", 4, "top", ()),
        ("p/q/a.py", 1, "missing", ()),
    ],
)
def test_relative_imports_count_their_dots(importer: str, level: int, module: str, expected: tuple[str, ...]) -> None:
    table = ModuleTable.build(["p/__init__.py", "p/q/__init__.py", "p/q/a.py", "p/q/b.py", "p/top.py"])
    assert expected == table.relative(importer, level, module)


def test_other_files_than_python_are_no_modules() -> None:
    table = ModuleTable.build(["a.py", "csrc/b.cu", "pyproject.toml"])
    assert table.paths == ("a.py",)
    assert not table.is_folder("csrc")


def test_a_symbolic_link_to_a_file_or_a_folder_is_a_further_name_of_it() -> None:
    files = ["pkg/__init__.py", "real/limits.py", "real/inner/deep.py", "pkg/own.py"]
    links = [("pkg/limits.py", "real/limits.py"), ("pkg/sub", "real"), ("pkg/own.py", "real/limits.py")]
    table = ModuleTable.build(files, links=links)
    assert table.find("pkg.limits") == ("real/limits.py",)
    assert table.find("pkg.sub.inner.deep") == ("real/inner/deep.py",)
    assert table.find("pkg.own") == ("pkg/own.py",)
    assert table.paths == tuple(files)


def test_a_link_to_the_folder_that_it_lies_in_goes_round_once() -> None:
    table = ModuleTable.build(["pkg/__init__.py", "pkg/a.py"], links=[("pkg/again", "pkg"), ("whole", ".")])
    assert table.find("pkg.again.a") == ("pkg/a.py",)
    assert table.find("whole.pkg.a") == ("pkg/a.py",)
    assert table.find("pkg.again.again.a") == ()
