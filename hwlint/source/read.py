"""Read source files as bytes and decode them the way Python does, without ever blocking or following a link."""

from __future__ import annotations

import codecs
import errno
import io
import os
import stat
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from hwlint.model.report import Failure

MAX_BYTES = 32 * 1024 * 1024
"""Larger files are reported, not read: no hand-written module comes near."""

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)  # opening a FIFO would wait for its writer
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_BOM = codecs.BOM_UTF8


@dataclass(frozen=True, slots=True)
class Text:
    """One decoded file: `text` keeps every line end as it stands and holds no byte order mark.

    `path` is POSIX and relative to the project root, `encoding` is the codec's name, `digest` is the hex
    blake2b of the bytes (32 characters), which stands for the content in caches.
    """

    path: str
    text: str
    encoding: str
    bom: bool
    digest: str

    def to_bytes(self, changed: str | None = None) -> bytes:
        """Encode `changed`, or the text itself, the way the file was; raises UnicodeEncodeError where it cannot."""
        content = self.text if changed is None else changed
        return (_BOM if self.bom else b"") + content.encode(self.encoding)


def read(root: Path, path: str) -> Text | Failure:
    """Read and decode `path`, which is POSIX and relative to `root`; never raises for what the file holds."""
    data = read_bytes(f"{root}/{path}", shown=path)
    return data if isinstance(data, Failure) else decode(path, data)


def reader(root: Path) -> Callable[[str], str | None]:
    """Return a function that reads the text of a path below `root`; None where it cannot be read."""

    def text(path: str) -> str | None:
        content = read(root, path)
        return content.text if isinstance(content, Text) else None

    return text


def read_bytes(file: str, *, shown: str | None = None) -> bytes | Failure:
    """Return the bytes of a regular file of at most `MAX_BYTES`; `shown` is the path that a failure names."""
    shown = file if shown is None else shown
    try:
        descriptor = os.open(file, _OPEN_FLAGS)
    except (OSError, ValueError) as error:
        return Failure(shown, 1, _why_not_opened(error))
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return Failure(shown, 1, f"not a regular file but a {_kind(status.st_mode)}")
        if status.st_size > MAX_BYTES:
            return Failure(shown, 1, _too_large(status.st_size))
        data = os.read(descriptor, status.st_size + 1)
        while len(data) != status.st_size and len(data) <= MAX_BYTES and (more := os.read(descriptor, MAX_BYTES)):
            data += more
    except OSError as error:
        return Failure(shown, 1, f"cannot be read: {error.strerror or error}")
    finally:
        os.close(descriptor)
    return Failure(shown, 1, _too_large(len(data))) if len(data) > MAX_BYTES else data


def decode(path: str, data: bytes) -> Text | Failure:
    """Decode the bytes of one module by its byte order mark or PEP 263 comment, UTF-8 otherwise."""
    null = data.find(b"\0")
    if null >= 0:
        return Failure(path, _line_of(data, null), _null_message(data))
    bom = data.startswith(_BOM)
    body = data[len(_BOM) :] if bom else data
    encoding = "utf-8"
    try:
        if b"coding" in _first_two_lines(body):
            encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0].removesuffix("-sig")
        text = body.decode(encoding)
        if encoding != "utf-8":
            text.encode("utf-8")  # some codecs produce lone surrogates, which no Python source can hold
    except SyntaxError as error:
        return Failure(path, 1, f"cannot be decoded: {error.msg}")
    except UnicodeDecodeError as error:
        return Failure(path, _line_of(body, error.start), _undecodable(error, encoding))
    except (ValueError, LookupError) as error:
        return Failure(path, 1, f"cannot be decoded as {encoding}: {error}")
    return Text(path, text, encoding, bom, blake2b(data, digest_size=16).hexdigest())


def _first_two_lines(data: bytes) -> bytes:
    first = data.find(b"\n")
    second = data.find(b"\n", first + 1) if first >= 0 else -1
    return data if second < 0 else data[:second]


def _line_of(data: bytes, offset: int) -> int:
    before = data[:offset]
    return 1 + before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")


def _undecodable(error: UnicodeDecodeError, encoding: str) -> str:
    byte = error.object[error.start]
    if encoding == "utf-8":
        return f"not UTF-8 (byte 0x{byte:02x}), and no coding comment in the first two lines names another encoding"
    return f"cannot be decoded as {encoding} (byte 0x{byte:02x}: {error.reason})"


def _null_message(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "encoded as UTF-16 or UTF-32, which Python does not read as source; save it as UTF-8"
    return "contains a NUL byte, so it is not Python source"


def _too_large(size: int) -> str:
    return f"larger than {MAX_BYTES // 1024**2} MiB ({size / 1024**2:.1f} MiB), so it was not read"


def _kind(mode: int) -> str:
    kinds = (
        (stat.S_ISDIR, "directory"),
        (stat.S_ISFIFO, "named pipe"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
    )
    return next((name for matches, name in kinds if matches(mode)), "special file")


def _why_not_opened(error: OSError | ValueError) -> str:
    if not isinstance(error, OSError):
        return f"not a usable file name: {error}"
    match error.errno:
        case errno.ENOENT:
            return "no such file (it may have vanished during the run)"
        case errno.ELOOP:
            return "a symbolic link, which is not followed; give its target instead"
        case errno.EACCES | errno.EPERM:
            return "permission denied"
        case errno.ENXIO:
            return "not a regular file but a socket or device"
        case _:
            return f"cannot be opened: {error.strerror or error}"
