"""Which paths are tests."""

from __future__ import annotations

import pytest

from hwlint.source.classify import is_test_path


@pytest.mark.parametrize(
    "path",
    ["tests/helper.py", "pkg/test/run.py", "a/unit_tests/b.py", "pkg/test_x.py", "pkg/x_test.py", "conftest.py",
     "pkg/linalg_tests/a.py", "tests.py"],
)  # fmt: skip
def test_a_test_is_known_by_its_folder_or_name(path: str) -> None:
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    ["torch/testing/_internal/common_cuda.py", "torchao/testing/training/roofline_utils.py", "pkg/latest.py",
     "pkg/contest/a.py", "pkg/testing.py", "pkg/attestation.py", "pkg/protest/b.py"],
)  # fmt: skip
def test_library_code_about_testing_is_no_test(path: str) -> None:
    assert not is_test_path(path)
