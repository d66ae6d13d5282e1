"""False alarms over many sound recordings, and the share of planted faults that is found.

`python -m tests.bench.counter_faults [RUNS]`

The sound ones are those of tests/emulators/sound_runs.py: idle memory, wraps, coarse, slow and jittering sensors, gaps.
A fault is planted into the first socket of each, in the middle of the run, whatever its sensor is like.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from harness import checks
from harness.energy.series import Series
from harness.records import Finding
from tests.emulators.counters import Fault, freeze, glitch, jump, reset, shown
from tests.emulators.sound_runs import SoundRun, sound_run

HELD_J = 50_000.0
FAULTS: dict[str, Callable[[float], Fault]] = {
    "reset": lambda at_s: reset(at_s, HELD_J),
    "one reading 20 J too low": lambda at_s: glitch(at_s, -20.0),
    "one reading 200 J too low": lambda at_s: glitch(at_s, -200.0),
    "150 J ahead from then on": lambda at_s: jump(at_s, 150.0),
    "1000 J ahead from then on": lambda at_s: jump(at_s, 1000.0),
    "500 J behind from then on": lambda at_s: jump(at_s, -500.0),
    "stands still from then on": lambda at_s: freeze(at_s, 1e9),
    "stands still for 2 s": lambda at_s: freeze(at_s, at_s + 2.0),
    "stands still all the time": lambda _: freeze(-1.0, 1e9),
}


def findings(series: list[Series], window: tuple[int, int]) -> list[Finding]:
    rules = (checks.counter_impossible, checks.counter_stood_still, checks.part_exceeds_whole)
    return [*checks.wrap_could_hide(series), *(one for rule in rules for one in rule(series, *window))]


def struck(run: SoundRun, make: Callable[[float], Fault]) -> list[Series]:
    sensor, truth = run.sources[0]
    broken = sensor.holding(HELD_J).faulty(make(float(run.t_s[len(run.t_s) // 2])))
    return [shown(np.random.default_rng(0), broken, truth, run.t_s), *run.series[1:]]


def main(runs: int) -> None:
    alarms, found = 0, dict.fromkeys(FAULTS, 0)
    for seed in range(runs):
        run = sound_run(seed)
        alarms += bool(findings(run.series, run.window))
        for name, make in FAULTS.items():
            found[name] += bool(findings(struck(run, make), run.window))
    print(f"sound runs with a finding: {alarms} of {runs}")
    for name, number in found.items():
        print(f"{name:28} found in {number / runs:6.1%}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
