"""How far do sound runs of one seed part by rounding alone? The bounds of `Spread` rest on this.

python -m tests.bench.spread FOLDER SEEDS [WORKLOAD|FRAMEWORK]...

Every framework of each workload, or those that are named, trains and infers from the same seeds, as profile quick does;
SEEDS is how many, from 0 on, or which ones (24-50: from 24 on, 50 not among them). What is in FOLDER already is not
computed again. Prints a table in Markdown: the largest difference of any two frameworks over all these seeds, and of
how many a run would not count by today's bounds and floors (false alarms).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from harness import paths
from harness.analysis.parting import SAME_STATE, Left, difference
from harness.checks.fingerprints import not_asked_for
from harness.datasets import prepared, source
from harness.environments.base import thread_variables
from harness.environments.frameworks import framework
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.inventory import catalog
from suite.fingerprint import items_apart, named
from suite.protocol import Event
from suite.task import SCORES

WORKER = "tests.bench.spread_worker"
THREADS = 2
WHAT = (
    "first 8 steps", "mean loss of epoch 1", "of a later one", "cross-entropy of the answers", "their norm",
    "answers of one state", "rows of whole numbers after training", "rows of one state",
)  # fmt: skip
Answers = Mapping[str, Any]
Found = dict[str, dict[str, dict[str, Any]]]  # framework -> seed -> prints


def main(folder: Path, seeds: range, wanted: list[str]) -> None:
    workloads = catalog.workloads()
    frameworks = {name for one in workloads.values() for name in one.frameworks} & set(wanted)
    if unknown := set(wanted) - frameworks - set(workloads):
        sys.exit(f"spread: no workload and no framework: {', '.join(sorted(unknown))}")
    print("| workload | seeds | " + " | ".join(WHAT) + " | false alarms |")
    print("|---" * (len(WHAT) + 3) + "|")
    for name in [one for one in wanted if one in workloads] or workloads:
        able = [one for one in workloads[name].frameworks if one in frameworks or not frameworks]
        found = {one: computed(folder, name, one, seeds) for one in able}
        print(row(name, found, seeds), flush=True)


def computed(folder: Path, workload: str, name: str, seeds: range) -> dict[str, dict[str, Any]]:
    one = catalog.workload(workload)
    profile, out = one.profile("quick"), folder / f"{workload}-{name}.json"
    states = folder / workload
    states.mkdir(parents=True, exist_ok=True)
    known: dict[str, dict[str, Any]] = json.loads(out.read_text()) if out.exists() else {}
    missing = [str(seed) for seed in seeds if str(seed) not in known]
    if missing:
        dataset = profile.datasets[0]
        if not prepared.is_prepared(dataset):
            prepared.prepare(source(dataset), paths.data_home())
        environment = VirtualenvEnvironment(framework(name), framework(name).default_version)
        environment.prepare()
        new = out.with_suffix(".new")
        words = [
            new,
            workload,
            name,
            dataset,
            prepared.folder(dataset),
            THREADS,
            json.dumps(dict(profile.settings)),
        ]
        command = [environment.python, "-m", WORKER, *words, states, *missing]
        variables = {**os.environ, **thread_variables(THREADS), "PYTHONPATH": str(paths.ROOT)}
        subprocess.run(list(map(str, command)), env=variables, check=True, stderr=subprocess.DEVNULL)
        out.write_text(json.dumps(known | json.loads(new.read_text())))
        new.unlink()
    return {seed: one for seed, one in json.loads(out.read_text()).items() if int(seed) in seeds}


def row(workload: str, found: Found, seeds: range) -> str:
    profile, spec = catalog.workload(workload).profile("quick"), catalog.workload(workload).spec
    spread, metric = (
        spec.with_dataset(profile.datasets[0]).with_settings(profile.settings).spread,
        spec.metrics[0],
    )
    largest, alarms = dict.fromkeys(WHAT, 0.0), 0
    for seed in map(str, seeds):
        told = {name: by_seed[seed] for name, by_seed in found.items()}
        pairs = list(combinations((_left(name, one) for name, one in told.items()), 2))
        floor = spec.quality_floor[profile.datasets[0]]
        alarms += any(difference(one, other, spread) for one, other in pairs) or any(
            _wrong(one) or (one["quality"] is not None and metric.is_better(floor, one["quality"]))
            for one in told.values()
        )
        for what, apart in (each for one, other in pairs for each in _apart(one, other)):
            largest[what] = max(largest[what], apart)
    columns = " | ".join(f"{apart:.0e}" for apart in largest.values())
    return f"| {workload} | {len(seeds)} | {columns} | {alarms} |"


def _wrong(told: dict[str, Any]) -> bool:
    """What the checks of one run by itself say."""
    parts = ({"epochs": told["epochs"]}, {"passes": told["passes"]}, {"answers": told["answers"]})
    return any(not_asked_for([Event(1, "fingerprint", part) for part in parts], None))


def _left(name: str, prints: dict[str, Any]) -> Left:
    return Left(name, name, name, {}, prints["epochs"], prints["passes"], prints["answers"])


def _apart(one: Left, other: Left) -> Iterator[tuple[str, float]]:
    """(what of WHAT, difference): losses and cross-entropy relative to the first epoch's loss, all else to the norm."""
    first_steps, first_epoch, any_epoch, *_ = WHAT
    scale = abs(one.epochs[0].get("loss", 1.0))
    pairs = list(zip(one.epochs, other.epochs, strict=True))
    for mine, theirs in zip(pairs[0][0]["first_losses"], pairs[0][1]["first_losses"], strict=False):
        yield first_steps, abs(mine - theirs) / scale
    for number, (told, others) in enumerate(pairs):
        if "loss" in told:
            yield any_epoch if number else first_epoch, abs(told["loss"] - others["loss"]) / scale
        yield from _trained_apart(told["answers"], others["answers"], scale)
    yield from _one_state_apart(one.answers, other.answers)


def _trained_apart(mine: Answers, theirs: Answers, scale: float) -> Iterator[tuple[str, float]]:
    *_, cross_entropy, norm, _, rows, _ = WHAT
    for name, told in theirs.items():
        word = name.rpartition("/")[2]
        if word == "items":
            yield rows, items_apart(mine[name], told)
        if word == "cross_entropy":
            yield cross_entropy, abs(mine[name] - told) / max(scale, told)
        if word == "norm":
            yield norm, abs(mine[name] - told) / told


def _one_state_apart(mine: Answers, theirs: Answers) -> Iterator[tuple[str, float]]:
    *_, numbers, _, rows = WHAT
    for name, told in theirs.items():
        output, _, word = name.rpartition("/")
        if word == "items":
            yield rows, items_apart(mine[name], told)
        elif word in SAME_STATE:
            yield numbers, abs(mine[name] - told) / theirs[named(output or SCORES, "norm")]


def seeds_of(word: str) -> range:
    first, _, end = word.rpartition("-")
    return range(int(first or 0), int(end))


if __name__ == "__main__":
    main(Path(sys.argv[1]), seeds_of(sys.argv[2]), sys.argv[3:])
