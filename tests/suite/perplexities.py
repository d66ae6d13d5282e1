"""What a framework's trained network makes of text that it never saw, one perplexity of each seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

TRAINED = """
import importlib, json, sys
from pathlib import Path
import numpy as np
from suite import data
from suite.runtimes import implementation_module, runtime_module
out, workload, dataset, framework, folder, settings, *seeds = sys.argv[1:]
importlib.import_module(runtime_module(framework)).configure(1, "cpu")
Impl = importlib.import_module(implementation_module(workload, framework)).Impl
spec = importlib.import_module(f"suite.{workload}.spec").SPEC
spec = spec.with_dataset(dataset).with_settings(json.loads(settings))
raw = data.load(Path(folder)).cut(spec)
train, test = (spec.inputs(one, "float32") for one in (raw.train, raw.test))

def perplexity(seed):
    one = Impl(spec, spec.initial_weights(seed), "float32", "cpu")
    taught, asked = one.place(train), one.place(test)
    one.compile(taught, "train")
    one.train(taught, spec.order(raw.train, seed, 1))
    return spec.evaluate(raw.test, one.infer(asked, np.arange(len(test["x"]))))["perplexity"]

with open(out, "w") as file:
    json.dump([perplexity(int(seed)) for seed in seeds], file)
"""


def perplexities(
    found_by: Callable[..., list[float]],
    of: tuple[str, str, str],
    text: Path,
    settings: Mapping[str, Any],
    seeds: Sequence[int],
) -> list[float]:
    """`found_by`: the fixture. `of`: workload, data set, framework. Trained on one CPU as a run trains."""
    workload, dataset, framework = of
    words = (workload, dataset, framework, str(text), json.dumps(dict(settings)))
    return found_by(TRAINED, framework, *words, *map(str, seeds))
