"""The sampling process keeps to its schedule, stays small, and survives what it samples."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import psutil
import pyarrow.parquet as pq
import pytest

from harness.records import PowerModel
from harness.sampling import client as sampler_module
from harness.sampling import writing
from harness.sampling.client import Sampler, SamplerLost
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=5)
PERIOD_S = 0.02


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PowercapTree]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    with PowercapTree(
        tmp_path / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]
    ) as one:
        yield one


@pytest.fixture
def sampler(tree: PowercapTree) -> Iterator[Sampler]:
    with Sampler(POWER_MODEL, PERIOD_S) as one:
        yield one


def test_the_schedule_is_absolute(sampler: Sampler, tmp_path: Path) -> None:
    """Late readings shift no later one: over two seconds, readings stay on the grid of the first."""
    sampler.begin(tmp_path / "samples.parquet")
    time.sleep(2.0)
    sampler.end()
    t_s = pd.read_parquet(tmp_path / "samples.parquet")["t_ns"].to_numpy()[1:-1] / 1e9
    places = (t_s - t_s[0]) / PERIOD_S
    late = places - places.round()
    assert abs(pd.Series(late).median()) < 0.2
    assert len(t_s) > 60


def test_a_recording_is_parquet_with_the_three_columns(sampler: Sampler, tmp_path: Path) -> None:
    sampler.begin(tmp_path / "samples.parquet")
    sampler.attach(os.getpid())
    sampler.end()
    assert pq.read_schema(tmp_path / "samples.parquet").names == ["t_ns", "channel", "value"]
    kept = pd.read_parquet(tmp_path / "samples.parquet")
    assert set(kept["channel"].unique()) >= {"rapl/package-0", "process/cpu_time", "process/memory_peak"}


def test_one_process_serves_one_recording_after_another(sampler: Sampler, tmp_path: Path) -> None:
    pids = set()
    for number in range(3):
        sampler.begin(tmp_path / f"{number}.parquet")
        pids |= {child.pid for child in psutil.Process().children()}
        recorded = sampler.end()
        assert recorded.cpu_s < 1
        assert recorded.memory_peak_bytes < 100 << 20
        assert not pd.read_parquet(tmp_path / f"{number}.parquet").empty
    assert len(pids) == 1


def test_a_killed_sampler_is_an_error_that_says_so(sampler: Sampler, tmp_path: Path) -> None:
    sampler.begin(tmp_path / "samples.parquet")
    for child in psutil.Process().children():
        child.kill()
        child.wait()
    with pytest.raises(SamplerLost):
        sampler.sample()
    sampler.begin(tmp_path / "again.parquet")
    sampler.end()


def test_the_sampler_ends_with_the_harness(sampler: Sampler, tmp_path: Path) -> None:
    sampler.begin(tmp_path / "samples.parquet")
    (child,) = psutil.Process().children()
    sampler.stop()
    assert not child.is_running()


def test_whole_blocks_survive_a_sampler_that_dies(tmp_path: Path) -> None:
    one = writing.Spool(tmp_path / "samples.parquet", ["a", "b"])
    one.add(1, {"a": 1.5, "b": 2.5})
    one.flush()
    one.add(2, {"a": 3.5})
    one.flush()
    raw = writing.raw_path(tmp_path / "samples.parquet")
    raw.write_bytes(raw.read_bytes()[:-3])  # the last block is cut short
    writing.salvage(tmp_path / "samples.parquet")
    kept = pd.read_parquet(tmp_path / "samples.parquet")
    assert kept.astype({"channel": str}).to_numpy().tolist() == [[1, "a", 1.5], [1, "b", 2.5]]
    assert not raw.exists()


def test_a_sampler_that_hangs_is_ended_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampler_module, "STOP_TIMEOUT_S", 0.5)
    with Sampler(POWER_MODEL, 0.05) as sampler:
        sampler.begin(tmp_path / "samples.parquet")
        process = sampler._process
        assert process is not None
        process.send_signal(signal.SIGSTOP)
    assert process.poll() == -signal.SIGKILL
