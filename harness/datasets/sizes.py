"""What was read, held against what its authors say of it."""

from __future__ import annotations

from collections.abc import Mapping

from harness.errors import DataError


def check(name: str, expected: Mapping[str, int], found: Mapping[str, int]) -> None:
    """Raises: DataError naming all that differ; what is not expected of anything is not checked."""
    differing = [
        f"{found[what]} {what}, not {number}" for what, number in expected.items() if found[what] != number
    ]
    if differing:
        raise DataError(
            f"{name}: read {' and '.join(differing)}, as published: the official files were misread"
        )
