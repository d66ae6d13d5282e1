"""Arrays in several files are one array, read where it is asked for."""

import os
from pathlib import Path

import numpy as np
import pytest

from suite.data import RecordRows, Shards, load


def resident_bytes():
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS:"))


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


def test_what_was_read_is_no_memory_of_the_program(tmp_path: Path):
    several = np.zeros((64, 1 << 20), np.uint8)
    for number in range(2):
        np.save(tmp_path / f"train_x.{number:03}.npy", several)
    del several
    found, before = load(tmp_path, mapped=True).train["x"], resident_bytes()
    assert sum(int(found[row][-1]) for row in range(128)) == 0
    assert resident_bytes() - before < 16 << 20


def test_a_file_that_has_become_shorter_is_an_error(tmp_path: Path):
    np.save(tmp_path / "x.npy", WHOLE)
    rows = RecordRows(tmp_path / "x.npy")
    assert np.array_equal(rows[6], WHOLE[6])
    os.truncate(tmp_path / "x.npy", (tmp_path / "x.npy").stat().st_size - 1)
    with pytest.raises(ValueError):
        rows[6]


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
