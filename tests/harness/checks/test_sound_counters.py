"""Not one false alarm over a thousand sound recordings; and the faults that are planted in them are found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from harness import checks
from harness.energy.series import Series
from harness.records import Finding
from tests.emulators.counters import Fault, freeze, glitch, jump, reset, shown
from tests.emulators.sound_runs import SoundRun, sound_run

RUNS = 1000


def findings(series: list[Series], window: tuple[int, int]) -> list[Finding]:
    return [
        *checks.wrap_could_hide(series),
        *checks.counter_impossible(series, *window),
        *checks.counter_stood_still(series, *window),
        *checks.part_exceeds_whole(series, *window),
    ]


def test_a_thousand_sound_runs_give_no_alarm() -> None:
    alarms = [
        (seed, found.message)
        for seed in range(RUNS)
        for run in [sound_run(seed)]
        for found in findings(run.series, run.window)
    ]
    assert alarms == []


@pytest.mark.parametrize(
    "fault_at",
    [
        reset,
        lambda at_s, _: glitch(at_s, -200.0),
        lambda at_s, _: jump(at_s, 5000.0),
        lambda at_s, _: jump(at_s, -500.0),
        lambda at_s, _: freeze(at_s, 1e9),
        lambda _at_s, _: freeze(0.0, 1e9),
    ],
    ids=["reset", "glitch", "jump", "jump back", "freeze", "frozen all the time"],
)
def test_a_fault_planted_in_any_of_them_is_found(fault_at: Callable[[float, float], Fault]) -> None:
    """Where every sensor keeps to its period of a tenth of a second or less, and nothing hides in a gap."""
    missed, struck = [], 0
    for seed in range(300):
        run = sound_run(seed)
        if np.diff(run.t_s).max() > 0.5 or run.t_s[-1] < 6:
            continue
        series, sure = planted(run, fault_at)
        struck += sure
        if sure and not [one for one in findings([series], run.window) if one.severity == "invalid"]:
            missed.append((seed, series.channel))
    assert struck > 30
    assert missed == []


def planted(run: SoundRun, fault_at: Callable[[float, float], Fault]) -> tuple[Series, bool]:
    """In the first socket, in the middle of the run; whether it is large beside what the sensor does anyway."""
    sensor, truth = run.sources[0]
    fault = fault_at(float(run.t_s[len(run.t_s) // 2]), 100_000.0)
    one = sensor.faulty(fault)
    generator = np.random.default_rng(0)
    held = shown(generator, one.holding(100_000.0 % (one.range_j or np.inf)), truth, run.t_s)
    slow_s = max(
        sensor.update_s, sensor.unit_j / float(np.diff(truth.energy_j).min() / np.diff(truth.edges_s).max())
    )
    return held, sensor.update_s <= 0.1 and slow_s <= 0.2
