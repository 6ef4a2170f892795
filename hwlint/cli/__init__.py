"""Offer hwlint on the command line; the only place that knows click."""

from hwlint.cli.entry import main, run

__all__ = ["main", "run"]
