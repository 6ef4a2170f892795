"""Check the language server through a real client: what an editor shows before, while and after a file is edited."""

from __future__ import annotations

import asyncio
import shutil
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="NOT TESTED: no pygls; pip install '.[dev]' brings it")

from lsprotocol import types

from tests.server.bench import Bench
from tests.server.editor import Editor, applied, editor

SAMPLE = Path(__file__).resolve().parents[2] / "fixtures" / "symmetric_memory"
BOTH = [("HW101", 31), ("HW101", 47)]
ONE_MORE = "\n\nclass More:\n    def size(self):\n        return {9: 1}[torch.cuda.get_device_capability()[0]]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the sample that the editor opens."""
    return Path(shutil.copytree(SAMPLE, tmp_path / "project"))


def run(project: Path, story: Callable[[Editor], Coroutine[Any, Any, None]], **environment: str) -> None:
    """Let an editor live through a story with a server of its own."""

    async def lived() -> None:
        async with editor(project, **environment) as started:
            await story(started)

    asyncio.run(lived())


def test_an_opened_file_shows_what_check_reports_with_the_way_to_the_table(project: Path) -> None:
    file = project / "peerlink" / "communicator.py"

    async def story(there: Editor) -> None:
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)
        first = (there.diagnostics(file) or [])[0]
        assert (types.DiagnosticSeverity.Error, "hwlint") == (first.severity, first.source)
        assert "KeyError: 12" in first.message
        places = {one.location.uri.rpartition("/")[2] for one in first.related_information or []}
        assert {"communicator.py", "limits.py"} == places

    run(project, story)


def test_the_unsaved_text_is_what_counts_and_closing_takes_the_diagnostics_away(project: Path) -> None:
    file = project / "peerlink" / "communicator.py"
    text = file.read_text(encoding="utf-8")

    async def story(there: Editor) -> None:
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)
        await there.is_ready(file)
        there.type(file, "# one line more\n" + text + ONE_MORE)
        places = [("HW101", 32), ("HW101", 48), ("HW101", text.count("\n") + 6)]
        await there.until(lambda: there.places(file) == places)
        await there.next_for(file, time.monotonic())  # the check of the whole project says the same
        assert places == there.places(file)
        there.close(file)
        await there.until(lambda: there.places(file) == [])
        assert text == file.read_text(encoding="utf-8")

    run(project, story)


def test_a_table_that_is_mended_in_another_unsaved_file_takes_its_finding_away(project: Path) -> None:
    file, limits = project / "peerlink" / "communicator.py", project / "peerlink" / "limits.py"
    mended = limits.read_text(encoding="utf-8").replace("    10: {", "    11: {}, 12: {},\n    10: {", 1)

    async def story(there: Editor) -> None:
        there.open(file)
        there.open(limits)
        await there.until(lambda: there.places(file) == BOTH)
        there.type(limits, mended)
        await there.until(lambda: there.places(file) == BOTH[1:])
        there.close(limits)
        await there.until(lambda: there.places(file) == BOTH)

    run(project, story)


def test_while_the_text_cannot_be_parsed_the_findings_stay_at_their_lines(project: Path) -> None:
    file = project / "peerlink" / "communicator.py"
    text = file.read_text(encoding="utf-8")

    async def story(there: Editor) -> None:
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)
        await there.is_ready(file)
        there.type(file, f"import torch\nif (\n{text}")
        await there.until(lambda: there.places(file) == [("HW101", 33), ("HW101", 49)])

    run(project, story)


def test_hovering_tells_the_value_on_each_architecture(project: Path) -> None:
    file = project / "peerlink" / "communicator.py"
    line = next(at for at, row in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if "< 9" in row)

    async def story(there: Editor) -> None:
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)
        await there.is_ready(file)
        column = file.read_text(encoding="utf-8").splitlines()[line - 1].index("device_capability") + 1
        shown = await there.hover(file, line, column)
        assert shown is not None
        assert "`self.device_capability`" in shown
        assert "- `12`: sm_120, sm_121" in shown
        assert "- `9`: sm_90" in shown
        assert await there.hover(file, 1, 1) is None

    run(project, story)


