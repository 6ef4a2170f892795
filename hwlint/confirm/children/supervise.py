"""Run one command with limits, keep a little of its output, and leave no process of it behind."""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import subprocess
import time
from typing import Any

KEPT_OUTPUT = 32 * 1024
"""Bytes kept from the start of the output, and again from its end."""
_CHECK_EVERY = 0.1
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> bool:
    """Make this process the parent of every orphan among its descendants (Linux); say whether that worked."""
    return _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> bool:
    """Have the kernel send SIGTERM to this process when its parent ends (Linux); say whether that worked."""
    return _prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM))


def run(
    command: list[str], *, cwd: str, env: dict[str, str], seconds: float, memory: int | None = None
) -> dict[str, Any]:
    """Run `command` in a session of its own and return how it ended.

    `seconds` is wall time, `memory` bytes of resident memory of the command and all its descendants together.
    The answer holds `ended` (`exit`, `signal`, `time`, `memory` or `start`), `status`, `output` (start and end of
    both streams), `output_bytes`, `seconds`, and `left_behind`: how many processes had to be killed afterwards.
    """
    began = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return _answer("start", None, _Tail(text=str(error)), began, 0)
    tail = _Tail()
    ended = "exit"
    try:
        ended = _watch(process, tail, began + seconds, memory)
    finally:
        left_behind = _kill_all(process)
        _drain(process, tail)
    status = process.returncode
    if ended == "exit" and status is not None and status < 0:
        ended = "signal"
    return _answer(ended, status, tail, began, left_behind)


class _Tail:
    """The first and the last bytes of a stream, and how many there were."""

    def __init__(self, text: str = "") -> None:
        self.head = text.encode("utf-8", "replace")[:KEPT_OUTPUT]
        self.tail = b""
        self.total = len(self.head)

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = KEPT_OUTPUT - len(self.head)
        if room > 0:
            self.head += data[:room]
            data = data[room:]
        if data:
            self.tail = (self.tail + data)[-KEPT_OUTPUT:]

    def text(self) -> str:
        left_out = self.total - len(self.head) - len(self.tail)
        middle = "\n[... %d bytes left out ...]\n" % left_out if left_out > 0 else ""
        return self.head.decode("utf-8", "replace") + middle + self.tail.decode("utf-8", "replace")


def _answer(ended: str, status: int | None, tail: _Tail, began: float, left_behind: int) -> dict[str, Any]:
    return {
        "ended": ended,
        "status": status,
        "output": tail.text(),
        "output_bytes": tail.total,
        "seconds": round(time.monotonic() - began, 3),
        "left_behind": left_behind,
    }


def _watch(process: subprocess.Popen[bytes], tail: _Tail, deadline: float, memory: int | None) -> str:
    """Read the output until the command ends, its time is up or its memory is too much; say which."""
    stream = process.stdout
    assert stream is not None
    os.set_blocking(stream.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        next_check = 0.0
        while True:
            now = time.monotonic()
            if now >= deadline:
                return "time"
            if now >= next_check:
                next_check = now + _CHECK_EVERY
                if process.poll() is not None:
                    return "exit"
                if memory is not None and _resident(_descendants(os.getpid())) > memory:
                    return "memory"
            if not selector.get_map():
                time.sleep(0.01)
                continue
            for key, _ in selector.select(min(_CHECK_EVERY, max(0.0, deadline - now))):
                data = _read(key.fd)
                if data == b"":
                    selector.unregister(stream)
                elif data:
                    tail.add(data)


def _read(descriptor: int) -> bytes | None:
    try:
        return os.read(descriptor, 1 << 16)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _drain(process: subprocess.Popen[bytes], tail: _Tail) -> None:
    """Take what is still in the pipe; nobody writes to it any more."""
    stream = process.stdout
    if stream is None:
        return
    until = time.monotonic() + 1.0
    while time.monotonic() < until:
        data = _read(stream.fileno())
        if not data:
            break
        tail.add(data)
    stream.close()


def _kill_all(process: subprocess.Popen[bytes]) -> int:
    """Kill the command's process group and every descendant; return how many there were besides the command itself."""
    others = set(_descendants(os.getpid())) - {process.pid}
    _kill_group(process.pid)
    for _ in range(200):
        found = _descendants(os.getpid())
        others.update(pid for pid in found if pid != process.pid)
        for pid in found:
            _kill(pid)
        try:
            process.wait(timeout=0.02)
        except subprocess.TimeoutExpired:
            continue
        _reap()
        if not _descendants(os.getpid()):
            break
        time.sleep(0.02)
    return len(others)


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _reap() -> None:
    """Collect adopted orphans that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _descendants(root: int) -> list[int]:
    """Return the processes below `root`, from /proc; empty where there is no /proc."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    children: dict[int, list[int]] = {}
    for pid in pids:
        parent = _parent(pid)
        if parent is not None:
            children.setdefault(parent, []).append(pid)
    found: list[int] = []
    queue = list(children.get(root, ()))
    while queue:
        pid = queue.pop()
        found.append(pid)
        queue.extend(children.get(pid, ()))
    return found


def _parent(pid: int) -> int | None:
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            fields = file.read().rsplit(b")", 1)[1].split()
    except (OSError, IndexError):
        return None
    return int(fields[1])


def _resident(pids: list[int]) -> int:
    """Return the bytes of resident memory of these processes together."""
    pages = 0
    for pid in pids:
        try:
            with open("/proc/%d/statm" % pid, "rb") as file:
                pages += int(file.read().split()[1])
        except (OSError, IndexError, ValueError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


def _prctl(option: int, value: int) -> bool:
    try:
        return bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False
