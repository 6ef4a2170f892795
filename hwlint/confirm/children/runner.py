"""Run the jobs of a jobs file on the devices that are here and write what happened: `python jobs.zip`."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
import zipfile
from typing import Any

import supervise

SCHEMA = "hwlint-results/1"
_CHILDREN = ("replay.py", "standin.py", "devices.py", "compile_kernel.py")
_START_SECONDS = 120.0
"""What asking for the devices may take: a first import of torch from a cold disk."""


def main() -> int:
    """Run every job, write the results, and return 0; the results say what each job showed."""
    options = _options()
    supervise.adopt_orphans()
    if options.tied:
        supervise.end_with_parent()
    signal.signal(signal.SIGTERM, _stop)
    work = os.path.realpath(tempfile.mkdtemp(prefix="hwlint-confirm-"))
    try:
        with zipfile.ZipFile(options.jobs) as archive:
            _Runner(archive, options, work).run()
    finally:
        if options.keep:
            print(f"kept: {work}", file=sys.stderr)
        else:
            shutil.rmtree(work, ignore_errors=True)
    return 0


def _write(path: str, results: dict[str, Any]) -> None:
    part = path + ".part"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1, sort_keys=True)
        file.write("\n")
    os.replace(part, path)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", default=sys.path[0], help="the jobs file (default: the zip this runs from)")
    parser.add_argument("--out", default="results.json", help="where to write the results")
    parser.add_argument("--python", default=sys.executable, help="interpreter that runs the code")
    parser.add_argument("--compile-python", default=None, help="interpreter that has Triton, for compile checks")
    parser.add_argument("--device", type=int, default=None, help="use this device only")
    parser.add_argument("--timeout", type=float, default=None, help="seconds for each process")
    parser.add_argument("--memory", type=int, default=None, help="bytes for each process and its descendants")
    parser.add_argument("--keep", action="store_true", help="leave the copies on disk and say where")
    parser.add_argument("--tied", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _stop(number: int, frame: Any) -> None:
    raise SystemExit(128 + number)


class _Runner:
    """One run over one jobs file."""

    def __init__(self, archive: zipfile.ZipFile, options: argparse.Namespace, work: str) -> None:
        self.archive = archive
        self.options = options
        self.work = work
        self.jobs: dict[str, Any] = json.loads(archive.read("jobs.json").decode("utf-8"))
        self.seconds = float(options.timeout or self.jobs["seconds"])
        self.memory: int | None = options.memory or self.jobs.get("memory")
        self.children = os.path.join(work, "children")
        os.makedirs(self.children)
        for name in _CHILDREN:
            with open(os.path.join(self.children, name), "wb") as file:
                file.write(archive.read(name))
        self.count = 0

    def run(self) -> None:
        """Run the jobs in turn; the results file is whole after each, so that a run cut short keeps what it has."""
        results: list[dict[str, Any]] = []
        here = self._devices()
        document = {
            "schema": SCHEMA,
            "hwlint": self.jobs.get("hwlint"),
            "runner": {"python": platform.python_version(), "system": platform.platform()},
            "environment": here,
            "results": results,
        }
        _write(self.options.out, document)
        jobs = self.jobs["jobs"]
        for number, job in enumerate(jobs, 1):
            began = time.monotonic()
            result = self._job(job, here["devices"])
            result["seconds"] = round(time.monotonic() - began, 3)
            result["time"] = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
            results.append(result)
            _write(self.options.out, document)
            print("[%d/%d] %s: %s" % (number, len(jobs), job["title"], _glance(result)), file=sys.stderr, flush=True)

    def _devices(self) -> dict[str, Any]:
        answer, process = self._child(self.options.python, "devices.py", None, max(_START_SECONDS, self.seconds), {})
        if answer is None:
            return {"devices": [], "asked": [f"the interpreter did not answer: {_ended(process)}"]}
        return dict(answer)

    def _job(self, job: dict[str, Any], devices: list[dict[str, Any]]) -> dict[str, Any]:
        """Run one job before and after the edit, by the real module or else by the slice."""
        device = self._device_for(job, devices)
        result: dict[str, Any] = {
            "job": {key: value for key, value in job.items() if key != "versions"},
            "how": "device" if device else "simulated",
            "device": device,
            "why_not_real": job.get("why_not_real"),
        }
        for mode in ("real", "slice"):
            if mode not in job["versions"]:
                continue
            result["mode"] = mode
            result["before"] = self._replay(job, mode, "before", device)
            why = _unusable(result["before"])
            if mode == "real" and why and "slice" in job["versions"]:
                result["why_not_real"] = why
                continue
            break
        if "mode" not in result or _dead(result["before"]):
            return result
        result["after"] = self._replay(job, result["mode"], "after", device)
        if job.get("probe") and not _dead(result["after"]):
            self._probe(job, result, device)
        return result

    def _device_for(self, job: dict[str, Any], devices: list[dict[str, Any]]) -> dict[str, Any] | None:
        wanted = job["architecture"]
        for device in devices:
            if self.options.device is not None and device["index"] != self.options.device:
                continue
            if wanted["vendor"] == "amd":
                if device.get("gcn") == wanted["name"]:
                    return device
            elif not device.get("gcn") and device["capability"] == wanted["capability"]:
                return device
        return None

    def _replay(
        self, job: dict[str, Any], mode: str, when: str, device: dict[str, Any] | None, *, probe: bool = False
    ) -> dict[str, Any]:
        """Write the copy anew, run it in a process of its own, and return what it reported and how it ended."""
        version = job["versions"][mode][when]
        folder, tree = self._copy(version["files"])
        spec = {
            "tree": tree,
            "sys_path": os.path.join(tree, job["inner"]) if job["inner"] else tree,
            "module": job["module"],
            "driver": version["driver"],
            "lookup": version["lookup"],
            "memory": self.memory,
            "simulate": None if device else job["architecture"],
            "origins": job.get("origins", []),
            "ask_capability": bool(device),
            "timeout": self.seconds,
        }
        env = self._env(None if device is None or probe else device["index"])
        if probe:
            spec["probe"] = self._probe_spec(job, folder)
        answer, process = self._child(self.options.python, "replay.py", spec, self.seconds, env)
        if not self.options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        return {"answer": answer, "process": process}

    def _probe(self, job: dict[str, Any], result: dict[str, Any], device: dict[str, Any] | None) -> None:
        if device is not None:
            if job["probe"].get("before"):
                result["probe_before"] = self._replay(job, result["mode"], "before", device, probe=True)
            result["probe"] = self._replay(job, result["mode"], "after", device, probe=True)
            return
        lookup = (result["after"]["answer"] or {}).get("lookup") or {}
        if lookup.get("kind") != "value":
            return
        folder = os.path.join(self.work, "compile-%d" % self.count)
        os.makedirs(folder)
        architecture = job["architecture"]
        capability = architecture["capability"]
        amd = architecture["vendor"] == "amd"
        spec = {
            "value": lookup["text"],
            "probe": self._probe_spec(job, folder)["path"],
            "options": job["probe"].get("options", {}),
            "arch": architecture["name"] if amd else capability[0] * 10 + capability[1],
        }
        python = self.options.compile_python or self.options.python
        answer, process = self._child(python, "compile_kernel.py", spec, max(self.seconds, 120.0), self._env(None))
        result["compile"] = {"answer": answer, "process": process}

    def _probe_spec(self, job: dict[str, Any], folder: str) -> dict[str, Any]:
        path = os.path.join(folder, "probe.py")
        with open(path, "wb") as file:
            file.write(self.archive.read("blobs/" + job["probe"]["source"]))
        context = {"architecture": job["architecture"], "lookup": job.get("lookup_text", "")}
        return {"path": path, "options": job["probe"].get("options", {}), "context": context}

    def _copy(self, files: dict[str, str]) -> Any:
        """Write the files of one version into a new folder; return the folder and the tree in it."""
        self.count += 1
        folder = os.path.join(self.work, "run-%d" % self.count)
        tree = os.path.join(folder, "tree")
        os.makedirs(tree)
        for path, digest in files.items():
            target = os.path.realpath(os.path.join(tree, *path.split("/")))
            if not target.startswith(tree + os.sep):
                raise SystemExit(f"the jobs file names a path outside its tree: {path}")
            os.makedirs(os.path.dirname(target), exist_ok=True)
            with open(target, "wb") as file:
                file.write(self.archive.read("blobs/" + digest))
        return folder, tree

    def _env(self, device: int | None) -> dict[str, str]:
        temporary = os.path.join(self.work, "tmp")
        os.makedirs(temporary, exist_ok=True)
        env = dict(os.environ)
        for name in ("PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONSAFEPATH"):
            env.pop(name, None)
        env.update(
            PYTHONDONTWRITEBYTECODE="1",
            PYTHONUNBUFFERED="1",
            TMPDIR=temporary,
            TRITON_CACHE_DIR=os.path.join(self.work, "triton"),
        )
        if device is not None:
            for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
                seen = [part for part in env.get(name, "").split(",") if part]
                if name == "CUDA_VISIBLE_DEVICES" or seen:
                    env[name] = seen[device] if device < len(seen) else str(device)
        return env

    def _child(self, python: str, script: str, spec: Any, seconds: float, env: dict[str, str]) -> Any:
        """Run one of the child scripts; return its answer (None where it gave none) and how the process ended."""
        self.count += 1
        folder = os.path.join(self.work, "answer-%d" % self.count)
        os.makedirs(folder)
        out = os.path.join(folder, "answer.json")
        command = [python, "-B", os.path.join(self.children, script)]
        if spec is not None:
            with open(os.path.join(folder, "spec.json"), "w", encoding="utf-8") as file:
                json.dump(spec, file)
            command.append(file.name)
        command.append(out)
        process = supervise.run(command, cwd=folder, env=env or self._env(None), seconds=seconds, memory=self.memory)
        try:
            with open(out, encoding="utf-8") as file:
                answer = json.load(file)
        except (OSError, ValueError):
            answer = None
        return answer, process


def _dead(run: dict[str, Any]) -> bool:
    """True where the process ended before it could answer."""
    answer = run["answer"]
    return answer is None or answer.get("stage") != "done"


def _unusable(run: dict[str, Any]) -> str | None:
    """Say why the real module is of no use here and the slice may be; None where it is, or where nothing would help."""
    if _dead(run):
        return None
    imported = run["answer"]["import"]
    if imported["kind"] in ("elsewhere", "unknown"):
        return str(imported["text"])
    if imported["kind"] == "raised" and not imported.get("at_lookup") and imported["type"] != "MemoryError":
        return "importing it raised " + str(imported["text"])
    lookup = run["answer"].get("lookup")
    if lookup and lookup["kind"] == "unknown":
        return str(lookup["text"])
    return None


def _ended(process: dict[str, Any]) -> str:
    return "{}, status {}, {}".format(process["ended"], process["status"], process["output"][-300:].strip())


def _glance(result: dict[str, Any]) -> str:
    """Return one line for the progress: what was seen before and after."""
    seen = []
    for when in ("before", "after", "probe"):
        run = result.get(when)
        if not run:
            continue
        answer = run["answer"] or {}
        outcome = (answer.get("probe") if when == "probe" else None) or answer.get("lookup") or answer.get("import")
        said = (outcome or {}).get("text") or "ended: " + run["process"]["ended"]
        seen.append(f"{when} {str(said).splitlines()[0][:80]}")
    return "{}, {}; {}".format(result["how"], result.get("mode", "not run"), "; ".join(seen))


if __name__ == "__main__":
    sys.exit(main())
