"""The nearest name: what the user began to type, else what looks most like it."""

from __future__ import annotations

import pytest

from harness.suggest import unknown

VERSIONS = ["2.21.0", "2.20.0"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("2.20", "unknown version '2.20'; did you mean '2.20.0'? (known: 2.21.0, 2.20.0)"),
        ("2.2.0", "unknown version '2.2.0'; did you mean '2.21.0'? (known: 2.21.0, 2.20.0)"),
        ("latest", "unknown version 'latest' (known: 2.21.0, 2.20.0)"),
        ("", "unknown version '' (known: 2.21.0, 2.20.0)"),
    ],
)
def test_the_nearest_name_begins_with_what_was_typed_or_looks_like_it(name: str, line: str) -> None:
    assert unknown("version", name, VERSIONS) == line
