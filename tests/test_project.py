"""Check the files around the code: what is locked, shipped, promised and listed."""

from __future__ import annotations

import re
import runpy
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hwlint import __version__
from hwlint.cli.check import command

CHECKOUT = Path(__file__).resolve().parents[1]
PUBLIC_HOSTS = {"pypi.org", "files.pythonhosted.org"}


def read_toml(name: str) -> dict[str, Any]:
    """Return one of the checkout's TOML files."""
    return tomllib.loads((CHECKOUT / name).read_text(encoding="utf-8"))


def tracked_files() -> list[Path]:
    """Return the text files that git tracks; an unpacked source archive has no git, and nothing to check."""
    done = subprocess.run(["git", "ls-files", "-z"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    return [CHECKOUT / name for name in done.stdout.split("\0") if name]


def test_the_lock_file_names_only_the_public_index() -> None:
    addresses = re.findall(r'"(\w+://[^"]+)"', (CHECKOUT / "uv.lock").read_text(encoding="utf-8"))
    assert PUBLIC_HOSTS == {urlsplit(address).hostname for address in addresses}


def test_the_lock_file_knows_every_dependency() -> None:
    project = read_toml("pyproject.toml")["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    locked = {package["name"] for package in read_toml("uv.lock")["package"]}
    assert {re.split(r"[<>=;\[ ]", line)[0] for line in wanted} <= locked


def test_no_tracked_file_names_a_folder_of_this_machine() -> None:
    here = {str(CHECKOUT), str(Path.home())} - {"/"}
    guilty = [
        str(file.relative_to(CHECKOUT))
        for file in tracked_files()
        if file.is_file() and any(f"{place}/".encode() in file.read_bytes() for place in here)
    ]
    assert guilty == []


def test_every_part_of_the_engine_has_its_layer_and_the_contract_is_exhaustive() -> None:
    contracts = {
        contract["id"]: contract for contract in read_toml("pyproject.toml")["tool"]["importlinter"]["contracts"]
    }
    layers = contracts["layers"]
    named = {name for layer in layers["layers"] for name in re.findall(r"\w+", layer)}
    there = {path.stem for path in (CHECKOUT / "hwlint").iterdir() if path.suffix == ".py" or any(path.glob("*.py"))}
    assert layers["exhaustive"] is True
    assert there - {"__init__"} <= named


@pytest.mark.parametrize("package", ["click", "sarif_om", "networkx", "libcst"])
def test_each_heavy_package_has_one_door(package: str) -> None:
    contracts = read_toml("pyproject.toml")["tool"]["importlinter"]["contracts"]
    assert [package] in [contract.get("protected_modules") for contract in contracts]


def test_the_wheel_takes_the_rules_with_it() -> None:
    wheel = read_toml("pyproject.toml")["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {"rules": "hwlint/rules"}
    assert (CHECKOUT / "rules" / "origins").is_dir()


def test_the_change_log_opens_with_this_version() -> None:
    assert f"\n## {__version__}" in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_guide_for_contributors_stays_short() -> None:
    assert len((CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()) < 100


def test_the_map_lists_every_module_as_it_describes_itself() -> None:
    make_map = runpy.run_path(str(CHECKOUT / "docs" / "make_map.py"))
    page = make_map["PAGE"].read_text(encoding="utf-8")
    assert page == make_map["with_map"](page), "run `make map`"


def test_the_make_targets_that_the_guides_name_exist() -> None:
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    for guide in ("README.md", "CONTRIBUTING.md"):
        for target in re.findall(
            r"(?:^ {4}|`)make ([a-z]+)\b", (CHECKOUT / guide).read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{guide} names `make {target}`"


def test_the_pre_commit_hooks_use_options_that_exist() -> None:
    options = {option for parameter in command.params for option in parameter.opts}
    entries = re.findall(
        r"^  entry: hwlint check(.*)$", (CHECKOUT / ".pre-commit-hooks.yaml").read_text("utf-8"), re.MULTILINE
    )
    assert len(entries) == 2
    assert {word for entry in entries for word in entry.split()} <= options
