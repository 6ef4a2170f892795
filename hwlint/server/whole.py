"""Check a whole project with the editor's unsaved texts, in a process that can be ended when they have changed again.

`python -m hwlint.server.whole` reads one request as JSON from standard input and writes answers, one JSON object a
line: the report of `hwlint check`, then what a look at a single file needs to know of all others.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hwlint.graph.relevance import Relevance
from hwlint.model.codec import dumps
from hwlint.model.errors import HwlintError
from hwlint.rulebook.origins import load_origins
from hwlint.server import remembered
from hwlint.source.discover import discover
from hwlint.workflow.analyse import choose
from hwlint.workflow.check import check
from hwlint.workflow.cores import usable_cores
from hwlint.workflow.scope import survey
from hwlint.workflow.settings import Settings, load_settings
from hwlint.workflow.workers import Workers, end_with_parent


def main() -> None:
    """Answer one request and leave."""
    end_with_parent()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(5)  # the edited file comes first
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints must not spoil the answers
    try:
        request = json.load(sys.stdin)
    except ValueError:  # the server has left before it asked
        os._exit(0)
    try:
        _answer(request, out)
    except HwlintError as error:
        _say(out, {"error": " ".join(str(error).split())})
    except Exception as error:
        if os.environ.get("HWLINT_DEBUG") == "1":
            raise
        _say(out, {"error": f"this is a fault of hwlint, not of the code it read ({type(error).__name__}: {error})"})
    out.flush()
    os._exit(0)


def _answer(request: Mapping[str, Any], out: Any) -> None:
    settings = load_settings([Path(request["place"])])
    overlay: dict[str, str] = request["overlay"]
    files = discover(settings.root, settings.folders, exclude=settings.exclude).files
    mark = remembered.mark(settings, files)
    known, is_current = remembered.load(settings, mark)
    if known is not None:
        _say(out, {"files": files, "relevance": remembered.encoded(known)})
    _say(out, {"report": dumps(check([settings.root], settings, overlay=overlay))})
    if request["follow"] or not is_current:
        known = _relevance(settings, overlay)
        remembered.store(settings, mark, known)
        _say(out, {"files": files, "relevance": remembered.encoded(known), "fresh": True})


def _relevance(settings: Settings, overlay: Mapping[str, str]) -> Relevance:
    scope = survey([settings.root], settings, overlay)
    with Workers(scope.sources, scope.files, usable_cores()) as workers:
        return choose(workers, scope.files, load_origins(declared=settings.origins))


def _say(out: Any, answer: Mapping[str, object]) -> None:
    out.write(json.dumps(answer) + "\n")
    out.flush()


if __name__ == "__main__":
    main()
