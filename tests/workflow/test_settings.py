"""Check which configuration a run takes, and that a wrong one is refused with file, line and the nearest key."""

from __future__ import annotations

from pathlib import Path

import pytest

from hwlint.model.errors import SettingsError, UsageError
from hwlint.model.finding import Level
from hwlint.workflow.settings import load_settings, override

FULL = """
[tool.other]
targets = 3

[tool.hwlint]
targets = ["sm_90", "sm_120"]
select = ["HW101"]
ignore = ["HW102"]
extend-rules = ["house/rules"]
exclude = ["vendored/"]
level = "note"
baseline = "known.json"
floor = "sm_80"
cache-dir = "../cache"
include-tests = true

[tool.hwlint.per-file-ignores]
"old/*.py" = ["HW101", "HW202"]

[tool.hwlint.origins]
"house.device_sm" = "major * 10 + minor"

[tool.hwlint.architectures.sm_130]
capability = "13.0"
like = "sm_120"
"""


def write(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def refusal(file: Path, text: str) -> str:
    """Return the message that the configuration `text` is refused with."""
    write(file, text)
    with pytest.raises(SettingsError) as caught:
        load_settings([file.parent])
    return str(caught.value)


def test_every_key_of_a_pyproject_is_read(tmp_path: Path) -> None:
    file = write(tmp_path / "pyproject.toml", FULL)
    settings = load_settings([tmp_path])
    assert file == settings.file
    assert tmp_path == settings.root
    assert settings.targets == ("sm_90", "sm_120")
    assert settings.select == ("HW101",)
    assert settings.ignore == ("HW102",)
    assert settings.extend_rules == (tmp_path / "house" / "rules",)
    assert settings.exclude == ("vendored/",)
    assert settings.level is Level.NOTE
    assert settings.baseline == tmp_path / "known.json"
    assert settings.floor == "sm_80"
    assert settings.cache_dir == tmp_path.parent / "cache"
    assert settings.include_tests
    assert settings.per_file_ignores == {"old/*.py": ("HW101", "HW202")}
    assert settings.origins == {"house.device_sm": "major * 10 + minor"}
    assert settings.architectures == {"sm_130": {"capability": "13.0", "like": "sm_120"}}


def test_a_file_without_a_project_file_belongs_to_the_git_repository_around_it(tmp_path: Path) -> None:
    file = write(tmp_path / "src" / "pkg" / "mod.py")
    (tmp_path / ".git").mkdir()
    assert tmp_path == load_settings([file]).root
    assert tmp_path / "src" == load_settings([tmp_path / "src"]).root


def test_a_file_without_a_repository_belongs_to_the_folder_that_its_package_lies_in(tmp_path: Path) -> None:
    file = write(tmp_path / "outer" / "pkg" / "sub" / "mod.py")
    write(tmp_path / "outer" / "pkg" / "sub" / "__init__.py")
    write(tmp_path / "outer" / "pkg" / "__init__.py")
    assert tmp_path / "outer" == load_settings([file]).root
    alone = write(tmp_path / "alone" / "mod.py")
    assert tmp_path / "alone" == load_settings([alone]).root


def test_without_a_file_the_first_folder_is_the_root_and_the_defaults_hold(tmp_path: Path) -> None:
    write(tmp_path / "pkg" / "mod.py")
    settings = load_settings([tmp_path / "pkg"])
    assert settings.file is None
    assert settings.root == tmp_path / "pkg"
    assert settings.targets == ("current",)
    assert settings.level is Level.WARNING
    assert settings.cache_dir == tmp_path / "pkg" / ".hwlint_cache"


def test_a_hwlint_toml_needs_no_table_and_goes_before_the_pyproject_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.hwlint]\ntargets = ["sm_80"]\n')
    write(tmp_path / "hwlint.toml", 'targets = ["sm_90"]\n')
    assert load_settings([tmp_path]).targets == ("sm_90",)


def test_the_nearest_file_upward_from_a_given_file_wins(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.hwlint]\ntargets = ["sm_80"]\n')
    write(tmp_path / "inner" / "hwlint.toml", 'targets = ["sm_90"]\n')
    mod = write(tmp_path / "inner" / "pkg" / "mod.py")
    settings = load_settings([mod])
    assert settings.targets == ("sm_90",)
    assert settings.root == tmp_path / "inner"


def test_a_pyproject_without_our_table_does_not_hide_the_one_above_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.hwlint]\ntargets = ["sm_80"]\n')
    write(tmp_path / "inner" / "pyproject.toml", '[project]\nname = "inner"\n')
    settings = load_settings([tmp_path / "inner"])
    assert settings.targets == ("sm_80",)
    assert settings.root == tmp_path


