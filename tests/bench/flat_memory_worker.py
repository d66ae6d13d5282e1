"""Within a framework's environment: bytes held after each thousand steps of a training or of writing, in small batches.

python -m tests.bench.flat_memory_worker WORKLOAD FRAMEWORK THREADS THOUSANDS STAGE
"""

from __future__ import annotations

import gc
import importlib
import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from suite.runtimes import implementation_module, runtime_module
from suite.task import TRAIN
from suite.verify import KINDS, as_proven, samples_of

STEPS = 1000  # of a piece, after which is looked
# Where a step of the proof's size is long.
SMALLER = {
    "resnet50_imagenet": {"batch_size": 2, "side": 8},
    "ssd": {"batch_size": 2, "depth": 11, "most_side": 32, "channels": 8},
    "mask_rcnn": {
        "batch_size": 1, "channels": 4, "candidates": 8, "train_candidates": 8, "proposals": 24, "rois": 8,
        "anchors": 16, "box_candidates": 8,
    },
}  # fmt: skip


def main(workload: str, framework: str, threads: str, thousands: str, stage: str) -> None:
    shape = replace(KINDS["long"], epochs=int(thousands), steps=STEPS)
    importlib.import_module(runtime_module(framework)).configure(int(threads), "cpu")
    implementation = importlib.import_module(implementation_module(workload, framework)).Impl
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC
    spec = as_proven(spec, shape).lasting(shape.epochs, shape.steps).with_settings(SMALLER.get(workload, {}))
    raw = spec.examples(samples_of(spec, shape), 1)
    one = implementation(spec, spec.initial_weights(1), shape.dtype, "cpu")
    placed, held = one.place(spec.inputs(raw, shape.dtype)), []
    one.compile(placed, stage)
    for piece in range(1, shape.epochs + 1):
        if stage == TRAIN:
            one.train(placed, spec.order(raw, 1, piece)[:STEPS])
        else:
            write(one, placed, stage)
        gc.collect()
        held.append(_resident_bytes())
    print(json.dumps(held))


def write(one: Any, placed: Any, stage: str) -> None:
    """At least a thousand tokens, one after the other, of each of a batch's texts."""
    spec = one.spec
    batches = spec.requests // spec.predict_batch_size
    for _ in range(math.ceil(STEPS / (batches * (spec.new_tokens - 1)))):
        one.infer(placed, np.arange(spec.requests), stage)


def _resident_bytes() -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmRSS:"))


if __name__ == "__main__":
    main(*sys.argv[1:])