def test_a_code_action_mends_the_unsaved_text_and_the_finding_goes(project: Path) -> None:
    file = project / "peerlink" / "communicator.py"
    text = "# é, a line that is not saved\n" + file.read_text(encoding="utf-8")

    async def story(there: Editor) -> None:
        there.open(file, text)
        await there.until(lambda: there.places(file) == [("HW101", 32), ("HW101", 48)])
        first = (there.diagnostics(file) or [])[0]
        offered = await there.actions(file, first)
        assert any("unsafe" in one.title for one in offered)
        safe = [one for one in offered if one.is_preferred]
        assert 1 == len(safe)
        assert "unsafe" not in safe[0].title
        there.type(file, applied(text, safe[0], file))
        await there.until(lambda: not any("MESSAGE_LIMITS" in one.message for one in there.diagnostics(file) or []))

    run(project, story)


def test_the_configuration_of_the_project_decides_and_a_broken_one_is_told_in_a_line(project: Path) -> None:
    file, settings = project / "peerlink" / "communicator.py", project / "hwlint.toml"
    good = settings.read_text(encoding="utf-8")

    async def story(there: Editor) -> None:
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)
        there.save(settings, 'targets = ["sm_90"]\n')
        await there.until(lambda: there.places(file) == [])
        there.save(settings, 'tragets = ["sm_90"]\n')
        await there.until(lambda: there.messages)
        assert "did you mean `targets`" in there.messages[0]
        assert "\n" not in there.messages[0]
        there.save(settings, good)
        await there.until(lambda: there.places(file) == BOTH)

    run(project, story)


def test_typing_quickly_ends_with_the_last_text(project: Path) -> None:
    file = project / "peerlink" / "communicator.py"
    text = file.read_text(encoding="utf-8")

    async def story(there: Editor) -> None:
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)
        for count in range(1, 21):
            there.type(file, "\n" * count + text)
            await asyncio.sleep(0.01)
        await there.until(lambda: there.places(file) == [("HW101", 51), ("HW101", 67)])

    run(project, story)


def test_after_every_edit_the_editor_comes_to_show_what_a_check_of_the_saved_text_reports(project: Path) -> None:
    file = project / "peerlink" / "communicator.py"
    text = file.read_text(encoding="utf-8")
    texts = [
        text.replace("< 9:", "< 11:"),
        text.replace("        if self.device_capability < 9:", "        if True:"),
        text.replace("MESSAGE_LIMITS[self.device_capability]", "MESSAGE_LIMITS.get(self.device_capability, {})"),
        text.replace("from peerlink.limits import MESSAGE_LIMITS", "MESSAGE_LIMITS = {9: {}, 11: {}}"),
        text.replace("    def sum(", "    def never_called("),
        f"# hwlint: ignore-file\n{text}",
        text + ONE_MORE,
        text,
    ]
    assert len(texts) == len(set(texts))
    bench = Bench(project)
    settings = bench.settings
    expected = [
        [
            (one.rule, one.span.line)
            for one in bench.checked("peerlink/communicator.py", new)
            if one.suppressed is None and one.level.rank >= settings.level.rank
        ]
        for new in texts
    ]
    assert 4 == len(set(map(tuple, expected)))

    async def story(there: Editor) -> None:
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)
        await there.is_ready(file)
        for new, places in zip(texts, expected, strict=True):
            there.type(file, new)
            await there.until(lambda places=places: there.places(file) == places)  # type: ignore[misc]

    run(project, story)


def test_what_the_editor_sends_wrong_is_answered_without_a_traceback(project: Path) -> None:
    file, gone = project / "peerlink" / "communicator.py", project / "peerlink" / "not_saved_yet.py"

    async def story(there: Editor) -> None:
        there.open(gone, "import torch\n")
        assert await there.hover(project / "README.md", 1, 1) is None
        assert await there.hover(gone, 7, 40) is None
        there.client.protocol.notify("textDocument/didChange", {"nonsense": 1})
        there.open(file)
        await there.until(lambda: there.places(file) == BOTH)

    run(project, story)


def test_without_pygls_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from hwlint.cli import run as command

    monkeypatch.setitem(sys.modules, "pygls", None)
    assert 2 == command(["server"])
    assert "pip install '.[server]'" in capsys.readouterr().err
