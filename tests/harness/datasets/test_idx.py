"""IDX files are read whole or refused by name."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.datasets import idx
from harness.errors import DataError


def write_idx(path: Path, array: np.ndarray) -> Path:
    sizes = b"".join(size.to_bytes(4, "big") for size in array.shape)
    path.write_bytes(gzip.compress(bytes([0, 0, 8, array.ndim]) + sizes + array.tobytes()))
    return path


@given(shape=st.lists(st.integers(1, 7), min_size=1, max_size=3), seed=st.integers(0, 9))
def test_what_was_written_is_read(
    shape: list[int], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    array = np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)
    path = write_idx(tmp_path_factory.mktemp("idx") / "a.gz", array)
    assert np.array_equal(idx.read_gzipped(path), array)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda whole: whole[:-20], "not a whole gzip file"),
        (lambda whole: b"not gzip at all", "not a whole gzip file"),
        (lambda whole: gzip.compress(gzip.decompress(whole)[:-1]), "where its header says"),
        (lambda whole: gzip.compress(b"\0\0\x0d\x01\0\0\0\x01\0"), "not an IDX file of unsigned bytes"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, damage: object, words: str) -> None:
    path = write_idx(tmp_path / "images.gz", np.arange(100, dtype=np.uint8))
    path.write_bytes(damage(path.read_bytes()))  # type: ignore[operator]
    with pytest.raises(DataError, match=words) as caught:
        idx.read_gzipped(path)
    assert str(path) in str(caught.value)
