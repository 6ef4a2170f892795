"""Run hwlint as `python -m hwlint` and as `hwlint`; stopping it while it still loads leaves no traceback."""

from typing import NoReturn


def main() -> NoReturn:
    """Run with the process's own arguments and leave the process; the console script."""
    try:
        from hwlint.cli import main as run
    except KeyboardInterrupt:
        import os

        os._exit(130)  # as `hwlint.cli.status.Status.INTERRUPTED`, which may not have been loaded
    run()


if __name__ == "__main__":
    main()
