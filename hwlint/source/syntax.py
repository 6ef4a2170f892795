"""Call Python's own parser quietly."""

from __future__ import annotations

import ast
import warnings


def parse_tree(source: str) -> ast.Module:
    """Return the tree of `source` without warning of anything (an invalid escape is not the business of a run).

    Raises SyntaxError, and for extreme input RecursionError, MemoryError or ValueError.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)
