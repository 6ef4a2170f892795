"""Run jobs in child processes on this machine."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hwlint.confirm.export import read_results, write_jobs
from hwlint.confirm.job import Blobs
from hwlint.model.errors import UsageError

DEFAULT_SECONDS = 120.0
DEFAULT_MEMORY = 16 * 1024**3
"""Bytes that one replay and its descendants may hold: more than importing torch and a CUDA context take."""
_ANSWER_SECONDS = 60.0
"""What an interpreter on a slow disk may take to start."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How jobs are run: the interpreter, the device (None: the first that fits), and the limits of each process."""

    python: str = sys.executable
    device: int | None = None
    seconds: float = DEFAULT_SECONDS
    memory: int | None = DEFAULT_MEMORY
    keep: bool = False
    compile_python: str | None = None


def find_interpreter(name: str) -> str:
    """Return the absolute path of the Python that the user named, by path or by a name on PATH.

    Raises UsageError where there is none, or where what is there does not answer as a Python 3.
    """
    found = shutil.which(name)
    if found is None:
        reason = "is not executable" if Path(name).is_file() else "a folder" if Path(name).is_dir() else "no such file"
        raise UsageError(f"--python {name}: {reason}; give the path of a Python 3 interpreter, or a name on PATH")
    path = str(Path.cwd() / found)
    try:
        said = subprocess.run(  # noqa: S603  # the interpreter that the user named
            [path, "-I", "-S", "-c", "import sys; print('python', sys.version_info[0])"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ANSWER_SECONDS,
            check=False,
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"--python {name}: it cannot be run: {error}") from error
    if said.split() != [b"python", b"3"]:
        raise UsageError(f"--python {name}: it does not answer as a Python 3; give another interpreter")
    return path


def run_jobs(
    jobs: Sequence[Mapping[str, Any]], blobs: Blobs, settings: RunSettings, *, quiet: bool = True
) -> dict[str, Any]:
    """Run the jobs and return the results (see `children/runner.py`); the tree they came from is not touched.

    The jobs go through the same file that `--export` writes, so that a run here and a run elsewhere are one.
    """
    with tempfile.TemporaryDirectory(prefix="hwlint-jobs-") as folder:
        archive, out = Path(folder, "jobs.zip"), Path(folder, "results.json")
        write_jobs(archive, jobs, blobs, seconds=settings.seconds, memory=settings.memory)
        command = [sys.executable, "-I", "-B", str(archive), "--out", str(out), "--tied", *_options(settings)]
        process = subprocess.Popen(  # noqa: S603  # our own interpreter, our own file
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if quiet else None,
            start_new_session=True,
        )
        try:
            _, errors = process.communicate()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        if process.returncode or not out.exists():
            said = (errors or b"").decode("utf-8", "replace").strip()[-800:]
            raise UsageError(f"the jobs could not be run (status {process.returncode}): {said}")
        return read_results(out)


def _options(settings: RunSettings) -> list[str]:
    options = ["--python", settings.python, "--compile-python", settings.compile_python or sys.executable]
    options += ["--timeout", str(settings.seconds)]
    if settings.device is not None:
        options += ["--device", str(settings.device)]
    if settings.memory is not None:
        options += ["--memory", str(settings.memory)]
    return [*options, *(["--keep"] if settings.keep else [])]
