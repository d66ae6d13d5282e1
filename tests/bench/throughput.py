"""Is the default mode of each framework its fast one? Examples per second of all its modes, on every neural workload.

python -m tests.bench.throughput [WORKLOAD]...

One process for each workload and framework, on all CPUs of this process. Its modes take turns, a short epoch each, so
that a machine that slows down slows all of them; compilation is not in the times. Only ratios within one process mean
anything. Prints a table in Markdown: medians, and the default's speed as a share of the fastest other mode's.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import applicability, catalog, paths
from harness.environments.base import thread_variables
from harness.environments.choose import Choice
from harness.environments.frameworks import framework, frameworks
from harness.environments.virtualenv import VirtualenvEnvironment
from suite.neural import NeuralSpec

ROUNDS = 7
STEPS = 6  # of each short epoch
TARGET = 0.95
TIMEOUT_S = 900

WORKER = """
import importlib, json, sys, time
from suite.runtimes import implementation_module, runtime_module
out, workload, framework, threads, rounds, steps, *modes = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(int(threads), "cpu")
Impl = importlib.import_module(implementation_module(workload, framework)).Impl
SPEC = importlib.import_module(f"suite.{workload}.spec").SPEC
SPEC = SPEC.with_settings(SPEC.proof_settings)
raw, y = SPEC.examples(int(steps) * SPEC.batch_size, 1)
order = SPEC.batch_order(len(y), 1, 1)

def ready(mode):
    spec = SPEC.with_settings({} if mode == "default" else {"mode": mode})
    one = Impl(spec, spec.initial_weights(1), "float32", "cpu")
    data = one.place(spec.inputs_in("float32", raw), y)
    one.compile(data, "train")
    one.train(data, order)
    return one, data

default = ready("default")
able = {default[0].mode: default, **{mode: ready(mode) for mode in modes if mode != default[0].mode}}
speeds = {mode: [] for mode in able}
for _ in range(int(rounds)):
    for mode, (one, data) in able.items():
        begin = time.perf_counter()
        one.train(data, order)
        speeds[mode].append(order.size / (time.perf_counter() - begin))
with open(out, "w") as file:
    json.dump(speeds, file)
"""


def main(wanted: list[str]) -> None:
    print(
        "| workload | framework | default mode | examples/s | other modes, examples/s | default / fastest other |"
    )
    print("|---|---|---|---|---|---|")
    for workload, name in places(wanted):
        print(row(workload, name, speeds(workload, name)), flush=True)


def places(wanted: list[str]) -> Iterator[tuple[str, str]]:
    """Every workload with gradient steps on every framework that has several modes."""
    for one in catalog.workloads().values():
        for name in one.frameworks:
            several = len(framework(name).modes) > 1 and not frameworks()[name].variant
            if isinstance(one.spec, NeuralSpec) and several and (not wanted or one.name in wanted):
                yield one.name, name


def speeds(workload: str, name: str) -> dict[str, list[float]]:
    """Mode -> examples per second of each round; the default mode comes first."""
    environment = VirtualenvEnvironment(framework(name), framework(name).default_version)
    environment.prepare()
    compiler = applicability.has_compiler(Choice("virtualenv"))
    modes = [m for m in framework(name).modes if not applicability.why_no_mode(framework(name), m, compiler)]
    threads = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "speeds.json"
        numbers = map(str, (threads, ROUNDS, STEPS))
        command = [environment.python, "-c", WORKER, out, workload, name, *numbers, *modes]
        variables = {**os.environ, **thread_variables(threads), "PYTHONPATH": str(paths.ROOT)}
        subprocess.run(command, env=variables, check=True, timeout=TIMEOUT_S, stderr=subprocess.DEVNULL)
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
    """The least median of ratios within a round: against the fastest other mode."""
    others = [values for mode, values in found.items() if mode != default]
    ratios = [
        statistics.median(own / other for own, other in zip(found[default], values, strict=True))
        for values in others
    ]
    return f"{min(ratios):.2f}{'' if min(ratios) >= TARGET else ' (below target)'}" if ratios else "no other"


if __name__ == "__main__":
    main(sys.argv[1:])
