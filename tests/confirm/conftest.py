"""Build small projects with one finding and one fix, and a stand-in torch that claims a device."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from hwlint.hardware.table import load
from hwlint.model.architecture import Architecture
from hwlint.model.finding import Certainty, Edit, Finding, Fix, Level, Safety
from hwlint.model.span import Span

FAKE_TORCH = '''
"""Stands in for torch on a machine with one device of compute capability {capability}."""
from . import cuda
__version__ = "2.11.0+fake"
class version:
    cuda = "13.0"
    hip = None
class device:
    def __init__(self, kind="cuda", index=None):
        self.type, self.index = kind, index
'''
FAKE_CUDA = """
class _Properties:
    major, minor = {capability}
    name = "Fake GPU"
    uuid = "GPU-1234"
    warp_size = 32
    shared_memory_per_block_optin = {optin}
def is_available(): return True
def device_count(): return 1
def current_device(): return 0
def get_device_capability(device=None): return {capability}
def get_device_name(device=None): return "Fake GPU"
def get_device_properties(device=None): return _Properties()
"""


def architecture(name: str) -> Architecture:
    """Return a row of the catalogue."""
    found = load().find(name)
    assert found is not None
    return found


def span_of(text: str, wanted: str, path: str, *, nth: int = 0) -> Span:
    """Return where the nth occurrence of `wanted` stands in `text`."""
    start = -1
    for _ in range(nth + 1):
        start = text.index(wanted, start + 1)
    end = start + len(wanted)
    before, through = text[:start], text[:end]
    return Span(
        path,
        before.count("\n") + 1,
        start - (before.rfind("\n") + 1) + 1,
        through.count("\n") + 1,
        end - (through.rfind("\n") + 1) + 1,
    )


@dataclass(frozen=True)
class Case:
    """A project on disk with one finding that has one fix."""

    root: Path
    finding: Finding
    fix: Fix


@pytest.fixture
def make_case(tmp_path: Path) -> Callable[..., Case]:
    """Return a function that writes a project and describes its one finding."""

    def make(
        files: dict[str, str],
        lookup: str,
        *,
        where: str = "pkg/mod.py",
        edit: tuple[str, str, str] | None = None,
        outcome: str = "KeyError: 9",
        targets: tuple[str, ...] = ("sm_90",),
        symbol: str = "",
        module: str = "",
        missing: dict[str, object] | None = None,
        nth: int = 0,
    ) -> Case:
        root = tmp_path / "project"
        texts = {path: textwrap.dedent(text) for path, text in files.items()}
        for path, text in texts.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text)
        edits: tuple[Edit, ...] = ()
        if edit is not None:
            path, old, new = edit
            edits = (Edit(span_of(texts[path], old, path), new),)
        fix = Fix("add the entry", Safety.UNSAFE, "copied", edits, donor="sm_100")
        finding = Finding(
            "HW101",
            "missing-key",
            Level.ERROR,
            Certainty.CERTAIN,
            outcome,
            span_of(texts[where], lookup, where, nth=nth),
            symbol,
            targets,
            outcome,
            table="TABLE",
            facts={"lookup_text": lookup, "module": module, "missing": missing or {}},
            fixes=(fix,),
            fingerprint="f" * 16,
        )
        return Case(root, finding, fix)

    return make


@pytest.fixture
def fake_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that puts a torch on PYTHONPATH which reports a device of the capability given."""

    def install(capability: tuple[int, int], *, optin: int = 232448) -> None:
        folder = tmp_path / "site"
        (folder / "torch").mkdir(parents=True, exist_ok=True)
        (folder / "torch" / "__init__.py").write_text(FAKE_TORCH.replace("{capability}", str(capability)))
        cuda = FAKE_CUDA.replace("{capability}", str(capability)).replace("{optin}", str(optin))
        (folder / "torch" / "cuda.py").write_text(cuda)
        monkeypatch.setenv("PYTHONPATH", str(folder))

    return install


@pytest.fixture(autouse=True)
def no_python_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no PYTHONPATH of the machine that tests into the children."""
    monkeypatch.delenv("PYTHONPATH", raising=False)
