"""An array written by pieces is the file that NumPy reads, or none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets.growing import GrowingArray


@given(pieces=st.lists(st.integers(0, 5), max_size=6), dtype=st.sampled_from(["<u2", "<i4", "<f8"]))
def test_what_was_appended_is_read_again(
    pieces: list[int], dtype: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("growing") / "a.npy"
    rows = np.arange(sum(pieces) * 3).reshape(-1, 3).astype(dtype)
    with GrowingArray(path, dtype, (3,)) as growing:
        for piece in np.split(rows, np.cumsum(pieces)):
            growing.append(piece)
    for mode in (None, "r"):
        found = np.load(path, mode, allow_pickle=False) if len(rows) or not mode else rows
        assert np.array_equal(found, rows) and found.dtype == dtype and found.shape == rows.shape
    assert growing.length == len(rows)


def test_it_is_byte_for_byte_what_numpy_saves(tmp_path: Path) -> None:
    numbers = np.arange(1000, dtype=np.int32)
    np.save(tmp_path / "whole.npy", numbers)
    with GrowingArray(tmp_path / "pieces.npy", np.int32) as growing:
        growing.append(numbers[:1])
        growing.append(numbers[1:])
    assert (tmp_path / "pieces.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()


def test_rows_of_another_length_are_a_mistake_of_ours(tmp_path: Path) -> None:
    with pytest.raises(AssertionError), GrowingArray(tmp_path / "a.npy", np.int32, (3,)) as growing:
        growing.append([[1, 2]])
