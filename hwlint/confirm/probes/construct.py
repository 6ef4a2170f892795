"""Probe: run the real constructor of the lookup's class on every GPU here, and say whether its feature is on."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
from typing import Any

NEEDS = ("torch",)
WHAT = "constructs the class in a process group over the GPUs here and reads whether it turned itself off"
BEFORE = True
WHOLE_CLASS = True
_MOST = 8


class CannotTell(Exception):
    """There is no class to construct, or no second GPU to construct it with."""


def probe(value: Any, context: dict[str, Any]) -> dict[str, Any]:
    """Construct `class` (option; default the only class of the module) with `group` and `device` on each rank."""
    import torch

    spec, options = context["spec"], context["options"]
    world = min(int(options.get("world", _MOST)), torch.cuda.device_count(), _MOST)
    if world < 2:
        raise CannotTell("%d GPU here, the constructor needs a group of two or more" % torch.cuda.device_count())
    name = options.get("class") or _only_class(context["module"])
    wanted = [spec["sys_path"], spec["module"], name, options.get("flag", "disabled")]
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        ranks = [
            subprocess.Popen(
                [sys.executable, "-B", os.path.abspath(__file__), str(rank), str(world), store, *wanted],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ),
            )
            for rank in range(world)
        ]  # fmt: skip
        answers = [process.communicate() for process in ranks]
    for rank, (process, (_, errors)) in enumerate(zip(ranks, answers)):
        if process.returncode:
            last = errors.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no message"]
            raise RuntimeError("rank %d of %d: %s" % (rank, world, last[0][:500]))
    said = json.loads(answers[0][0].decode().splitlines()[-1])
    state = "off" if said["off"] else "on"
    text = "the constructor of %s ran on %d GPUs; its feature is %s afterwards" % (name, world, state)
    not_shown = ["the feature itself: the object turned it off ({})".format(said["log"])] if said["off"] else []
    return {"uses_value": not said["off"], "text": text, "feature": state, "log": said["log"], "not_shown": not_shown}


def _only_class(module: Any) -> str:
    names: list[str] = [
        name for name, part in vars(module).items() if isinstance(part, type) and part.__module__ == module.__name__
    ]
    if len(names) != 1:
        raise CannotTell("the module has %d classes; name one with the option class=" % len(names))
    return names[0]


def _rank(rank: int, world: int, store: str, path: str, module: str, name: str, flag: str) -> dict[str, Any]:
    import logging

    import torch
    import torch.distributed as dist

    said: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", store=dist.FileStore(store, world), rank=rank, world_size=world, device_id=device)
    sys.path[0] = path
    owner = getattr(importlib.import_module(module), name)
    built = owner(dist.group.WORLD, device)
    answer = {"off": bool(getattr(built, flag)), "log": "; ".join(said)[:500] or "no message"}
    dist.barrier()
    dist.destroy_process_group()
    return answer


if __name__ == "__main__":
    print(json.dumps(_rank(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:8])), flush=True)
