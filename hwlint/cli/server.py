"""`hwlint server`: show findings in an editor while the code is being written."""

from __future__ import annotations

from importlib.util import find_spec

import click

from hwlint.cli.options import manual
from hwlint.model.errors import UsageError

_MANUAL = manual(
    {"hwlint server": "what to tell the editor to run for Python files"},
    {0: "the editor has left", 2: "pygls is not installed, or wrong usage"},
)


@click.command("server", short_help="Speak the language server protocol, for editors.", epilog=_MANUAL)
def command() -> int:
    """Speak the language server protocol over standard input and output; editors start this, people do not.

    Findings are shown as diagnostics, also of texts that are not saved yet; hovering over an expression shows what it
    is on each architecture; fixes are offered as code actions. What to check and report is read from the configuration
    of the project that a file belongs to. Nothing that is read is run.
    """
    if find_spec("pygls") is None:
        raise UsageError(
            "the language server needs the package pygls; install it beside hwlint (`pip install pygls`), "
            "or hwlint from a checkout with `pip install '.[server]'`"
        )
    from hwlint.server.serve import serve

    serve()
    return 0
