"""Drive a headless Chromium over its debugging pipe, so that the page is tested where people will open it."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def find_browser() -> str | None:
    """The program to drive: what HWLINT_CHROMIUM names, or the first of the usual names on the path."""
    named = os.environ.get("HWLINT_CHROMIUM")
    return named or next((found for name in _NAMES if (found := shutil.which(name))), None)


class Page:
    """One tab: commands of the DevTools protocol, and what its scripts complained about."""

    def __init__(self, read: int, write: int) -> None:
        self._read, self._write = read, write
        self._buffer = b""
        self._count = 0
        self._session = ""
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def attach(self) -> None:
        """Open a tab and listen to it."""
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.command(f"{domain}.enable")
        self.command("Performance.enable", timeDomain="threadTicks")

    def command(self, method: str, **parameters: object) -> dict[str, Any]:
        """Send one command and return its result; events that come before it are kept."""
        self._count += 1
        message: dict[str, object] = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result = answer["result"]
                assert isinstance(result, dict)
                return result
            self._note(answer)

    def open(self, file: Path, *, hash_part: str = "") -> float:
        """Open a file, wait until its script has drawn, and return the seconds that took."""
        began = time.monotonic()
        self.command("Page.navigate", url=f"{file.as_uri()}{hash_part}")
        while self.value("document.documentElement?.dataset.ready ?? ''") == "":
            if time.monotonic() - began > 30:
                raise TimeoutError(f"{file}: not drawn within 30 s: {self.complaints}")
            time.sleep(0.01)
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        return time.monotonic() - began

    def value(self, expression: str) -> Any:
        """Evaluate JavaScript in the page (promises are awaited) and return its value."""
        answer = self.command("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def work(self) -> float:
        """Return the seconds of work that the page's thread has done so far: scripts, layout and painting."""
        metrics = self.command("Performance.getMetrics")["metrics"]
        return float(next(each["value"] for each in metrics if each["name"] == "TaskDuration"))

    def press(self, key: str, *, code: int = 0, text: str = "") -> None:
        """Press and release a key as a keyboard would."""
        common: dict[str, object] = {"key": key, "windowsVirtualKeyCode": code}
        self.command("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.command("Input.dispatchKeyEvent", type="keyUp", **common)

    def size(self, width: int, height: int) -> None:
        """Give the tab a size in CSS pixels."""
        self.command(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )

    def prefer(self, scheme: str, *, media: str = "") -> None:
        """Pretend that the user prefers `light` or `dark`, or prints."""
        self.command(
            "Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}]
        )

    def screenshot(self, file: Path) -> None:
        """Write what is seen as PNG."""
        file.write_bytes(base64.b64decode(self.command("Page.captureScreenshot", format="png")["data"]))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            chunk = os.read(self._read, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has left")
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\0")
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

    def _note(self, event: dict[str, Any]) -> None:
        parameters = event.get("params", {})
        match event.get("method"):
            case "Runtime.exceptionThrown":
                self.complaints.append(str(parameters["exceptionDetails"]))
            case "Log.entryAdded":
                self.complaints.append(str(parameters["entry"].get("text")))
            case "Network.requestWillBeSent":
                self.requests.append(str(parameters["request"]["url"]))


@contextmanager
def chromium(program: str) -> Iterator[Page]:
    """Start a browser with an empty profile and give its only tab."""
    to_browser, our_write = os.pipe()
    our_read, from_browser = os.pipe()

    def pipes() -> None:
        # The protocol's pipe is descriptors 3 and 4; move ours there, away from each other first.
        source, sink = os.dup(to_browser), os.dup(from_browser)
        high = [os.dup2(each, number) for each, number in ((source, 60), (sink, 61))]
        os.dup2(high[0], 3)
        os.dup2(high[1], 4)

    with tempfile.TemporaryDirectory(prefix="hwlint-browser-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [program, *_FLAGS, f"--user-data-dir={profile}"],
            preexec_fn=pipes,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        page = Page(our_read, our_write)
        try:
            page.attach()
            yield page
        finally:
            with suppress(OSError, RuntimeError):
                page._session = ""
                page.command("Browser.close")
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait()
            os.close(our_read)
            os.close(our_write)
