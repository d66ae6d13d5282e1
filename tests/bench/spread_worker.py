"""Within a framework's environment: fingerprints of a workload trained and inferred from many seeds.

python -m tests.bench.spread_worker OUT WORKLOAD FRAMEWORK DATASET DATA THREADS PROFILE_SETTINGS STATES SEED...

Writes {seed: {"epochs": [...], "passes": [...], "answers": ..., "quality": ...}}. STATES is a folder: of each seed the
first framework leaves its trained state there, from which all others infer.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from suite import data, fingerprint
from suite.runtimes import implementation_module, runtime_module
from suite.spec import count
from suite.task import TRAIN

PASSES = 3


def main(
    out: str, workload: str, framework: str, dataset: str, folder: str, threads: str, settings: str, states: str,
    *seeds: str,
) -> None:  # fmt: skip
    importlib.import_module(runtime_module(framework)).configure(int(threads), "cpu")
    implementation = importlib.import_module(implementation_module(workload, framework)).Impl
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC.with_dataset(dataset)
    spec, raw = spec.with_settings(json.loads(settings)), data.load(Path(folder), mapped=spec.mapped)
    raw = raw.cut(spec)
    found = {
        seed: of_seed(implementation, spec, raw, int(seed), Path(states) / f"{seed}.npz") for seed in seeds
    }
    Path(out).write_text(json.dumps(found))


def of_seed(implementation: Any, spec: Any, raw: data.DataSet, seed: int, state: Path) -> dict[str, Any]:
    """As suite.run does both stages, one after the other."""
    train, test = spec.of_both(raw.train, raw.test, "float32")
    one = implementation(spec, spec.initial_weights(seed), "float32", "cpu")
    trained, tested = one.place(train), one.place(spec.without_targets(test))
    one.compile(tested, spec.evaluated_by)
    one.compile(trained, TRAIN)
    epochs, classes = [], spec.classes_of(raw.test)
    for epoch in range(1, spec.pieces + 1):
        took = one.train(trained, spec.order(raw.train, seed, epoch))
        outputs = one.infer(tested, np.arange(count(test)), spec.evaluated_by)
        told = fingerprint.of_epoch(took, fingerprint.of_outputs(outputs, classes))
        epochs.append(told if "loss" in told else {**told, "state": fingerprint.of_state(one.params())})
    # None where only the host can tell.
    quality = spec.evaluate(raw.test, outputs).get(spec.metrics[0].name)
    if not state.exists():
        np.savez(state, **one.params())
    with np.load(state, allow_pickle=False) as archive:
        other = implementation(spec, dict(archive), "float32", "cpu")
    tested, passes = other.place(spec.without_targets(test)), []
    for number in range(1, PASSES + 1):
        rows = spec.pass_order(count(test), seed, number)
        outputs = other.infer(tested, rows, spec.evaluated_by)
        passes.append(fingerprint.of_pass(outputs, rows))
    answers = fingerprint.of_outputs(outputs, None if classes is None else classes[rows], rows)
    return {"epochs": epochs, "passes": passes, "answers": answers, "quality": quality}


if __name__ == "__main__":
    main(*sys.argv[1:])