def test_a_pyproject_without_our_table_still_marks_the_root(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[project]\nname = "plain"\n')
    mod = write(tmp_path / "pkg" / "mod.py")
    settings = load_settings([mod])
    assert settings.file is None
    assert settings.root == tmp_path


def test_isolated_reads_nothing(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.hwlint]\nnonsense = 1\n")
    settings = load_settings([tmp_path], isolated=True)
    assert settings.file is None
    assert settings.root == tmp_path


def test_a_named_configuration_leaves_the_root_where_the_code_is(tmp_path: Path) -> None:
    named = write(tmp_path / "ci" / "strict.toml", 'targets = ["all"]\nbaseline = "known.json"\n')
    write(tmp_path / "code" / "pyproject.toml", "[project]\n")
    settings = load_settings([tmp_path / "code"], config=named)
    assert settings.targets == ("all",)
    assert settings.root == tmp_path / "code"
    assert settings.baseline == tmp_path / "ci" / "known.json"


def test_two_folders_without_a_file_share_their_parent_as_root_but_not_its_other_folders(tmp_path: Path) -> None:
    for name in ("one", "two", "three"):
        write(tmp_path / name / "mod.py")
    settings = load_settings([tmp_path / "one", tmp_path / "two" / "mod.py"])
    assert settings.root == tmp_path
    assert settings.folders == (tmp_path / "one", tmp_path / "two")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('[tool.hwlint]\ntragets = ["sm_90"]\n', 2, "unknown key `tragets`; did you mean `targets`?"),
        (
            "[tool.hwlint]\n\nper_file_ignores = {}\n",
            3,
            "unknown key `per_file_ignores`; did you mean `per-file-ignores`?",
        ),
        ('[tool.hwlint]\ntargets = "sm_90"\n', 2, "`targets` must be a list of strings"),
        ("[tool.hwlint]\nexclude = [1]\n", 2, "`exclude` must be a list of strings"),
        (
            '[tool.hwlint]\nlevel = "eror"\n',
            2,
            "`level` is `eror`, but must be one of error, warning, note; did you mean `error`?",
        ),
        ('[tool.hwlint]\nfloor = ""\n', 2, "`floor` must be a string that is not empty"),
        ('[tool.hwlint]\ninclude-tests = "yes"\n', 2, "`include-tests` must be true or false"),
        (
            "[tool.hwlint]\nper-file-ignores = []\n",
            2,
            "`per-file-ignores` must be a table, [tool.hwlint.per-file-ignores]",
        ),
        ('[tool.hwlint.per-file-ignores]\n"x.py" = "HW101"\n', 1, "`per-file-ignores` must hold lists of strings"),
        (
            "[tool.hwlint.architectures]\nsm_130 = 3\n",
            1,
            "`architectures.sm_130` must be a table, [tool.hwlint.architectures.sm_130]",
        ),
        ('[[tool.hwlint.origins]]\nname = "x"\n', 1, "`origins` must be a table, [tool.hwlint.origins]"),
    ],
)
def test_a_wrong_configuration_is_refused_by_file_and_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    file = tmp_path / "pyproject.toml"
    assert f"{file}:{line}: {message}" == refusal(file, text)


def test_everything_that_is_wrong_in_a_configuration_is_told_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "hwlint.toml"
    write(file, 'tragets = ["sm_90"]\nlevel = "eror"\nselct = []\nexclude = "x"\n')
    with pytest.raises(SettingsError) as caught:
        load_settings([tmp_path])
    assert caught.value.messages == (
        f"{file}:1: unknown key `tragets`; did you mean `targets`?",
        f"{file}:2: `level` is `eror`, but must be one of error, warning, note; did you mean `error`?",
        f"{file}:3: unknown key `selct`; did you mean `select`?",
        f"{file}:4: `exclude` must be a list of strings",
    )


def test_an_unknown_key_like_no_other_is_answered_with_all_keys(tmp_path: Path) -> None:
    message = refusal(tmp_path / "hwlint.toml", "zzz = 1\n")
    assert "unknown key `zzz`; the keys are architectures, baseline" in message


def test_a_file_that_is_not_toml_is_refused_with_the_place(tmp_path: Path) -> None:
    message = refusal(tmp_path / "hwlint.toml", "targets = [\n\nlevel = 3")
    assert "hwlint.toml: not valid TOML" in message
    assert "line 3" in message


def test_a_file_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hwlint.toml").write_bytes(b"level = '\xff'\n")
    with pytest.raises(SettingsError, match="not UTF-8 at byte 9"):
        load_settings([tmp_path])


def test_a_named_configuration_that_is_missing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.toml: cannot be read: No such file"):
        load_settings([tmp_path], config=tmp_path / "none.toml")


def test_a_path_that_does_not_exist_is_answered_with_its_neighbour(tmp_path: Path) -> None:
    write(tmp_path / "communicator.py")
    with pytest.raises(UsageError, match=r"comunicator\.py: no such file or folder; did you mean `communicator\.py`\?"):
        load_settings([tmp_path / "comunicator.py"])


def test_the_command_line_goes_over_the_configuration_and_adds_to_ignore(tmp_path: Path) -> None:
    write(tmp_path / "hwlint.toml", 'targets = ["sm_90"]\nignore = ["HW102"]\nlevel = "note"\n')
    settings = override(load_settings([tmp_path]), targets=("all",), ignore=("HW103",))
    assert settings.targets == ("all",)
    assert settings.ignore == ("HW102", "HW103")
    assert settings.level is Level.NOTE


def test_a_file_that_nests_too_deeply_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "hwlint.toml").write_text(f"targets = {'[' * 3000}")
    with pytest.raises(SettingsError, match=r"hwlint\.toml: nested too deeply"):
        load_settings([tmp_path])


def test_a_device_without_an_end_is_no_configuration_and_an_empty_one_is(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="too large"):
        load_settings([tmp_path], config=Path("/dev/zero"))
    assert load_settings([tmp_path], config=Path("/dev/null")).targets == ("current",)


def test_a_link_that_leads_nowhere_is_not_answered_with_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    with pytest.raises(UsageError, match="leads nowhere"):
        load_settings([tmp_path / "loop.py"])
