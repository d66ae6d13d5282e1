"""Stored samples come back as the series that were sampled, whatever their order among the channels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness import samples
from harness.records import Channel, ChannelKind, Provenance
from harness.spool import Spool, to_parquet

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
    rows=st.lists(st.tuples(st.sampled_from(NAMES[1:]), st.floats(allow_nan=False)), max_size=60),
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
    found = {one.channel.name: one for one in samples.read(tmp_path / "s", CHANNELS)}
    assert set(found) == {name for name, _ in rows}
    for name, one in found.items():
        expected = [(t_ns, value) for t_ns, (own, value) in enumerate(rows) if own == name]
        assert list(zip(one.t_ns.tolist(), one.values.tolist(), strict=True)) == expected


def test_a_counter_comes_out_unwrapped_and_a_name_of_another_writer_is_read(tmp_path: Path) -> None:
    """Any Parquet with these columns will do, not only ours with its dictionary."""
    rows = [(1, "counter", 90.0), (1, "gauge", 7.0), (2, "counter", 10.0), (2, "gauge", 5.0)]
    path = tmp_path / "s.parquet"
    pd.DataFrame(rows, columns=["t_ns", "channel", "value"]).to_parquet(path, index=False)
    counter, gauge = samples.read(path, CHANNELS)
    assert (counter.values.tolist(), counter.t_ns.tolist()) == ([0.0, 20.0], [1, 2])
    assert (gauge.values.tolist(), gauge.values.dtype) == ([7.0, 5.0], np.float64)


@pytest.mark.parametrize("kept", [False, True])
def test_what_was_not_sampled_has_no_series(tmp_path: Path, kept: bool) -> None:
    path = tmp_path / "s.parquet"
    if kept:
        pd.DataFrame({"t_ns": [], "channel": [], "value": []}).astype({"channel": str}).to_parquet(path)
    assert samples.read(path, CHANNELS) == []
