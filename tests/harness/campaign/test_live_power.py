"""The power of a run under way is that of the meters' own last readings, or unknown: never a zero, never a mixture."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.campaign import live_power
from harness.campaign.live_power import BEAT_S, LivePower
from harness.records import Channel, ChannelKind, Provenance
from harness.sampling.client import Latest, Sampler
from tests.campaigns import channel
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.sampling.test_client import POWER_MODEL

S = 10**9
COUNTER = channel("rapl/package-0", "rapl", "J", "cpu_package", boundary=True, wraps_at=1000.0)
GAUGE = channel("nvml/gpu-0/power", "nvml", "W", "gpu", kind=ChannelKind.GAUGE, boundary=True)
ESTIMATE = COUNTER.model_copy(update={"name": "estimate/cpu", "provenance": Provenance.ESTIMATED})
Told = list[tuple[float | None, Provenance | None]]


def told(monkeypatch: pytest.MonkeyPatch, channels: Sequence[Channel], *readings: Latest) -> Told:
    """What is told, beat by beat, where the sampler answers so; time passes on a clock of its own."""
    now_s = 0.0
    monkeypatch.setattr(live_power.time, "monotonic", lambda: now_s)
    answers, found = iter(readings), Told()
    live = LivePower(lambda: next(answers), channels, lambda *words: found.append(words))
    for _ in readings[1:]:
        now_s += BEAT_S
        live.beat()
        live.beat()  # too early: asks nothing
    return found


def test_watts_are_counted_through_a_wrap_between_a_channels_own_readings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = {COUNTER.name: (0, 990.0)}, {COUNTER.name: (int(1.9 * S), 66.0)}
    assert told(monkeypatch, [COUNTER], first, second) == [(pytest.approx(40.0), Provenance.MEASURED)]


def test_a_sum_with_an_integrated_gauge_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    first = {COUNTER.name: (0, 0.0), GAUGE.name: (0, 100.0)}
    second = {COUNTER.name: (S, 30.0), GAUGE.name: (2 * S, 200.0)}
    assert told(monkeypatch, [COUNTER, GAUGE], first, second) == [(180.0, Provenance.DERIVED)]


def test_a_meter_slower_than_the_beat_keeps_its_watts_until_it_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    readings = [(0, 0.0), (10 * S, 400.0), (10 * S, 400.0), (20 * S, 500.0)]
    found = told(monkeypatch, [COUNTER], *({COUNTER.name: one} for one in readings))
    assert [power_w for power_w, _ in found] == [40.0, 40.0, 10.0]


def test_what_was_read_once_or_fell_silent_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {COUNTER.name: (0, 0.0)}, {COUNTER.name: (S, 1.0)}
    found = told(monkeypatch, [COUNTER], {}, *known, {}, {COUNTER.name: (5 * S, 9.0)})
    assert [power_w for power_w, _ in found] == [None, 1.0, None, None]


def test_measured_and_estimated_are_never_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [{COUNTER.name: (t_ns, t_ns / S), ESTIMATE.name: (t_ns, t_ns / S)} for t_ns in (0, S)]
    assert told(monkeypatch, [COUNTER, ESTIMATE], *both) == [(None, None)]
    assert told(monkeypatch, [], {}, {}) == [(None, None)]


def test_the_sampler_answers_from_what_it_read_last_and_reads_nothing_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    zones = [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]
    with PowercapTree(tmp_path / "powercap", zones), Sampler(POWER_MODEL, 0.5) as sampler:
        sampler.begin(tmp_path / "samples.parquet")
        sampler.attach(os.getpid())
        asked = {sampler.latest()["rapl/package-0"] for _ in range(50)}
        assert len(asked) <= 2
        time.sleep(0.6)
        assert sampler.latest()["rapl/package-0"] not in asked
        assert "process/cpu_time" in sampler.latest()
        sampler.end()
