"""What discovery lists, leaves out, and survives."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hwlint.model.errors import SettingsError, UsageError
from hwlint.source.discover import discover

Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes files (path or path=content) below a fresh folder and returns that folder."""

    def build(*paths: str, **contents: str) -> Path:
        root = tmp_path / "project"
        for path, content in {**dict.fromkeys(paths, ""), **contents}.items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content)
        return root

    return build


def test_files_are_sorted_posix_paths_below_the_root(make: Make) -> None:
    root = make("b/two.py", "a.py", "b/one.py", "b/data.txt", "script", "stub.pyi")
    assert discover(root).files == ("a.py", "b/one.py", "b/two.py")


def test_given_paths_limit_the_list_and_overlap_without_doubling(make: Make) -> None:
    root = make("a.py", "b/one.py", "b/two.py", "c/three.py")
    assert discover(root, [root / "b", root / "b/one.py", root / "c"]).files == ("b/one.py", "b/two.py", "c/three.py")


@pytest.mark.parametrize(
    ("name", "why"), [("n.ipynb", "a notebook"), ("m.pyi", "a stub file"), ("script", "not a Python source file")]
)
def test_a_file_given_by_name_that_is_not_read_is_a_failure_that_says_why(make: Make, name: str, why: str) -> None:
    root = make(name)
    found = discover(root, [root / name])
    assert () == found.files
    assert [name] == [failure.path for failure in found.failures]
    assert why in found.failures[0].message
    assert () == discover(root).failures


def test_folders_named_like_packages_stay_in_and_tool_folders_go(make: Make) -> None:
    root = make(
        "build/a.py", "dist/b.py", "venv/c.py", ".venv/d.py", "node_modules/e.py", "__pycache__/f.py", ".tox/g.py"
    )
    assert discover(root).files == ("build/a.py", "dist/b.py", "venv/c.py")


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_an_environment_is_known_by_its_contents(make: Make, mark: str) -> None:
    root = make("a.py", f"whatever/{mark}", "whatever/lib/b.py")
    assert discover(root).files == ("a.py",)
    assert discover(root, [root / "whatever"]).files == ("whatever/lib/b.py",)


def test_exclude_takes_patterns_relative_to_the_root_and_takes_back_with_an_exclamation_mark(make: Make) -> None:
    root = make("keep/a.py", "gen/b.py", "gen/sub/c.py", ".tox/d.py", "deep/gen.py")
    assert discover(root, exclude=["/gen/", "!.tox/"]).files == (".tox/d.py", "deep/gen.py", "keep/a.py")


def test_a_folder_given_by_name_is_entered_although_excluded_unless_forced(make: Make) -> None:
    root = make("gen/b.py", "gen/__pycache__/c.py", "a.py")
    assert discover(root, [root / "gen"], exclude=["gen/"]).files == ("gen/b.py",)
    assert discover(root, [root / "gen"], exclude=["gen/"], force_exclude=True).files == ()
    assert discover(root, [root / "gen/b.py"], exclude=["gen/"]).files == ("gen/b.py",)
    assert discover(root, [root / "gen/b.py"], exclude=["gen/"], force_exclude=True).files == ()


def test_an_unusable_exclude_pattern_is_a_settings_error(make: Make) -> None:
    with pytest.raises(SettingsError, match="exclude"):
        discover(make("a.py"), exclude=["*a*a*a*a*a*a*b"])


def test_a_missing_path_is_a_usage_error_that_names_the_nearest(make: Make) -> None:
    root = make("package/a.py")
    with pytest.raises(UsageError, match="did you mean `package`"):
        discover(root, [root / "pakage"])


IGNORES = {
    ".gitignore": "*_gen.py\n!keep_gen.py\n/out/\nsub/only_here.py\n",
    "sub/.gitignore": "!back_gen.py\nlocal.py\n",
    "a_gen.py": "",
    "keep_gen.py": "",
    "out/x.py": "",
    "deep/out/y.py": "",
    "sub/only_here.py": "",
    "sub/back_gen.py": "",
    "sub/local.py": "",
    "local.py": "",
    "other/sub/only_here.py": "",
}


def test_nested_gitignore_files_count_as_in_git(make: Make) -> None:
    root = make(**IGNORES)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".git/info/exclude").write_text("/other/\n")
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "--others", "--exclude-standard", "*.py"],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull},
    )
    expected = ("deep/out/y.py", "keep_gen.py", "local.py", "sub/back_gen.py")
    assert tuple(sorted(listed.stdout.split())) == expected
    assert discover(root).files == expected
    assert "a_gen.py" in discover(root, respect_gitignore=False).files


