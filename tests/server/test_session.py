"""Check what a session shows between two checks of the whole project, without an editor."""

from __future__ import annotations

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="NOT TESTED: no pygls; pip install '.[dev]' brings it")

from hwlint.server.session import Session
from hwlint.workflow.check import check
from tests.server.bench import Bench

SAMPLE = Path(__file__).resolve().parents[2] / "fixtures" / "symmetric_memory"
USER, TABLE = "peerlink/communicator.py", "peerlink/limits.py"
PATIENCE = 60


def test_the_change_of_one_file_shows_in_another_before_everything_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(shutil.copytree(SAMPLE, tmp_path / "project"))
    bench = Bench(root)
    table = (root / TABLE).read_text(encoding="utf-8")
    mended = table.replace("    10: {", "    11: {}, 12: {},\n    10: {", 1)
    assert mended != table
    monkeypatch.setattr(Session, "_check", lambda *_: None)
    seen: list[tuple[str, list[int]]] = []

    def publish(session: Session, path: str) -> None:
        seen.append((path, [one.finding.span.line for one in session.shown(path)]))

    async def until(wanted: tuple[str, list[int]]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not seen or wanted not in seen[-2:]:
                await asyncio.sleep(0.02)

    async def story() -> None:
        with ThreadPoolExecutor(1) as thread:
            session = Session(bench.settings, thread, publish, seen_nothing)
            session.views.facts, session.views.report = (
                bench.known,
                check([root], bench.settings, jobs=1, use_cache=False),
            )
            session.open(USER, (root / USER).read_text(encoding="utf-8"))
            session.open(TABLE, table)
            await until((USER, [31, 47]))
            session.change(TABLE, mended)
            await until((USER, [47]))
            session.change(TABLE, table)
            await until((USER, [31, 47]))
            session.end()

    asyncio.run(story())


def test_typing_does_not_keep_a_first_start_from_learning_what_the_hardware_reaches(tmp_path: Path) -> None:
    root = Path(shutil.copytree(SAMPLE, tmp_path / "project"))
    text = (root / USER).read_text(encoding="utf-8")

    async def story() -> None:
        with ThreadPoolExecutor(1) as thread:
            session = Session(Bench(root).settings, thread, lambda *_: None, seen_nothing)
            session.open(USER, text)
            async with asyncio.timeout(PATIENCE):
                while not session.ready.is_set():
                    await asyncio.sleep(0.01)
                    session.change(USER, f"{session.text(USER)}#")
            session.end()

    asyncio.run(story())


def seen_nothing(message: str) -> None:
    """A message to the user is a fault here."""
    raise AssertionError(message)
