"""Metered plugs through the real sampling process: energies beside the truth, and a plug that goes away."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness import meters
from harness.campaign import cool_down
from harness.campaign.cool_down import Rest
from harness.campaign.live_power import BEAT_S, LivePower
from harness.energy.joules import run_energy
from harness.meters import Meters
from harness.records import CoolDown, PowerModel, Provenance
from harness.sampling import reading
from harness.sampling.client import Recorded, Sampler
from tests.emulators.plug import Plug, answer, shelly
from tests.emulators.waveforms import bursts, constant, plus, ramp

pytestmark = pytest.mark.unhurried

POWER_MODEL = PowerModel(idle_w=10, busy_cpu_w=5)
VARYING = plus(constant(60.0), ramp(0.0, 60.0, over_s=8.0), bursts(0.0, 25.0, period_s=1.7, duty=0.4))
SECONDS = 8.0


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    with Plug(VARYING) as one:
        file = tmp_path / "meters.toml"
        file.write_text("\n".join(table(one, name) for name in ("shelly", "tasmota")))
        monkeypatch.setenv("JOULEMARK_METERS", str(file))
        monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "nothing"))
        yield one


def table(plug: Plug, preset: str) -> str:
    head = f'[[http]]\nname = "{preset}"\npreset = "{preset}"\nurl = "{plug.url}"'
    return f"{head}\nperiod_s = 0.1\nupdate_s = 0.1\ntimeout_s = 0.5\n"


def offered(boundary: str) -> Meters:
    return meters.find_all(meters.configuration(POWER_MODEL, boundary))


def recorded(path: Path, plug: Plug, seconds: float = SECONDS) -> Recorded:
    with Sampler(POWER_MODEL, 0.05, boundary="wall") as sampler:
        sampler.begin(path)
        time.sleep(seconds)
        return sampler.end()


def test_energies_are_the_waveforms_within_the_stated_uncertainty(plug: Plug, tmp_path: Path) -> None:
    """Over 200 random windows of a second or more, of each channel; 95 % is what is stated."""
    boundaries = [
        f"http/{kind}/{what}" for kind, what in itertools.product(("shelly", "tasmota"), ("power", "energy"))
    ]
    every = {name: offered(name).channels for name in boundaries}
    assert recorded(tmp_path / "samples.parquet", plug).lost == ()
    generator = np.random.default_rng(5)
    for name, channels in every.items():
        (series,) = (
            one for one in reading.read(tmp_path / "samples.parquet", channels) if one.channel.boundary
        )
        first_ns, last_ns = int(series.t_ns[0]), int(series.t_ns[-1])
        inside = 0
        for _ in range(200):
            begin_ns = int(generator.integers(first_ns, last_ns - 10**9))
            end_ns = int(generator.integers(begin_ns + 10**9, last_ns + 1))
            energy = run_energy([series], channels, begin_ns, end_ns)
            assert energy.energy_j is not None and energy.uncertainty_j is not None
            inside += abs(energy.energy_j - plug.true_energy_j(begin_ns, end_ns)) <= energy.uncertainty_j
        assert inside >= 190, name
        derived = Provenance.DERIVED if name.endswith("power") else Provenance.MEASURED
        assert energy.provenance is derived


def test_a_plug_that_goes_away_is_lost_not_zero(plug: Plug, tmp_path: Path) -> None:
    with Sampler(POWER_MODEL, 0.05, boundary="wall") as sampler:
        sampler.begin(tmp_path / "samples.parquet")
        time.sleep(1.0)
        plug.go_away()
        time.sleep(1.0)
        ended = sampler.end()
    assert {one.meter for one in ended.lost} == {"http shelly", "http tasmota"}
    assert "gave no reading 3 times" in ended.lost[0].reason
    kept = pd.read_parquet(tmp_path / "samples.parquet")
    assert (kept["value"][kept["channel"].astype(str).str.startswith("http/")] > 0).all()


def test_a_recording_ends_with_a_reading_of_after_its_end_whatever_the_period(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Plug(constant(50.0)) as slow:
        file = tmp_path / "meters.toml"
        file.write_text(table(slow, "shelly").replace("period_s = 0.1", "period_s = 30.0", 1))
        monkeypatch.setenv("JOULEMARK_METERS", str(file))
        channels = offered("wall").channels
        with Sampler(POWER_MODEL, 0.05, boundary="wall") as sampler:
            sampler.begin(tmp_path / "samples.parquet")
            time.sleep(0.5)
            before_ns = time.monotonic_ns()
            ended = sampler.end()
        assert sum(ended.missed.values()) == 0
    series = reading.read(tmp_path / "samples.parquet", [one for one in channels if one.boundary])
    assert series[0].t_ns[0] < before_ns < series[0].t_ns[-1]


def test_a_window_begins_once_a_slow_plug_has_answered(plug: Plug, tmp_path: Path) -> None:
    channels = offered("http/shelly/power").channels
    plug.manner = lambda to: (time.sleep(0.3), answer(to, shelly(60.0, 5.0)))[1]
    with Sampler(POWER_MODEL, 0.05, boundary="http/shelly/power") as sampler:
        sampler.begin(tmp_path / "samples.parquet")
        sampler.attach(os.getpid())
        go_ns = time.monotonic_ns()
        sampler.end()
    (series,) = reading.read(tmp_path / "samples.parquet", [one for one in channels if one.boundary])
    assert series.t_ns[0] < go_ns < series.t_ns[-1]
    sampled = set(pd.read_parquet(tmp_path / "samples.parquet")["channel"])
    assert "process/cpu_time" in sampled and "estimate/cpu" not in sampled


def test_the_live_power_of_a_plug_is_known_between_its_answers(plug: Plug, tmp_path: Path) -> None:
    told: list[float | None] = []
    with Sampler(POWER_MODEL, 0.02, boundary="http/shelly/power") as sampler:
        sampler.begin(tmp_path / "samples.parquet")
        time.sleep(0.3)
        live = LivePower(
            sampler.latest, offered("http/shelly/power").channels, lambda watts, _: told.append(watts)
        )
        end = time.monotonic() + 2.2 * BEAT_S
        while time.monotonic() < end:
            live.beat()
            time.sleep(0.05)
        sampler.end()
    assert len(told) == 2
    assert all(watts is not None and 55.0 < watts < 150.0 for watts in told)


@pytest.mark.parametrize("channel", ["power", "energy"])
def test_a_machine_comes_to_rest_by_a_plug_that_answers_late(
    channel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Plug(constant(5000.0), update_s=0.5) as plug:  # so much, for its counter to have a fine step
        file = tmp_path / "meters.toml"
        file.write_text(table(plug, "shelly"))
        monkeypatch.setenv("JOULEMARK_METERS", str(file))
        channels = offered(f"http/shelly/{channel}").channels
        rule = CoolDown(at_least_s=1.0, at_most_s=6.0, power_band=0.5)
        with Sampler(POWER_MODEL, 0.05, boundary="wall") as sampler:
            assert list(cool_down.wait(sampler.look, channels, Rest(5000.0, {}), rule)) == []
            hot = list(cool_down.wait(sampler.look, channels, Rest(500.0, {}), rule))
    assert [one.code for one in hot] == ["cool-down-timed-out"]
