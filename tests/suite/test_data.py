"""Arrays in several files are one array, read where it is asked for."""

from pathlib import Path

import numpy as np
import pytest

from suite.data import Shards, load

WHOLE = np.arange(7 * 2 * 3, dtype=np.uint8).reshape(7, 2, 3)


@pytest.fixture
def shards():
    return Shards([WHOLE[:3], WHOLE[3:4], WHOLE[4:]])


def test_they_look_like_one_array(shards):
    assert (shards.shape, shards.dtype, shards.ndim, shards.nbytes) == (WHOLE.shape, "uint8", 3, WHOLE.nbytes)
    assert len(shards) == 7


@pytest.mark.parametrize("rows", [[], [0], [6, 0, 3, 3, 2, 4], slice(2, 5), slice(None), slice(0, 0)])
def test_rows_are_found_in_whichever_file_they_lie(shards, rows):
    wanted = WHOLE[rows] if rows != [] else WHOLE[:0]
    assert np.array_equal(shards[rows if isinstance(rows, slice) else np.array(rows, int)], wanted)


@pytest.mark.parametrize("row", range(7))
def test_one_row_is_where_it_lies(shards, row):
    assert np.array_equal(shards[row], WHOLE[row]) and np.shares_memory(shards[row], WHOLE)


@pytest.mark.parametrize("row", [7, -1])
def test_a_row_that_is_not_there_is_an_error(shards, row):
    with pytest.raises(IndexError, match=f"row {row} of 7"):
        shards[row]


@pytest.mark.parametrize("mapped", [True, False])
def test_a_folder_may_have_both_kinds_of_files(tmp_path: Path, mapped):
    for split in ("train", "test"):
        for number, part in enumerate(np.array_split(WHOLE, 3)):
            np.save(tmp_path / f"{split}_x.{number:03}.npy", part)
        np.save(tmp_path / f"{split}_y.npy", np.arange(7))
    found = load(tmp_path, mapped)
    assert list(found.train) == ["x", "y"]
    assert np.array_equal(found.train["x"][:], WHOLE) and isinstance(found.train["x"], Shards) is mapped
    assert found.size_bytes == 2 * (WHOLE.nbytes + 56)
