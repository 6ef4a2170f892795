"""Say as JSON which GPUs this interpreter can see, through torch, NVML or nvidia-smi, whichever is here."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import sys
from typing import Any


def main() -> None:
    """Write the answer to the file named by the first argument; finding no device is an answer, not an error."""
    answer: dict[str, Any] = {
        "python": platform.python_version(),
        "torch": None,
        "cuda": None,
        "triton": _version("triton"),
        "driver": None,
        "asked": [],
        "devices": [],
    }
    for ask in (_ask_torch, _ask_nvml, _ask_smi):
        note = ask(answer)
        answer["asked"].append(f"{ask.__name__[5:]}: {note}")
        if answer["devices"]:
            break
    if answer["driver"] is None:
        answer["driver"] = _driver_from_smi()
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(answer, file)


def _ask_torch(answer: dict[str, Any]) -> str:
    try:
        import torch
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    answer["torch"] = str(getattr(torch, "__version__", "unknown"))
    version = getattr(torch, "version", None)
    answer["cuda"] = getattr(version, "cuda", None) or getattr(version, "hip", None)
    try:
        if not torch.cuda.is_available():
            return "torch sees no device"
        for index in range(torch.cuda.device_count()):
            answer["devices"].append(_torch_device(torch, index))
    except Exception as error:
        answer["devices"] = []
        return f"{type(error).__name__}: {error}"
    return "%d" % len(answer["devices"])


def _torch_device(torch: Any, index: int) -> dict[str, Any]:
    properties = torch.cuda.get_device_properties(index)
    measured: dict[str, Any] = {}
    for ours, theirs in (
        ("shared_mem_per_block_optin", "shared_memory_per_block_optin"),
        ("shared_mem_per_block", "shared_memory_per_block"),
        ("shared_mem_per_sm", "shared_memory_per_multiprocessor"),
        ("warp_size", "warp_size"),
        ("registers_per_sm", "regs_per_multiprocessor"),
        ("max_threads_per_sm", "max_threads_per_multi_processor"),
        ("max_threads_per_block", "max_threads_per_block"),
        ("multiprocessors", "multi_processor_count"),
        ("total_memory", "total_memory"),
    ):
        value = getattr(properties, theirs, None)
        if isinstance(value, int):
            measured[ours] = value
    return {
        "index": index,
        "name": str(torch.cuda.get_device_name(index)),
        "capability": [int(number) for number in torch.cuda.get_device_capability(index)],
        "gcn": _gfx(str(getattr(properties, "gcnArchName", ""))),
        "uuid": _hashed(str(getattr(properties, "uuid", ""))),
        "measured": measured,
    }


def _gfx(name: str) -> str:
    """The gfx name, or nothing: torch for CUDA answers with the product ("NVIDIA H200", seen with torch 2.11)."""
    name = name.split(":")[0]
    return name if name.startswith("gfx") else ""


def _ask_nvml(answer: dict[str, Any]) -> str:
    try:
        import pynvml
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    try:
        pynvml.nvmlInit()
        answer["driver"] = _text(pynvml.nvmlSystemGetDriverVersion())
        for index in range(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            answer["devices"].append(
                {
                    "index": index,
                    "name": _text(pynvml.nvmlDeviceGetName(handle)),
                    "capability": list(pynvml.nvmlDeviceGetCudaComputeCapability(handle)),
                    "gcn": "",
                    "uuid": _hashed(_text(pynvml.nvmlDeviceGetUUID(handle))),
                    "measured": {"total_memory": int(pynvml.nvmlDeviceGetMemoryInfo(handle).total)},
                }
            )
    except Exception as error:
        answer["devices"] = []
        return f"{type(error).__name__}: {error}"
    return "%d" % len(answer["devices"])


def _ask_smi(answer: dict[str, Any]) -> str:
    lines = _smi("index,name,compute_cap,uuid,driver_version,memory.total")
    if lines is None:
        return "nvidia-smi is not here or did not answer"
    for line in lines:
        fields = [field.strip() for field in line.split(",")]
        if len(fields) != 6 or "." not in fields[2]:
            continue
        answer["driver"] = fields[4]
        measured = {"total_memory": int(fields[5].split()[0]) << 20} if fields[5].split()[0].isdigit() else {}
        answer["devices"].append(
            {
                "index": int(fields[0]),
                "name": fields[1],
                "capability": [int(number) for number in fields[2].split(".")],
                "gcn": "",
                "uuid": _hashed(fields[3]),
                "measured": measured,
            }
        )
    return "%d" % len(answer["devices"])


def _driver_from_smi() -> str | None:
    lines = _smi("driver_version")
    return lines[0].strip() if lines else None


def _smi(query: str) -> list[str] | None:
    command = ["nvidia-smi", "--query-gpu=" + query, "--format=csv,noheader"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return [line for line in done.stdout.decode("utf-8", "replace").splitlines() if line.strip()]


def _hashed(uuid: str) -> str:
    """Return a short hash: tells two devices apart without naming either (torch leaves NVML's `GPU-` out)."""
    bare = uuid[4:] if uuid.startswith("GPU-") else uuid
    return hashlib.sha256(bare.encode()).hexdigest()[:16] if bare else ""


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def _version(package: str) -> str | None:
    try:
        from importlib.metadata import version

        return version(package)
    except Exception:
        return None


if __name__ == "__main__":
    sys.path.pop(0)  # the neighbours of this file are not for the packages it imports
    main()
