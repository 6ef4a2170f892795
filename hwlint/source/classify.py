"""Tell test files from library code by their path alone."""

from __future__ import annotations

from pathlib import PurePosixPath

TEST_FOLDERS = frozenset({"tests", "test", "unit_tests", "unittests", "integration_tests", "e2e_tests"})
"""Names of folders that hold tests; `testing` is not among them, for libraries ship their test helpers under it."""


def is_test_path(path: str) -> bool:
    """Say whether `path` (POSIX, relative to the project root) is a test, going by pytest's and unittest's habits.

    A folder called `tests`, `test` or the like makes everything below it a test; so does `<name>_tests`. A file is one
    when it is called `test_*.py`, `*_test.py`, `*_tests.py`, `conftest.py`, `test.py` or `tests.py`.
    """
    *folders, name = PurePosixPath(path).parts or ("",)
    stem = name.removesuffix(".py")
    return (
        stem in {"conftest", "test", "tests"}
        or stem.startswith("test_")
        or stem.endswith(("_test", "_tests"))
        or any(folder in TEST_FOLDERS or folder.endswith("_tests") for folder in folders)
    )
