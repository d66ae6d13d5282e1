"""Within a framework's environment: examples per second of one workload in the default and in all its other forms.

python -m tests.bench.throughput_worker OUT WORKLOAD FRAMEWORK THREADS MODE...   writes {form: [speed of each round]}
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from suite.runtimes import implementation_module, runtime_module
from suite.task import TRAIN
from tests.bench.idioms import BATCHES, FED, IDIOMS

ROUNDS = 5
OPERATIONS = 1e11  # of an epoch, about: one second, so that what an epoch itself costs does not count
LEAST_STEPS = 32  # what Keras takes in one call
KEPT = ("depth", "learning_rate", "users", "items")  # settings of the proof
# As profile quick has them: a step of the published ones takes a minute.
SMALL = ("gnmt", "mask_rcnn", "resnet50_imagenet", "ssd", "transformer_xl")
HOPELESS = 10  # times the default's time: such a form takes no further rounds


class Form:
    """One way to train: a mode, or another idiom of one."""

    def __init__(self, implementation: Any, spec: Any, examples: Any) -> None:
        self.order = spec.order(examples, 1, 1)[: getattr(implementation, "most_steps", None)]
        self.impl = implementation(spec, spec.initial_weights(1), "float32", "cpu")
        self.data = self.impl.place(spec.inputs(examples, "float32"))
        self.impl.compile(self.data, TRAIN)

    def seconds(self) -> float:
        """A step takes, on average."""
        begin = time.perf_counter()
        self.impl.train(self.data, self.order)
        return (time.perf_counter() - begin) / len(self.order)


class Batches:
    """The host's share of a training that it feeds: no step is taken."""

    def __init__(self, fed: Form, examples: Any) -> None:
        self.batch, self.examples, self.order = fed.impl.spec.batch, examples, fed.order

    def seconds(self) -> float:
        begin = time.perf_counter()
        for rows in self.order:
            self.batch(self.examples, rows)
        return (time.perf_counter() - begin) / len(self.order)


def main(out: str, workload: str, framework: str, threads: str, *modes: str) -> None:
    importlib.import_module(runtime_module(framework)).configure(int(threads), "cpu")
    implementation = importlib.import_module(implementation_module(workload, framework)).Impl
    spec = _spec(workload)
    steps = max(LEAST_STEPS, round(OPERATIONS / (spec.sample_flops("train") * spec.batch_size)))
    spec, examples = spec.lasting(1, steps), spec.examples(steps * spec.batch_size, 1)
    default = Form(implementation, spec, examples)
    forms: dict[str, Any] = {default.impl.mode: default}
    for mode in modes:
        if mode not in forms:
            forms[mode] = Form(implementation, spec.with_settings({"mode": mode}), examples)
    for name, mode, idiom in IDIOMS[framework](implementation):
        forms[name] = Form(idiom, spec.with_settings({"mode": mode}), examples)
    if hasattr(spec, "input"):
        forms[FED] = Form(implementation, spec.with_settings({"input": "pipeline"}), examples)
        forms[BATCHES] = Batches(forms[FED], examples)
    speeds = {name: [spec.batch_size / s for s in spent] for name, spent in rounds(forms).items()}
    Path(out).write_text(json.dumps(speeds))


def rounds(forms: dict[str, Any]) -> dict[str, list[float]]:
    """Form -> seconds a step of each round; a hopeless one has those of its first epoch, which others leave out."""
    first = {name: form.seconds() for name, form in forms.items()}
    limit_s = HOPELESS * next(iter(first.values()))
    spent = {name: [s] if s > limit_s else [] for name, s in first.items()}
    going = [name for name in forms if not spent[name]]
    for _ in range(ROUNDS):
        for name in going:
            spent[name].append(forms[name].seconds())
    return spent


def _spec(workload: str) -> Any:
    """As published, but what KEPT names of the proof: small ones, and a rate at which the stand-ins train."""
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC
    if workload in SMALL:
        quick = spec.profiles["quick"]
        on_device = {"input": "preloaded"} if hasattr(spec, "input") else {}
        return spec.with_dataset(quick.datasets[0]).with_settings({**quick.settings, **on_device})
    return spec.with_settings({k: v for k, v in spec.proof_settings.items() if k in KEPT})


if __name__ == "__main__":
    main(*sys.argv[1:])
