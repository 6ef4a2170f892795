"""Probe: all-reduce through a symmetric-memory buffer of the looked-up size, at every world size there are GPUs for."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

NEEDS = ("torch",)
WHAT = "all-reduces through a symmetric buffer of that size and compares with a float32 reference"
_WORLD_SIZES = (2, 4, 6, 8)
_ITEM = 2
_CHUNK = 1 << 22
_RELATIVE = 2.0**-7
"""Two roundings to bfloat16 (2^-8 each) of a sum, against the sum of magnitudes."""


class CannotTell(Exception):
    """The probe cannot say anything about this value on this machine."""


def sizes(value: Any) -> dict[int, int]:
    """Return bytes by world size; one number stands for every world size."""
    if isinstance(value, dict) and value and all(isinstance(part, int) for pair in value.items() for part in pair):
        return dict(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return dict.fromkeys(_WORLD_SIZES, value)
    raise CannotTell(f"the value {value!r} is no buffer size in bytes, nor a table of them by world size")


def probe(value: Any, context: dict[str, Any]) -> dict[str, Any]:
    """Run every world size of the value that this machine has GPUs for; raise where one fails."""
    import torch

    wanted = sizes(value)
    here = torch.cuda.device_count()
    payload = context["options"].get("payload")
    done, not_shown = [], ["multimem (multicast) all-reduce: it stays off here"]
    for world, size in sorted(wanted.items()):
        if world > here:
            not_shown.append("world size %d: %d GPU(s) here" % (world, here))
            continue
        done.append(_at(world, size, int(payload) if payload else size))
    if not done:
        size = max(wanted.values())
        done.append(_alone(size))
        not_shown.append("any all-reduce between GPUs: it needs two")
    uses = any(one["world"] > 1 for one in done)
    text = "; ".join(one["text"] for one in done)
    return {"uses_value": uses, "text": text, "runs": done, "not_shown": not_shown}


def _alone(size: int) -> dict[str, Any]:
    """Allocate the buffer on the one GPU there is: says that it fits, nothing about communication."""
    import torch
    import torch.distributed._symmetric_memory as symmetric

    _refuse_what_cannot_fit(size)
    try:
        buffer = symmetric.empty(size // _ITEM, device=torch.device("cuda", 0), dtype=torch.bfloat16)
    except RuntimeError as error:
        raise _explained(str(error)) from error
    buffer.fill_(1.0)
    torch.cuda.synchronize()
    if buffer[-1].item() != 1.0:
        raise AssertionError("the last element of the buffer did not keep its value")
    return {"world": 1, "text": "one GPU: a symmetric buffer of %d bytes was allocated and written" % size}


def _refuse_what_cannot_fit(size: int) -> None:
    import torch

    total = torch.cuda.get_device_properties(0).total_memory
    if size > total:
        raise MemoryError("a buffer of %d bytes cannot be allocated: the device has %d" % (size, total))


def _explained(text: str) -> Exception:
    """A buffer that the device could hold, but not now, says nothing about the value."""
    if "out of memory" in text:
        return CannotTell(f"the device has not enough free memory now: {text}")
    return RuntimeError(text)


def _at(world: int, size: int, payload: int) -> dict[str, Any]:
    """Start one process for each rank and return what rank 0 measured; raise what any rank raised."""
    _refuse_what_cannot_fit(size)
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        ranks = []
        for rank in range(world):
            command = [
                sys.executable,
                "-B",
                os.path.abspath(__file__),
                str(rank),
                str(world),
                str(size),
                str(payload),
                store,
            ]
            ranks.append(
                subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))
            )
        answers = [process.communicate() for process in ranks]
    for rank, (process, (_, errors)) in enumerate(zip(ranks, answers)):
        if process.returncode:
            last = errors.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no message"]
            raise _explained("world size %d, rank %d: %s" % (world, rank, last[0][:500]))
    return dict(json.loads(answers[0][0].decode().splitlines()[-1]))


def _rank(rank: int, world: int, size: int, payload: int, store: str) -> dict[str, Any]:
    """One rank: fill the buffer with fresh random input, reduce it one-shot and two-shot, compare with float32."""
    import torch
    import torch.distributed as dist
    import torch.distributed._symmetric_memory as symmetric

    device = torch.device("cuda", rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl", store=dist.FileStore(store, world), rank=rank, world_size=world, device_id=device)
    group = dist.group.WORLD.group_name
    buffer = symmetric.empty(size // _ITEM, device=device, dtype=torch.bfloat16)
    symmetric.rendezvous(buffer, group)
    torch.manual_seed(int.from_bytes(os.urandom(4), "little"))
    given = torch.randn(payload // _ITEM, device=device, dtype=torch.float32).to(torch.bfloat16)
    worst = {}
    for name in ("one_shot", "two_shot"):
        staged = buffer[: given.numel()]
        staged.copy_(given)  # a buffer smaller than the payload fails here, as it does in the code that uses it
        dist.barrier()
        if name == "one_shot":
            result = torch.ops.symm_mem.one_shot_all_reduce(staged, "sum", group)
        else:
            result = torch.ops.symm_mem.two_shot_all_reduce_(staged, "sum", group)
        torch.cuda.synchronize()
        worst[name] = _compare(given, result, world)
        dist.barrier()
    dist.destroy_process_group()
    text = "world size %d, %d bytes: one-shot off by %.2g, two-shot by %.2g of the tolerance" % (
        world, payload, worst["one_shot"], worst["two_shot"],
    )  # fmt: skip
    return {"world": world, "bytes": size, "payload": payload, "worst": worst, "text": text}


def _compare(given: Any, result: Any, world: int) -> float:
    """Return the largest error as a share of the tolerance; raise where it is more than 1."""
    import torch
    import torch.distributed as dist

    worst = 0.0
    for start in range(0, given.numel(), _CHUNK):
        mine = given[start : start + _CHUNK].contiguous()
        every = [torch.empty_like(mine) for _ in range(world)]
        dist.all_gather(every, mine)
        reference = sum(part.float() for part in every)
        magnitude = sum(part.float().abs() for part in every)
        error = (result[start : start + _CHUNK].float() - reference).abs()
        worst = max(worst, (error / (_RELATIVE * magnitude + 1e-6)).max().item())
    if not worst <= 1.0:
        raise AssertionError(f"the all-reduce is off by {worst:g} times the tolerance")
    return worst


if __name__ == "__main__":
    print(json.dumps(_rank(*map(int, sys.argv[1:5]), sys.argv[5])), flush=True)