def test_a_gitignore_above_the_start_still_counts(make: Make) -> None:
    root = make(**IGNORES)
    (root / ".git").mkdir()
    assert discover(root, [root / "sub"]).files == ("sub/back_gen.py",)
    assert discover(root / "sub").files == ("back_gen.py",)
    assert discover(root, [root / "out"]).files == ("out/x.py",)  # named by the user
    assert discover(root / "out").files == ("x.py",)  # a project in an ignored folder is still a project


def test_an_inner_repository_is_not_bound_by_the_outer_one(make: Make) -> None:
    root = make("inner/.git/HEAD", "inner/a_gen.py", "b_gen.py", **{".gitignore": "*_gen.py"})
    assert discover(root).files == ("inner/a_gen.py",)


def test_a_gitignore_pattern_made_to_hang_is_skipped_and_reported(make: Make) -> None:
    root = make("a" * 200 + ".py", **{".gitignore": "*a*a*a*a*a*a*a*a*a*a*b\n"})
    found = discover(root)
    assert len(found.files) == 1
    assert [failure.path for failure in found.failures] == [".gitignore"]


def test_links_are_listed_apart_and_loops_end(make: Make, tmp_path: Path) -> None:
    root = make("pkg/a.py")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.py").write_text("")
    (root / "pkg/loop").symlink_to(root)
    (root / "self").symlink_to(root / "self")
    (root / "alias").symlink_to(root / "pkg")
    (root / "alias.py").symlink_to(root / "pkg/a.py")
    (root / "escape").symlink_to(tmp_path / "outside")
    (root / "escape.py").symlink_to(tmp_path / "outside/secret.py")
    (root / "dangling.py").symlink_to(root / "nothing.py")
    found = discover(root)
    assert found.files == ("pkg/a.py",)
    assert found.failures == ()
    assert ("alias", "pkg") in found.links
    assert ("alias.py", "pkg/a.py") in found.links
    assert not [link for link in found.links if "escape" in link[0]]


def test_a_given_link_counts_under_the_name_of_its_target_and_may_not_leave_the_root(
    make: Make, tmp_path: Path
) -> None:
    root = make("pkg/a.py")
    (tmp_path / "outside.py").write_text("")
    (root / "alias.py").symlink_to(root / "pkg/a.py")
    (root / "escape.py").symlink_to(tmp_path / "outside.py")
    found = discover(root, [root / "alias.py", root / "escape.py"])
    assert found.files == ("pkg/a.py",)
    assert [failure.path for failure in found.failures] == ["escape.py"]


def test_a_root_that_is_a_link_is_resolved(make: Make, tmp_path: Path) -> None:
    root = make("pkg/a.py")
    (tmp_path / "link").symlink_to(root)
    assert discover(tmp_path / "link", [tmp_path / "link/pkg"]).files == ("pkg/a.py",)


def test_a_folder_that_cannot_be_listed_is_a_failure(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make("a.py", "locked/b.py")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = discover(root)
    assert found.files == ("a.py",)
    assert [(failure.path, failure.line) for failure in found.failures] == [("locked", 1)]
    assert "Permission denied" in found.failures[0].message


def test_a_name_that_is_not_utf_8_is_a_failure_that_can_be_printed(make: Make) -> None:
    root = make("a.py")
    try:
        Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text("")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    found = discover(root)
    assert found.files == ("a.py",)
    assert found.failures[0].path.encode() == b"\\xff.py"


def test_special_files_are_not_listed(make: Make) -> None:
    root = make("a.py", "folder.py/b.py")
    os.mkfifo(root / "pipe.py")
    assert discover(root).files == ("a.py", "folder.py/b.py")


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["*.py", "!a.py", "/x/", "x/*", "!x/a.py", "**/y", "y/a.py", "a.*", "!y/", "#x", " "])))
def test_any_gitignore_gives_what_git_gives(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    root = tmp_path_factory.mktemp("any")
    for path in ("a.py", "b.py", "x/a.py", "x/y/a.py", "y/a.py", "y/b.py"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    (root / ".gitignore").write_text("\n".join(lines))
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    command = ["git", "-C", str(root), "-c", f"core.excludesFile={os.devnull}", "ls-files", "--others"]
    listed = subprocess.run([*command, "--exclude-standard", "*.py"], check=True, capture_output=True, text=True)
    assert discover(root).files == tuple(sorted(listed.stdout.split()))
