"""Compile a probe's Triton kernel for an architecture that need not be here, and say what it takes."""

from __future__ import annotations

import ast
import glob
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
from typing import Any


def main() -> None:
    """Compile what the file named by the first argument asks for; write the answer to the second."""
    with open(sys.argv[1], encoding="utf-8") as file:
        spec = json.load(file)
    sys.path.pop(0)
    try:
        answer = _answer(spec)
    except Exception as error:
        answer = {"kind": "raised", "text": (f"{type(error).__name__}: {error}")[-2000:]}
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(answer, file)


def _answer(spec: dict[str, Any]) -> dict[str, Any]:
    try:
        value = ast.literal_eval(spec["value"])
    except (ValueError, SyntaxError):
        return {"kind": "not-run", "text": "the value is not plain data: {}".format(spec["value"][:200])}
    module_spec = importlib.util.spec_from_file_location("_hwlint_probe", spec["probe"])
    assert module_spec is not None and module_spec.loader is not None
    probe = importlib.util.module_from_spec(module_spec)
    sys.modules["_hwlint_probe"] = probe
    module_spec.loader.exec_module(probe)
    try:
        if hasattr(probe, "resources"):
            return dict(probe.resources(value, spec.get("options", {})), kind="resources")
        if hasattr(probe, "compile_spec"):
            return _compile(spec, probe, value)
    except getattr(probe, "CannotTell", ()) as error:
        return {"kind": "not-run", "text": str(error)[:2000]}
    return {"kind": "not-run", "text": "the probe has no kernel that can be compiled by itself"}


def _compile(spec: dict[str, Any], probe: Any, value: Any) -> dict[str, Any]:
    try:
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource
    except Exception as error:
        return {"kind": "not-run", "text": f"Triton is not installed in the compiling interpreter: {error}"}
    wanted = probe.compile_spec(value, spec.get("options", {}))
    arch = spec["arch"]
    target = GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32) if isinstance(arch, str) else None
    target = target or GPUTarget("cuda", arch, 32)
    source = ASTSource(
        fn=wanted["fn"], signature=wanted["signature"], constexprs=wanted["constexprs"], attrs=wanted.get("attrs")
    )
    compiled = triton.compile(source, target=target, options=wanted.get("options"))
    answer = {
        "kind": "compiled",
        "compiler": "Triton " + triton.__version__,
        "text": wanted.get("text", ""),
        "shared": int(compiled.metadata.shared),
        "warps": int(compiled.metadata.num_warps),
        "registers": None,
        "spilled": None,
    }
    answer.update(_registers(compiled.asm.get("ptx")))
    return answer


def _registers(ptx: str | None) -> dict[str, Any]:
    """Ask an assembler how many registers a thread takes and how many bytes it spills; nothing where there is none."""
    if not ptx:
        return {}
    import triton

    target = re.search(r"^\.target\s+(sm_\w+)", ptx, re.MULTILINE)
    bundled = glob.glob(os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "ptxas*"))
    for assembler in [*sorted(bundled, reverse=True), "ptxas"]:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.ptx")
            with open(path, "w", encoding="utf-8") as file:
                file.write(ptx)
            command = [assembler, "-v", "-arch", target.group(1) if target else "sm_90", path, "-o", os.devnull]
            try:
                done = subprocess.run(
                    command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=True
                )
            except (OSError, subprocess.SubprocessError):
                continue
        said = done.stdout.decode("utf-8", "replace")
        used = re.search(r"Used (\d+) registers", said)
        spilled = re.search(r"(\d+) bytes spill stores", said)
        if used:
            return {"registers": int(used.group(1)), "spilled": int(spilled.group(1)) if spilled else 0}
    return {}


if __name__ == "__main__":
    main()
