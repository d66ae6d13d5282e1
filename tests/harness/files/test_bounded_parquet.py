"""Parquet files that are damaged: told in our own words."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.files import bounded_parquet
from harness.files.bounded_parquet import DAMAGED, ParquetForm, read_table

SCHEMA = pa.schema([("t_ns", pa.int64()), ("name", pa.string())])
FORM = ParquetForm(SCHEMA, {"t_ns": "INT64", "name": "BYTE_ARRAY"}, ())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = pa.table({"t_ns": range(2000), "name": [f"name {number % 7}" for number in range(2000)]}, SCHEMA)
    pq.write_table(rows, tmp_path / "s.parquet", compression="zstd")
    return tmp_path / "s.parquet"


def refusal(path: Path) -> str:
    with path.open("rb") as file, pytest.raises(ValueError) as caught:
        read_table(file, FORM)
    return str(caught.value)


def xored(content: bytes, start: int, length: int = 40) -> bytes:
    changed = bytes(one ^ 0x5A for one in content[start : start + length])
    return content[:start] + changed + content[start + length :]


@pytest.mark.parametrize("start", [4, -60], ids=["a page's header", "the footer"])
def test_bytes_that_were_altered_are_told_without_the_librarys_jargon(path: Path, start: int) -> None:
    content = path.read_bytes()
    path.write_bytes(xored(content, start % len(content)))
    assert refusal(path) == DAMAGED


@pytest.mark.parametrize("length", [0, 3, 400, -100])
def test_what_is_cut_short_is_told_so(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])
    assert refusal(path) == "it is damaged or cut short: no Parquet file"


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"t_ns": [1]}, "no column name of type BYTE_ARRAY"),
        ({"t_ns": pa.array([2**64 - 1], pa.uint64()), "name": ["a"]}, "a number is out of bounds"),
        ({"t_ns": [1], "name": [b"\xff"]}, "a text is no UTF8"),
    ],
)
def test_what_has_another_form_is_told(path: Path, columns: dict[str, object], words: str) -> None:
    pq.write_table(pa.table(columns), path)
    assert words in refusal(path)


def test_a_file_that_unpacks_to_more_memory_than_is_given_is_told_so(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(bounded_parquet, "_table", full)
    assert "takes more than the 4294967296 bytes of memory" in refusal(path)


def test_a_disk_that_fails_is_no_damaged_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failed(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(bounded_parquet, "_table", failed)
    with path.open("rb") as file, pytest.raises(OSError, match="Input/output error"):
        read_table(file, FORM)
