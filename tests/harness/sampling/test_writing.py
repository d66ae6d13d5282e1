"""Memory and loss on the way from readings to Parquet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from harness import paths
from harness.sampling import writing

CHANNELS = 40
TICKS_A_DAY = 24 * 3600 * 10
MIB_LIMIT = 150
# Feeds a spool as the sampler does, as fast as it goes; prints its high-water mark after a tenth, and at the end.
FEED = """
import sys
from pathlib import Path
from harness.sampling.recording import _peak_bytes
from harness.sampling.writing import Spool
path, channels, ticks = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
names = [f"meter/{number}" for number in range(channels)]
one = Spool(path, names)
for tick in range(ticks):
    one.add(tick * 100_000_000, {name: float(tick) for name in names})
    one.flush_if_due()
    if tick == ticks // 10:
        print(_peak_bytes())
one.close()
print(_peak_bytes())
"""


def fed(path: Path, ticks: int) -> list[int]:
    """Peak bytes of the feeding process, after a tenth and at the end."""
    command = [sys.executable, "-c", FEED, str(path), str(CHANNELS), str(ticks)]
    output = subprocess.run(command, cwd=paths.ROOT, check=True, capture_output=True, text=True).stdout
    return [int(line) for line in output.split()]


@pytest.mark.unhurried
def test_the_samplers_memory_does_not_grow_with_the_length_of_the_run(tmp_path: Path) -> None:
    """The twentieth part of a day at 10 Hz and 40 channels: what a tenth of it needs is what all of it needs."""
    path, ticks = tmp_path / "samples.parquet", TICKS_A_DAY // 20
    early, late = fed(path, ticks)
    print(f"{early / 2**20:.1f} MiB after a tenth, {late / 2**20:.1f} MiB at the end")
    assert late - early < 2 << 20
    assert late < MIB_LIMIT << 20
    writing.to_parquet(path)
    kept = pq.ParquetFile(path)
    assert kept.metadata.num_rows == ticks * CHANNELS
    assert kept.num_row_groups > 10  # made block by block


def test_a_day_goes_to_disk_while_it_runs(tmp_path: Path) -> None:
    """Readings do not wait for the end of the run: a batch is on disk once it is full."""
    path = tmp_path / "samples.parquet"
    one = writing.Spool(path, ["a"])
    for t_ns in range(writing.BATCH_ROWS):
        one.add(t_ns, {"a": 1.0})
    one.flush_if_due()
    assert writing.raw_path(path).stat().st_size > writing.BATCH_ROWS * 18
    one.close()
