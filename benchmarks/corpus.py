"""Fetch released packages by name and version and unpack their Python sources; nothing of theirs is run."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

LARGEST_FILE = 3_000_000
"""Bytes; larger files in packages are generated data."""
KEPT = (".py", ".toml", ".cfg")
PLATFORMS = ("", "manylinux_2_28_x86_64", "manylinux2014_x86_64")


def fetch(name: str, version: str, kind: str, folder: Path) -> Path:
    """Return the folder with the sources of a release, fetching it where it is not there yet.

    `kind` is `wheel` or `sdist`. Raises RuntimeError where pip cannot get it.
    """
    target = folder / f"{name}-{version}"
    if target.is_dir():
        return target
    with tempfile.TemporaryDirectory() as scratch:
        archive = _download(f"{name}=={version}", kind, Path(scratch))
        partial = target.with_suffix(target.suffix + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        for member, data in _members(archive):
            relative = member.split("/", 1)[1] if kind == "sdist" and "/" in member else member
            place = partial / relative
            if relative.endswith(KEPT) and len(data) <= LARGEST_FILE and ".." not in Path(relative).parts:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(data)
        partial.rename(target)
    return target


def _download(requirement: str, kind: str, folder: Path) -> Path:
    choice = "--only-binary=:all:" if kind == "wheel" else "--no-binary=:all:"
    told = ""
    for platform in PLATFORMS if kind == "wheel" else ("",):
        extra = ["--platform", platform, "--python-version", "3.11"] if platform else []
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            choice,
            "-d",
            str(folder),
            *extra,
            requirement,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = sorted(folder.iterdir())
        if done.returncode == 0 and found:
            return found[0]
        told = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no reason given"
    raise RuntimeError(f"pip cannot get the {kind} of {requirement}: {told}")


def _members(archive: Path) -> Iterator[tuple[str, bytes]]:
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as opened:
            for info in opened.infolist():
                if not info.is_dir() and info.file_size <= LARGEST_FILE:
                    yield info.filename, opened.read(info)
        return
    with tarfile.open(archive) as packed:
        for member in packed.getmembers():
            handle = packed.extractfile(member) if member.isfile() and member.size <= LARGEST_FILE else None
            if handle is not None:
                yield member.name, handle.read()
