"""The raw data of published studies lie within the bounds: they are generous enough for real machines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness import importers
from harness.checks.counters import REPEATED_S
from harness.energy.plausible import breaches, longest_rest
from harness.energy.power_limits import ceiling_w
from harness.energy.series import Series, seconds
from harness.records import Channel, ChannelKind, Outcome, Provenance
from tests.conftest import SHARED

PUBLISHED = SHARED / "published"
J_PER_KWH = 3.6e6
EVER_NS = -(2**62), 2**62

pytestmark = pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published raw data are not here")


@pytest.mark.parametrize(
    ("name", "folder", "runs"), [("prengdl", "icse22", 120), ("sotillos", "sotillos23", 45)]
)
def test_imported_counters_and_powers_raise_no_doubt(name: str, folder: str, runs: int) -> None:
    imported = importers.read(name, PUBLISHED / folder)
    series = [one for run in imported.runs for one in run.series]
    assert len(imported.runs) > runs
    assert [breach for one in series for breach in breaches(one)] == []
    rests_s = [seconds(*longest_rest(one, *EVER_NS)) for one in series if one.channel.unit == "W"]
    assert 0 < max(rests_s) < REPEATED_S / 2


@pytest.mark.parametrize(
    ("name", "folder"),
    [("prengdl", "icse22"), ("sotillos", "sotillos23"), ("mlperf-training", "smc_mlperf_training40")],
)
def test_every_imported_run_counts(name: str, folder: str) -> None:
    runs = importers.read(name, PUBLISHED / folder).runs
    assert {run.outcome for run in runs} == {Outcome.OK}
    assert [one for run in runs for one in run.findings if one.code.startswith("counter")] == []


def test_a_node_of_eight_gpus_is_within_the_bound_of_a_machine() -> None:
    logs = list((PUBLISHED / "smc_mlperf_training40").rglob("node_0.txt"))
    assert len(logs) >= 20
    assert [breach for log in logs for breach in breaches(_node(log))] == []


def _node(log: Path) -> Series:
    lines = [
        json.loads(line.removeprefix(":::MLLOG "))
        for line in log.read_text().splitlines()
        if ":::MLLOG" in line
    ]
    rows = [(one["time_ms"] * 10**6, float(one["value"])) for one in lines if one["key"] == "power_reading"]
    t_ns, powers_w = zip(*rows, strict=True)
    channel = Channel(
        name="node", meter="command", unit="W", kind=ChannelKind.GAUGE, provenance=Provenance.MEASURED,
        domain="psys", boundary=True,
    )  # fmt: skip
    return Series(channel, np.array(t_ns), np.array(powers_w))


def test_mean_powers_of_codecarbon_are_within_the_bounds() -> None:
    rows = pd.read_csv(PUBLISHED / "deepgreen25" / "combined_data.csv")
    for column, domain in (("gpu_energy", "gpu"), ("cpu_energy", "cpu_package"), ("ram_energy", "dram")):
        power_w = rows[column] * J_PER_KWH / rows["duration"]
        assert power_w.max() < ceiling_w(domain)
