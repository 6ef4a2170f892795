"""Probe: launch a block with as much dynamic shared memory as the looked-up value asks for, and use all of it."""

from __future__ import annotations

import ctypes
from typing import Any

NEEDS = ()
WHAT = "launches one block with that much shared memory, writes every word and reads it back"
_UNITS = {"B": 1, "KiB": 1024, "KB": 1024, "bytes": 1}
_MAX_DYNAMIC_SHARED = 8
_THREADS = 128
_PTX = b"""
.version 6.3
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 tile[];
.visible .entry touch(.param .u64 out, .param .u32 words)
{
    .reg .pred %p<4>;
    .reg .b32 %r<12>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [words];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, tile;
    mov.u32 %r4, %r2;
WRITE:
    setp.ge.u32 %p1, %r4, %r1;
    @%p1 bra WRITTEN;
    shl.b32 %r5, %r4, 2;
    add.u32 %r5, %r5, %r3;
    mul.lo.u32 %r6, %r4, -1640531535;
    st.shared.u32 [%r5], %r6;
    add.u32 %r4, %r4, 128;
    bra WRITE;
WRITTEN:
    bar.sync 0;
    mov.u32 %r4, %r2;
READ:
    setp.ge.u32 %p2, %r4, %r1;
    @%p2 bra DONE;
    sub.u32 %r7, %r1, %r4;
    sub.u32 %r7, %r7, 1;
    shl.b32 %r5, %r7, 2;
    add.u32 %r5, %r5, %r3;
    ld.shared.u32 %r8, [%r5];
    mul.lo.u32 %r9, %r7, -1640531535;
    setp.eq.u32 %p3, %r8, %r9;
    @%p3 red.global.add.u32 [%rd2], 1;
    add.u32 %r4, %r4, 128;
    bra READ;
DONE:
    ret;
}
\0"""


class CannotTell(Exception):
    """The probe cannot say anything about this value, or there is no driver to ask."""


def wanted_bytes(value: Any, options: dict[str, str]) -> int:
    """Return the bytes that the value asks for; `unit` is bytes unless the option says KiB."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CannotTell(f"the value {value!r} is no size")
    unit = options.get("unit", "bytes")
    if unit not in _UNITS:
        raise CannotTell(f"unknown unit {unit!r}; use bytes or KiB")
    return int(value * _UNITS[unit])


def resources(value: Any, options: dict[str, str]) -> dict[str, Any]:
    """Say what the value asks for, to be held against an architecture that is not here."""
    return {"shared": wanted_bytes(value, options)}


def probe(value: Any, context: dict[str, Any]) -> dict[str, Any]:
    """Ask the driver for the memory and use it; raise where it refuses or a word is lost."""
    size = wanted_bytes(value, context["options"])
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise CannotTell(f"the CUDA driver library cannot be loaded: {error}") from None
    _check(cuda, "cuInit", cuda.cuInit(0))
    device, holder = ctypes.c_int(), ctypes.c_void_p()
    _check(cuda, "cuDeviceGet", cuda.cuDeviceGet(ctypes.byref(device), 0))
    _check(cuda, "cuDevicePrimaryCtxRetain", cuda.cuDevicePrimaryCtxRetain(ctypes.byref(holder), device))
    _check(cuda, "cuCtxSetCurrent", cuda.cuCtxSetCurrent(holder))
    module, kernel, out = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint64()
    _check(cuda, "cuModuleLoadData", cuda.cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(_PTX)))
    _check(cuda, "cuModuleGetFunction", cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"touch"))
    asked = cuda.cuFuncSetAttribute(kernel, _MAX_DYNAMIC_SHARED, ctypes.c_int(size))
    if asked:
        most = ctypes.c_int()
        cuda.cuDeviceGetAttribute(ctypes.byref(most), 97, device)
        raise ValueError("%d bytes of shared memory are refused: a block has at most %d" % (size, most.value))
    _check(cuda, "cuMemAlloc", cuda.cuMemAlloc_v2(ctypes.byref(out), ctypes.c_size_t(4)))
    _check(cuda, "cuMemsetD32", cuda.cuMemsetD32_v2(out, ctypes.c_uint(0), ctypes.c_size_t(1)))
    words = ctypes.c_uint(size // 4)
    arguments = (ctypes.c_void_p * 2)(
        ctypes.cast(ctypes.pointer(out), ctypes.c_void_p), ctypes.cast(ctypes.pointer(words), ctypes.c_void_p)
    )
    grid = [ctypes.c_uint(number) for number in (1, 1, 1, _THREADS, 1, 1, size)]
    _check(cuda, "cuLaunchKernel", cuda.cuLaunchKernel(kernel, *grid, None, arguments, None))
    _check(cuda, "cuCtxSynchronize", cuda.cuCtxSynchronize())
    right = ctypes.c_uint()
    _check(cuda, "cuMemcpyDtoH", cuda.cuMemcpyDtoH_v2(ctypes.byref(right), out, ctypes.c_size_t(4)))
    if right.value != words.value:
        raise AssertionError("%d of %d words of shared memory came back right" % (right.value, words.value))
    return {"uses_value": True, "text": "%d bytes of shared memory in one block, every word checked" % size}


def _check(cuda: Any, call: str, status: int) -> None:
    if status:
        name = ctypes.c_char_p()
        cuda.cuGetErrorName(status, ctypes.byref(name))
        raise RuntimeError("{}: {}".format(call, (name.value or b"error %d" % status).decode()))
