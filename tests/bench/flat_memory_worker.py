"""Within a framework's environment: bytes held after each thousand steps of a training in small batches.

python -m tests.bench.flat_memory_worker WORKLOAD FRAMEWORK THREADS
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
from dataclasses import replace
from pathlib import Path

from suite.runtimes import implementation_module, runtime_module
from suite.task import TRAIN
from suite.verify import KINDS, as_proven, samples_of

SHAPE = replace(KINDS["long"], epochs=10, steps=1000)


def main(workload: str, framework: str, threads: str) -> None:
    importlib.import_module(runtime_module(framework)).configure(int(threads), "cpu")
    implementation = importlib.import_module(implementation_module(workload, framework)).Impl
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC
    spec = as_proven(spec, SHAPE).lasting(SHAPE.epochs, SHAPE.steps)
    raw = spec.examples(samples_of(spec, SHAPE), 1)
    one = implementation(spec, spec.initial_weights(1), SHAPE.dtype, "cpu")
    placed, held = one.place(spec.inputs(raw, SHAPE.dtype)), []
    one.compile(placed, TRAIN)
    for piece in range(1, SHAPE.epochs + 1):
        one.train(placed, spec.order(raw, 1, piece)[: SHAPE.steps])
        gc.collect()
        held.append(_resident_bytes())
    print(json.dumps(held))


def _resident_bytes() -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS:"))


if __name__ == "__main__":
    main(*sys.argv[1:])
