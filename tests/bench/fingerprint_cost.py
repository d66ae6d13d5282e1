"""What a run's fingerprint costs it: `python -m tests.bench.fingerprint_cost [ROUNDS]`.

Whole runs of profile quick in each framework's environment, train and infer of the workload with the most passes and
the shortest ones. The seconds spent on fingerprints and the run's own are taken in one and the same run.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from os import environ

from harness import paths
from harness.datasets import prepared, source
from harness.environments.base import thread_variables
from harness.environments.frameworks import framework
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.inventory import catalog

WORKLOAD, FRAMEWORKS = "mnist_mlp", ("torch", "tensorflow", "keras", "jax")
THREADS = 2
TARGET = 0.001

TIMED = """
import sys, time
begin_s = time.perf_counter()
import json
from contextlib import contextmanager
from pathlib import Path
from suite.runtimes import waiting  # before NumPy
from suite import kept
from suite.protocol import Request
from suite.run import MeasuredRun

spent_s, calls = 0.0, 0

def of_the_clock_s():
    "What taking the time takes, seen as little by the processor's caches as what it times."
    elsewhere, found = bytearray(1 << 25), []
    for _ in range(50):
        elsewhere.count(1)
        begun_s = time.perf_counter()
        found.append(time.perf_counter() - begun_s)
    return sorted(found)[len(found) // 2]

def timed(function):
    def call(*arguments, **named):
        global spent_s, calls
        calls += 1
        begun_s = time.perf_counter()
        try:
            return function(*arguments, **named)
        finally:
            spent_s += time.perf_counter() - begun_s
    return call

class Unheard:
    def send(self, kind, **data):
        json.dumps(data)
    @contextmanager
    def phase(self, name, epoch=None):
        yield

for one in (kept.Epochs, kept.Passes):
    one.add, one.told = timed(one.add), timed(one.told)
MeasuredRun._send_last_answers = timed(MeasuredRun._send_last_answers)
MeasuredRun._send_fingerprint = timed(MeasuredRun._send_fingerprint)
name, workload, stage, dataset, data, threads, settings = sys.argv[1:]
request = Request(
    run_id="x", workload=workload, framework=name, stage=stage, dataset=dataset, seed=1, threads=int(threads),
    settings=json.loads(settings),
)
MeasuredRun(request, Unheard(), Path(), Path(data), None).execute()
run_s = time.perf_counter() - begin_s
print(json.dumps([spent_s - calls * of_the_clock_s(), run_s]))
"""


def main(rounds: int) -> None:
    profile = catalog.workload(WORKLOAD).profile("quick")
    dataset, settings = profile.datasets[0], json.dumps(dict(profile.settings))
    if not prepared.is_prepared(dataset):
        prepared.prepare(source(dataset), paths.data_home())
    print(
        f"| {WORKLOAD}, {rounds} runs each | run | fingerprint | share (target < {TARGET:.1%}) |\n|---|---|---|---|"
    )
    for name in FRAMEWORKS:
        environment = VirtualenvEnvironment(framework(name), framework(name).default_version)
        environment.prepare()
        for stage in ("train", "infer"):
            words = [name, WORKLOAD, stage, dataset, prepared.folder(dataset), THREADS, settings]
            found = [_run(environment, words) for _ in range(rounds)]
            spent_s, run_s = (statistics.median(column) for column in zip(*found, strict=True))
            share = statistics.median(one / whole for one, whole in found)
            print(f"| {name} {stage} | {run_s:.2f} s | {spent_s * 1e3:.2f} ms | {share:.3%} |", flush=True)


def _run(environment: VirtualenvEnvironment, words: list[object]) -> list[float]:
    command = [str(environment.python), "-c", TIMED, *map(str, words)]
    variables = {**environ, **thread_variables(THREADS), "PYTHONPATH": str(paths.ROOT)}
    done = subprocess.run(command, env=variables, check=True, stdout=subprocess.PIPE, text=True)
    seconds: list[float] = json.loads(done.stdout.splitlines()[-1])
    return seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
