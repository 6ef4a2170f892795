"""Start hwlint, and turn whatever ends it into lines for the user and an exit status."""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from hwlint.cli.status import Status
from hwlint.model.errors import HwlintError
from hwlint.model.suggest import did_you_mean


def main() -> NoReturn:
    """Run with the process's own arguments and leave the process; the console script.

    The process ends at once: taking apart the trees of a large code base takes longer than writing the report.
    """
    status = run(sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        status = Status.READER_GONE
    except (OSError, ValueError):
        status = status or Status.MISUSE
    os._exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return the exit status; no exception leaves this function."""
    from hwlint.cli.commands import hwlint

    if "_HWLINT_COMPLETE" in os.environ:  # a shell asks what a word can become
        from hwlint.cli.completion import register

        register()
    try:
        status = hwlint.main(args=list(arguments), prog_name="hwlint", standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except (click.Abort, KeyboardInterrupt):
        return Status.INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return Status.MISUSE
    except click.NoSuchOption as error:
        return _complain((_no_such_option(error),), error)
    except click.ClickException as error:
        return _complain((error.format_message(),), error)
    except HwlintError as error:
        return _complain(error.messages, error)
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:
            return _complain((_our_fault(error),), error)
        return _complain((f"cannot write the output: {error.strerror}",), error)
    except Exception as error:  # noqa: BLE001 - the last resort: a user gets a line, never a traceback
        return _complain((_our_fault(error),), error)
    return status if isinstance(status, int) else Status.CLEAN


def _complain(messages: Sequence[str], error: Exception) -> int:
    """Print a line for each message (with HWLINT_DEBUG=1 the traceback first), and return the status for misuse."""
    from hwlint.report.display import printable

    if os.environ.get("HWLINT_DEBUG") == "1":
        traceback.print_exception(error)
    for message in messages:
        click.echo(f"hwlint: error: {printable(' '.join(message.split()))}", err=True)
    return Status.MISUSE


def _no_such_option(error: click.NoSuchOption) -> str:
    known = [name for option in error.ctx.command.params for name in option.opts] if error.ctx is not None else []
    called = error.ctx.command_path if error.ctx is not None else "hwlint"
    hint = did_you_mean(error.option_name, [name for name in known if name.startswith("--")])
    return f"there is no option `{error.option_name}`{hint or f'; `{called} --help` lists them'}"


def _our_fault(error: Exception) -> str:
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    return (
        f"this is a fault of hwlint, not of the code it read ({said}); "
        "run again with HWLINT_DEBUG=1 and report what it prints, as CONTRIBUTING.md says"
    )
