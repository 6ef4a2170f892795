"""List the commands, and load one only when it is asked for, so that `hwlint --version` stays quick."""

from __future__ import annotations

from importlib import import_module

import click

from hwlint import __version__
from hwlint.model.suggest import did_you_mean

_COMMANDS = {
    "check": "hwlint.cli.check",
    "fix": "hwlint.cli.fix",
    "confirm": "hwlint.cli.confirm",
    "trace": "hwlint.cli.trace",
    "matrix": "hwlint.cli.matrix",
    "rule": "hwlint.cli.rule",
    "archs": "hwlint.cli.archs",
    "graph": "hwlint.cli.graph",
    "cache": "hwlint.cli.cache",
    "server": "hwlint.cli.server",
}
"""Command name to the module that holds a click command called `command`, in the order of the help."""


class LazyCommands(click.Group):
    """A group whose commands live in modules that are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the help."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command, or None where there is no such name."""
        if cmd_name not in _COMMANDS:
            return None
        command = import_module(_COMMANDS[cmd_name]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names; a path there most likely wants `check`."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            hint = did_you_mean(args[0], _COMMANDS) or f"; did you mean `hwlint check {args[0]}`?"
            raise click.UsageError(f"there is no command `{args[0]}`{hint}", ctx)
        return super().resolve_command(ctx, args)


_MANUAL = """\b
Completion for your shell:
  bash  echo 'eval "$(_HWLINT_COMPLETE=bash_source hwlint)"' >> ~/.bashrc
  zsh   echo 'eval "$(_HWLINT_COMPLETE=zsh_source hwlint)"' >> ~/.zshrc
  fish  _HWLINT_COMPLETE=fish_source hwlint > ~/.config/fish/completions/hwlint.fish

\b
Environment:
  NO_COLOR, FORCE_COLOR  never colour, always colour
  HWLINT_DEBUG=1         print the traceback of a fault of hwlint

Each command has its own --help, with examples and exit statuses."""


@click.group(
    cls=LazyCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_MANUAL,
)
@click.version_option(__version__, prog_name="hwlint", message="%(prog)s %(version)s")
def hwlint() -> None:
    """Find what breaks on other GPU architectures, without the hardware.

    hwlint reads Python source, works out, architecture by architecture, what tables and branches that depend on the
    hardware do there, and reports where that fails. It runs nothing of the code it reads.
    """
