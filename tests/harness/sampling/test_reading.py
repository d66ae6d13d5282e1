"""Stored samples come back as the series that were sampled, whatever their order among the channels."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.errors import ANEW, CampaignError, UnsafeFile
from harness.files import bounded_parquet
from harness.records import Channel, ChannelKind, Provenance
from harness.sampling import reading
from harness.sampling.writing import Spool, to_parquet

NAMES = ("counter", "gauge", "other")


def channel(name: str, kind: ChannelKind = ChannelKind.GAUGE, wraps_at: float | None = None) -> Channel:
    return Channel(
        name=name,
        meter="test",
        unit="J",
        kind=kind,
        provenance=Provenance.SIMULATED,
        domain="test",
        wraps_at=wraps_at,
    )


CHANNELS = (channel("counter", ChannelKind.COUNTER, wraps_at=100.0), channel("gauge"), channel("other"))


@given(
    rows=st.lists(st.tuples(st.sampled_from(NAMES[1:]), st.floats(-1e20, 1e20)), max_size=60),
    flush_at=st.integers(0, 60),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
def test_each_channel_gets_its_own_readings_in_order(
    tmp_path: Path, rows: list[tuple[str, float]], flush_at: int
) -> None:
    spool = Spool(tmp_path / "s", NAMES)
    for t_ns, (name, value) in enumerate(rows):
        spool.add(t_ns, {name: value})
        if t_ns == flush_at:
            spool.flush()  # a row group of its own, with a dictionary of its own
    spool.close()
    to_parquet(tmp_path / "s")
    found = {one.channel.name: one for one in reading.read(tmp_path / "s", CHANNELS)}
    assert set(found) == {name for name, _ in rows}
    for name, one in found.items():
        expected = [(t_ns, value) for t_ns, (own, value) in enumerate(rows) if own == name]
        assert list(zip(one.t_ns.tolist(), one.values.tolist(), strict=True)) == expected


def test_a_counter_comes_out_unwrapped_and_a_name_of_another_writer_is_read(tmp_path: Path) -> None:
    """Any Parquet with these columns will do, not only ours with its dictionary."""
    rows = [(1, "counter", 90.0), (1, "gauge", 7.0), (2, "counter", 10.0), (2, "gauge", 5.0)]
    path = tmp_path / "s.parquet"
    pd.DataFrame(rows, columns=["t_ns", "channel", "value"]).to_parquet(path, index=False)
    counter, gauge = reading.read(path, CHANNELS)
    assert (counter.values.tolist(), counter.t_ns.tolist()) == ([0.0, 20.0], [1, 2])
    assert (gauge.values.tolist(), gauge.values.dtype) == ([7.0, 5.0], np.float64)


@pytest.mark.parametrize("kept", [False, True])
def test_what_was_not_sampled_has_no_series(tmp_path: Path, kept: bool) -> None:
    path = tmp_path / "s.parquet"
    if kept:
        pd.DataFrame({"t_ns": [], "channel": [], "value": []}).astype({"channel": str}).to_parquet(path)
    assert reading.read(path, CHANNELS) == []


def stored(path: Path, **columns: object) -> Path:
    """Two sound readings, but for the columns named."""
    sound = {"t_ns": [1, 2], "channel": ["gauge", "gauge"], "value": [1.0, 2.0]}
    chosen = {name: values for name, values in {**sound, **columns}.items() if values is not None}
    pq.write_table(pa.table(chosen), path)
    return path


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"value": [1.0, float("nan")]}, "a value is no finite number"),
        ({"value": [float("-inf"), 1.0]}, "a value is no finite number"),
        ({"value": [1.0, 1e300]}, "a value is no finite number"),
        ({"value": [1.0, None]}, "lacks its time, its channel or its value"),
        ({"channel": ["gauge", None]}, "lacks its time, its channel or its value"),
        ({"t_ns": [2, 1]}, "time runs backwards in gauge"),
        ({"t_ns": [-(2**63), 2**63 - 1]}, "more than a century apart"),
        ({"t_ns": None}, "no column t_ns of type INT64"),
        ({"t_ns": [1.0, 2.0]}, "no column t_ns of type INT64"),
        ({"t_ns": [[1], [2]]}, "no column t_ns of type INT64"),
        ({"t_ns": pa.array([1, 2**64 - 1], pa.uint64())}, "out of bounds|not in range"),
        ({"channel": [1, 2]}, "no column channel of type BYTE_ARRAY"),
        ({"channel": [b"gauge", b"\xff\xfe"]}, "UTF8|utf"),
        ({"value": ["1", "2"]}, "no column value of type DOUBLE"),
    ],
)
def test_what_is_no_reading_is_one_line_that_names_the_file(
    tmp_path: Path, columns: dict[str, object], words: str
) -> None:
    path = stored(tmp_path / "s.parquet", **columns)
    with pytest.raises(CampaignError, match=words) as caught:
        reading.read(path, CHANNELS)
    assert str(caught.value).startswith(f"{path} holds no samples") and "\n" not in str(caught.value)
    assert str(caught.value).endswith(f"; {ANEW}") and str(caught.value).count(ANEW) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"", b"PAR1", b"text", b"t_ns,channel,value\n1,gauge,1.0\n" * 40, b"PAR1" + b"x" * 400,
        b"x" * 400 + b"PAR1", b"PAR1" + b"\xff" * 4096 + b"\xff\xff\0\0PAR1",
    ],
)  # fmt: skip
def test_what_is_no_parquet_is_told_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "s.parquet").write_bytes(content)
    with pytest.raises(CampaignError, match="can be read: it is damaged or cut short: no Parquet file"):
        reading.read(tmp_path / "s.parquet", CHANNELS)


def test_a_parquet_cut_anywhere_is_told_to_be_cut(tmp_path: Path) -> None:
    path = stored(tmp_path / "s.parquet")
    content = path.read_bytes()
    for length in (len(content) - 1, len(content) // 2, 12, 5):
        path.write_bytes(content[:length])
        with pytest.raises(CampaignError, match="it is damaged or cut short: no Parquet file"):
            reading.read(path, CHANNELS)


def test_a_footer_of_garbage_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "s.parquet").write_bytes(b"PAR1" + b"\xff" * 4096 + b"\xff\x0f\0\0PAR1")
    with pytest.raises(CampaignError, match="holds no samples that can be read"):
        reading.read(tmp_path / "s.parquet", CHANNELS)


def test_a_small_file_of_endless_rows_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    """Runs of one value pack a hundred million rows into a few kilobytes."""
    rows, path = bounded_parquet.MOST_ROWS // 2 + 1, tmp_path / "s.parquet"
    alike = pa.table({
        "t_ns": pa.DictionaryArray.from_arrays(np.zeros(rows, np.int8), [1]).dictionary_decode(),
        "channel": pa.DictionaryArray.from_arrays(np.zeros(rows, np.int8), ["gauge"]),
        "value": np.zeros(rows),
    })  # fmt: skip
    with pq.ParquetWriter(path, alike.schema, compression="zstd") as writer:
        writer.write_table(alike, row_group_size=rows)
        writer.write_table(alike, row_group_size=rows)
    del alike
    assert path.stat().st_size < 1 << 20
    before = pa.total_allocated_bytes()
    with pytest.raises(CampaignError, match="more than the 33554432 rows"):
        reading.read(path, CHANNELS)
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_endless_names_of_channels_are_refused_before_they_take_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dictionary of one long text, packed well."""
    monkeypatch.setattr(bounded_parquet, "MOST_BYTES", 1 << 24)
    path = tmp_path / "s.parquet"
    groups = [
        stored(tmp_path / "one.parquet", channel=["x" * (bounded_parquet.MOST_BYTES // 8), "gauge"])
    ] * 9
    table = pq.read_table(groups[0])
    with pq.ParquetWriter(path, table.schema, compression="zstd", write_statistics=False) as writer:
        for _ in groups:
            writer.write_table(table)
    assert path.stat().st_size < 1 << 20
    with pytest.raises(CampaignError, match="bytes that are read"):
        reading.read(path, CHANNELS)


LONG_NAME = """
import sys, pyarrow, pyarrow.parquet
table = pyarrow.table({"t_ns": [1], "channel": ["x" * (1 << 28)], "value": [1.0]})
pyarrow.parquet.write_table(table, sys.argv[1], compression="zstd", write_statistics=False)
"""


def varint(number: int, length: int = 0) -> bytes:
    """As Thrift's compact protocol writes a number, padded to a length."""
    number, digits = 2 * number, bytearray()
    while number > 127 or len(digits) + 1 < length:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])


def test_a_file_that_lies_about_its_size_takes_no_more_memory_than_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its footer promises a few bytes; its pages unpack to as many as they like."""
    monkeypatch.setattr(bounded_parquet, "MOST_MEMORY_BYTES", 1 << 27)
    monkeypatch.setattr(bounded_parquet, "MOST_BYTES", 1 << 20)
    path = tmp_path / "s.parquet"
    subprocess.run(
        [sys.executable, "-c", LONG_NAME, path], check=True
    )  # whose memory is not ours to use again
    true = pq.read_metadata(path).row_group(0).total_byte_size
    content = path.read_bytes()
    assert len(content) < 1 << 20 < true and content.count(varint(true)) == 1
    path.write_bytes(content.replace(varint(true), varint(99, len(varint(true)))))
    assert pq.read_metadata(path).row_group(0).total_byte_size == 99
    with pytest.raises(CampaignError, match="holds no samples that can be read"):
        reading.read(path, CHANNELS)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("plant", [lambda at, to: at.symlink_to(to), lambda at, to: os.mkfifo(at)])
def test_only_a_regular_file_is_read(tmp_path: Path, plant: Callable[[Path, Path], None]) -> None:
    (tmp_path / "run").mkdir()
    plant(tmp_path / "run" / "s.parquet", stored(tmp_path / "elsewhere.parquet"))
    with pytest.raises(UnsafeFile, match="is not read"):
        reading.read(tmp_path / "run" / "s.parquet", CHANNELS)


def test_a_link_in_the_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    stored(tmp_path / "real" / "block-0001.parquet")
    (tmp_path / "baselines").symlink_to(tmp_path / "real")
    with pytest.raises(UnsafeFile, match="is not read"):
        reading.read(tmp_path / "baselines" / "block-0001.parquet", CHANNELS)


def test_a_footer_that_unpacks_to_hundreds_of_megabytes_is_refused_by_its_length(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    footer = b"\x19\xfc" + bytes(2 << 20)
    (tmp_path / "run" / "samples.parquet").write_bytes(
        b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    )
    with pytest.raises(CampaignError, match="its footer is larger than"):
        reading.read(tmp_path / "run" / "samples.parquet", ())


def test_more_channels_than_anybody_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_NAMES", 3)
    (tmp_path / "run").mkdir()
    path = tmp_path / "run" / "samples.parquet"
    for names in (3, 4):
        told = [f"c{number}" for number in range(names)]
        table = pa.table({"t_ns": range(names), "channel": told, "value": [1.0] * names})
        pq.write_table(table.cast(reading.SCHEMA), path)
        if names == 3:
            assert reading.read(path, ()) == []
    with pytest.raises(CampaignError, match="more than the 3 channels"):
        reading.read(path, ())
