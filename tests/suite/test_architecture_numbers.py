"""No number of an architecture stands twice: a network's implementations read it from the spec."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from harness import paths

# Axes, ends of a shape, halves, and the dimensions of an image; whatever is larger is some layer's size.
NO_SIZES = {0, 1, 2}
IMPLEMENTATIONS = sorted(
    path
    for pattern in ("*/*_impl.py", "residual/*_residual.py")
    for path in paths.SUITE.glob(pattern)
    if path.name != "sklearn_impl.py"
)


def sizes(source: str) -> list[int]:
    """Whole numbers in the code that could be a layer's."""
    constants = (one.value for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Constant))
    return [one for one in constants if type(one) is int and one not in NO_SIZES]


@pytest.mark.parametrize("path", IMPLEMENTATIONS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_implementation_has_no_sizes_of_its_own(path: Path) -> None:
    assert sizes(path.read_text()) == []


def test_sizes_are_found_where_they_stand() -> None:
    assert len(IMPLEMENTATIONS) >= 24
    assert sizes("Net(7 * 7 * 128, [(64, x.mean((-2, -1)))])") == [128, 7, 7, 64]
