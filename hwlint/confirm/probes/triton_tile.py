"""Probe: multiply matrices with a Triton kernel at the looked-up tile size and compare with a float32 reference."""

from __future__ import annotations

from typing import Any

try:
    import triton
    import triton.language as tl
except ImportError:  # the probe says so itself, through NEEDS
    triton = None

NEEDS = ("torch", "triton")
WHAT = "launches a matrix product with the tile on the device and checks the result"
_DEFAULT_K = 64
_SIZES = {
    "m": ("block_m", "block_size_m", "bm", "tile_m", "m"),
    "n": ("block_n", "block_size_n", "bn", "tile_n", "n"),
    "k": ("block_k", "block_size_k", "bk", "tile_k", "k"),
    "stages": ("num_stages", "stages"),
    "warps": ("num_warps", "warps"),
}


class CannotTell(Exception):
    """The probe cannot say anything about this value."""


if triton is not None:

    @triton.jit
    def product(a, b, c, size_m, size_n, size_k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
        """One tile of c = a @ b; a and b are float16 and row-major, c is float32."""
        rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
        columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
        inner = tl.arange(0, BLOCK_K)
        a_at = a + rows[:, None] * size_k + inner[None, :]
        b_at = b + inner[:, None] * size_n + columns[None, :]
        total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
        for done in range(0, size_k, BLOCK_K):
            left = tl.load(a_at, mask=(rows[:, None] < size_m) & (done + inner[None, :] < size_k), other=0.0)
            right = tl.load(b_at, mask=(done + inner[:, None] < size_k) & (columns[None, :] < size_n), other=0.0)
            total += tl.dot(left, right)
            a_at += BLOCK_K
            b_at += BLOCK_K * size_n
        c_at = c + rows[:, None] * size_n + columns[None, :]
        tl.store(c_at, total, mask=(rows[:, None] < size_m) & (columns[None, :] < size_n))


def tile(value: Any, options: dict[str, str]) -> dict[str, int]:
    """Read a tile from a mapping (BLOCK_M and the like), a sequence (m, n, k, stages, warps) or one number (square)."""
    sizes = {"k": _DEFAULT_K, "stages": 3, "warps": 4}
    if isinstance(value, bool):
        raise CannotTell("a truth value is no tile")
    if isinstance(value, int):
        sizes.update(m=value, n=value)
    elif isinstance(value, (tuple, list)) and 2 <= len(value) <= 5:
        sizes.update(zip(("m", "n", "k", "stages", "warps"), value))
    elif isinstance(value, dict):
        lower = {str(name).lower(): number for name, number in value.items()}
        for ours, theirs in _SIZES.items():
            sizes.update((ours, lower[name]) for name in reversed(theirs) if name in lower)
    sizes.update((name, int(number)) for name, number in options.items() if name in _SIZES)
    if "m" not in sizes or "n" not in sizes or not all(isinstance(number, int) for number in sizes.values()):
        raise CannotTell(f"the value {value!r} does not read as a tile")
    return sizes


def compile_spec(value: Any, options: dict[str, str]) -> dict[str, Any]:
    """Return what a compile check needs: the kernel, its signature, its constants and its options."""
    sizes = tile(value, options)
    signature = {"a": "*fp16", "b": "*fp16", "c": "*fp32", "size_m": "i32", "size_n": "i32", "size_k": "i32"}
    signature.update(BLOCK_M="constexpr", BLOCK_N="constexpr", BLOCK_K="constexpr")
    return {
        "fn": product,
        "signature": signature,
        "constexprs": {"BLOCK_M": sizes["m"], "BLOCK_N": sizes["n"], "BLOCK_K": sizes["k"]},
        "options": {"num_warps": sizes["warps"], "num_stages": sizes["stages"]},
        # What a launch finds out by itself: the pointers and sizes are multiples of 16, so loads can be asynchronous.
        "attrs": {(place,): [["tt.divisibility", 16]] for place in range(6)},
        "text": "a float16 matrix product with tile %(m)d x %(n)d x %(k)d, %(stages)d stages, %(warps)d warps" % sizes,
    }


def probe(value: Any, context: dict[str, Any]) -> dict[str, Any]:
    """Launch the kernel on random input that the tile does not divide evenly; raise where the result is wrong."""
    import torch

    sizes = tile(value, context["options"])
    m, n, k = 2 * sizes["m"] + 16, 2 * sizes["n"] + 16, 4 * sizes["k"] + 16
    a = torch.randn((m, k), device="cuda", dtype=torch.float16)
    b = torch.randn((k, n), device="cuda", dtype=torch.float16)
    c = torch.full((m, n), float("nan"), device="cuda", dtype=torch.float32)
    grid = (triton.cdiv(m, sizes["m"]), triton.cdiv(n, sizes["n"]))
    kernel = product[grid](
        a, b, c, m, n, k,
        BLOCK_M=sizes["m"], BLOCK_N=sizes["n"], BLOCK_K=sizes["k"],
        num_warps=sizes["warps"], num_stages=sizes["stages"],
    )  # fmt: skip
    torch.cuda.synchronize()
    expected = a.float() @ b.float()
    worst = (c - expected).abs().max().item()
    bound = 1e-2 * float(k) ** 0.5
    if not worst <= bound:
        raise AssertionError(f"the product is off by {worst:g} (more than {bound:g})")
    shared = getattr(getattr(kernel, "metadata", None), "shared", None)
    text = "%d x %d x %d product, off by %.2g at most" % (m, n, k, worst)
    return {"uses_value": True, "text": text, "shared": shared, "worst": worst}
