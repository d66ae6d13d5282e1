"""Is the default mode of each framework its fast one? Examples per second of all its modes and of other idioms.

python -m tests.bench.throughput [WORKLOAD | PART | FRAMEWORK | SETTING=VALUE | device=D | python=PATH | forms=F]...

Training, and each part of a stage that has some, as prefill and decode, in tokens per second. One process for each
of them and framework, on all CPUs of this process; on one alone (`taskset -c 0`) CPU time counts, which other work
does not lengthen. Its forms take turns, a short epoch each, so that a machine that slows down slows all of them;
compilation is not in the times. Only ratios within one process mean anything. Prints a table in Markdown: medians,
and the default's speed as a share of the fastest other form's. `device`: that of a lock, else the CPU; `python`: an
interpreter that holds the framework, in place of the lock's environment; `forms`: modes, or default, and no idioms.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from harness import paths
from harness.devices import HOST
from harness.environments.base import thread_variables
from harness.environments.choose import Choice
from harness.environments.frameworks import Framework, framework, frameworks
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.inventory import catalog
from harness.planning import applicability
from suite.neural import NeuralSpec
from suite.task import TRAIN
from tests.bench.idioms import BATCHES, FED, OWN_LOOP

WORKER = "tests.bench.throughput_worker"
TARGET = 0.95
TIMEOUT_S = 1800
TAIL = 1000  # characters of what a worker complained about
ALL, MODES, DEFAULT = FORMS = ("all", "modes", "default")


@dataclass(frozen=True)
class Place:
    """Where forms take their turns, and which of them."""

    device: str = HOST
    python: str = ""  # an interpreter in place of the lock's environment
    forms: str = ALL

    def __post_init__(self) -> None:
        if self.forms not in FORMS:
            raise SystemExit(f"forms is one of {', '.join(FORMS)}, not {self.forms}")

    def interpreter(self, one: Framework) -> str:
        if self.python:
            return self.python
        environment = VirtualenvEnvironment(one, one.default_version, self.device)
        environment.prepare()
        return str(environment.python)


HERE = Place()


def main(wanted: list[str]) -> None:
    print(
        "| workload | framework | default mode | examples/s | other forms, examples/s | default / fastest other |"
    )
    print("|---|---|---|---|---|---|")
    settings, place = settings_of(wanted), place_of(wanted)
    for workload, part, name in places(wanted):
        found = speeds(workload, part, name, settings, place)
        print(row(workload if part == TRAIN else f"{workload}, {part}", name, found), flush=True)


def places(wanted: list[str]) -> Iterator[tuple[str, str, str]]:
    """Workload, training or a part of another stage, framework: those of several modes that are wanted, or all."""
    workloads = {name: one for name, one in catalog.workloads().items() if isinstance(one.spec, NeuralSpec)}
    several = {name for name, one in frameworks().items() if len(one.modes) > 1 and not one.variant}
    for workload in sorted(workloads.keys() & set(wanted) or workloads):
        parts = [TRAIN, *_parts(workloads[workload].spec)]
        for part in [part for part in parts if part in wanted] or parts:
            for name in workloads[workload].frameworks:
                if name in (several & set(wanted) or several):
                    yield workload, part, name


def _parts(spec: Any) -> Iterator[str]:
    """Of stages whose requests do not wait for their time."""
    for stage, parts in spec.parts.items():
        yield from () if stage in spec.arriving else parts


def settings_of(wanted: list[str]) -> dict[str, Any]:
    """Of words like batch_size=8."""
    pairs = [word.split("=", 1) for word in wanted if "=" in word]
    of_place = {one.name for one in fields(Place)}
    return {name: int(value) if value.isdigit() else value for name, value in pairs if name not in of_place}


def place_of(wanted: list[str]) -> Place:
    pairs = dict(word.split("=", 1) for word in wanted if "=" in word)
    return Place(**{one.name: pairs[one.name] for one in fields(Place) if one.name in pairs})


def speeds(
    workload: str, part: str, name: str, settings: dict[str, Any], place: Place = HERE
) -> dict[str, list[float]]:
    """Form -> examples or tokens per second of each round; the default mode comes first."""
    one, spec = framework(name), catalog.workload(workload).spec
    python = place.interpreter(one)
    compiler = applicability.has_compiler(Choice("virtualenv"))
    modes = [
        mode
        for mode in (() if place.forms == DEFAULT else one.modes)
        if not (applicability.why_no_mode(one, mode, compiler) or applicability.why_no_loop(one, mode, spec))
    ]
    threads = len(os.sched_getaffinity(0))
    job = {
        "workload": workload, "part": part, "framework": name, "settings": settings, "device": place.device,
        "threads": threads, "modes": modes, "forms": place.forms,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "speeds.json"
        command = [python, "-m", WORKER, out, json.dumps(job)]
        variables = {**os.environ, **thread_variables(threads), "PYTHONPATH": str(paths.ROOT)}
        ended = subprocess.run(command, env=variables, timeout=TIMEOUT_S, stderr=subprocess.PIPE, text=True)
        if ended.returncode:
            raise SystemExit(f"{workload}, {part}, {name}: {ended.stderr[-TAIL:] or ended.returncode}")
        found: dict[str, list[float]] = json.loads(out.read_text())
    return found


def row(workload: str, name: str, found: dict[str, list[float]]) -> str:
    medians = {mode: statistics.median(values) for mode, values in found.items()}
    default, *others = medians
    listed = ", ".join(f"{mode} {medians[mode]:.0f}" for mode in others)
    return (
        f"| {workload} | {name} | {default} | {medians[default]:.0f} | {listed} | {_share(found, default)} |"
    )


def _share(found: dict[str, list[float]], default: str) -> str:
    """The least median of ratios within a round: against the fastest other form, a hopeless one left out."""
    rounds, apart = len(found[default]), (default, OWN_LOOP, FED, BATCHES)
    others = [values for name, values in found.items() if name not in apart and len(values) == rounds]
    ratios = [
        statistics.median(own / other for own, other in zip(found[default], values, strict=True))
        for values in others
    ]
    return f"{min(ratios):.2f}{'' if min(ratios) >= TARGET else ' (below target)'}" if ratios else "no other"


if __name__ == "__main__":
    main(sys.argv[1:])
