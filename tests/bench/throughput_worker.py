"""Within a framework's environment: how fast a workload trains, or a part of another stage is, in each of its forms.

python -m tests.bench.throughput_worker OUT JOB

Writes {form: [examples or tokens per second of each round]}, the default first.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from suite.llm.parts import DECODE
from suite.runtimes import implementation_module, runtime_module
from suite.task import TRAIN
from tests.bench.generation_idioms import IDIOMS_OF_PARTS
from tests.bench.idioms import BATCHES, FED, IDIOMS, MEMORY

ROUNDS = 7
# Of an epoch, about: one second, so that what an epoch itself costs does not count.
OPERATIONS, OPERATIONS_OF_A_GPU = {"cpu": 1e11}, 2e13
TURN_S = 0.4  # a part is repeated until it has taken so long
LEAST_STEPS = {"keras": 32}  # what it takes in one call
FEW_STEPS = 4
KEPT = ("depth", "learning_rate", "users", "items")  # settings of the proof
# As profile quick has them: a step of the published ones takes a minute.
SMALL = ("gnmt", "llm", "mask_rcnn", "resnet50_imagenet", "ssd", "transformer_xl")
HOPELESS = 10  # times the default's time: such a form takes no further rounds

# On one CPU that of the process, which other work beside it does not lengthen.
clock = time.process_time if len(os.sched_getaffinity(0)) == 1 else time.perf_counter


class Form:
    """One way to train: a mode, or another idiom of one."""

    def __init__(self, implementation: Any, spec: Any, examples: Any, device: str) -> None:
        self.order = spec.order(examples, 1, 1)[: getattr(implementation, "most_steps", None)]
        self.impl = implementation(spec, spec.initial_weights(1), "float32", device)
        self.data = self.impl.place(spec.inputs(examples, "float32"))
        self.impl.compile(self.data, TRAIN)

    def seconds(self) -> float:
        """An example takes, on average."""
        begin = clock()
        self.impl.train(self.data, self.order)
        return (clock() - begin) / self.order.size


class Batches:
    """The host's share of a training that it feeds: no step is taken."""

    def __init__(self, fed: Form, examples: Any) -> None:
        self.batch, self.examples, self.order = fed.impl.spec.batch, examples, fed.order

    def seconds(self) -> float:
        begin = clock()
        for rows in self.order:
            self.batch(self.examples, rows)
        return (clock() - begin) / self.order.size


class Part:
    """One way to carry out a part of a stage, after those before it."""

    def __init__(self, part: str, implementation: Any, spec: Any, examples: Any, device: str) -> None:
        self.stage, self.parts = next((of, some) for of, some in spec.parts.items() if part in some)
        self.impl = implementation(spec, spec.initial_weights(1), "float32", device)
        self.rows = np.arange(spec.predict_batch_size)
        self.data = self.impl.place(spec.inputs(examples, "float32"))
        self.impl.compile(self.data, self.stage)
        told = spec.counted(examples, self.rows, self.impl.infer(self.data, self.rows, self.stage))
        self.tokens = told[spec.units_of(self.stage)[1 + self.parts.index(part)]]  # the first are samples
        self.parts = self.parts[: self.parts.index(part) + 1]

    def seconds(self) -> float:
        """A token takes, on average."""
        times, spent_s = 0, 0.0
        while spent_s < TURN_S:
            times, spent_s = times + 1, spent_s + self._once()
        return spent_s / times / self.tokens

    def _once(self) -> float:
        before = None
        for name in self.parts:
            begin = clock()
            before = self.impl.part(name, self.data, self.rows, before)
        return clock() - begin


class Memory:
    """Reads once as many bytes as a network's weights have."""

    def __init__(self, weights: Any) -> None:
        self.numbers = np.ones(sum(one.size for one in weights.values()), np.float32)

    def seconds(self) -> float:
        """A byte takes, on average."""
        begin, times = clock(), 0
        while (spent_s := clock() - begin) < TURN_S:
            np.dot(self.numbers, self.numbers)
            times += 1
        return spent_s / times / self.numbers.nbytes


@dataclass(frozen=True)
class Job:
    """Of one process; `part` is train, memory, or a part of another stage."""

    workload: str
    part: str
    framework: str
    settings: dict[str, Any]
    device: str
    threads: int
    modes: Sequence[str]
    forms: str  # all, modes, or default


def main(out: str, told: str) -> None:
    job = Job(**json.loads(told))
    importlib.import_module(runtime_module(job.framework)).configure(job.threads, job.device)
    implementation = importlib.import_module(implementation_module(job.workload, job.framework)).Impl
    spec = _spec(job.workload, job.settings)
    if job.part == MEMORY:
        decode = Part(DECODE, implementation, spec, spec.examples(1, 1), job.device)
        forms = {DECODE: decode, MEMORY: Memory(decode.impl.params())}
    elif job.part == TRAIN:
        forms = _of_training(implementation, spec, job)
    else:
        forms = _of_part(implementation, spec, job)
    speeds = {name: [1 / s for s in spent] for name, spent in rounds(forms).items()}
    Path(out).write_text(json.dumps(speeds))


def _of_training(implementation: Any, spec: Any, job: Job) -> dict[str, Any]:
    least = LEAST_STEPS.get(job.framework, FEW_STEPS)
    steps = max(
        least,
        round(
            OPERATIONS.get(job.device, OPERATIONS_OF_A_GPU) / (spec.sample_flops("train") * spec.batch_size)
        ),
    )
    spec, examples = spec.lasting(1, steps), spec.examples(steps * spec.batch_size, 1)
    form = partial(Form, examples=examples, device=job.device)
    forms = _forms(form, implementation, spec, job, IDIOMS)
    if hasattr(spec, "input") and job.forms != "default":
        forms[FED] = form(implementation, spec.with_settings({"input": "pipeline"}))
        forms[BATCHES] = Batches(forms[FED], examples)
    return forms


def _of_part(implementation: Any, spec: Any, job: Job) -> dict[str, Any]:
    form = partial(Part, job.part, examples=spec.examples(spec.predict_batch_size, 1), device=job.device)
    return _forms(form, implementation, spec, job, IDIOMS_OF_PARTS)


def _forms(
    form: Callable[..., Any],
    implementation: Any,
    spec: Any,
    job: Job,
    idioms: Mapping[str, Callable[..., Any]],
) -> dict[str, Any]:
    """The default first, then each other mode and each idiom."""
    default = form(implementation, spec)
    forms = {default.impl.mode: default}
    for mode in job.modes:
        if mode not in forms:
            forms[mode] = form(implementation, spec.with_settings({"mode": mode}))
    for name, mode, idiom in idioms[job.framework](implementation) if job.forms == "all" else ():
        forms[name] = form(idiom, spec.with_settings({"mode": mode}))
    return forms


def rounds(forms: dict[str, Any]) -> dict[str, list[float]]:
    """Form -> seconds a unit of each round; a hopeless one has those of its first turn, which others leave out."""
    first = {name: form.seconds() for name, form in forms.items()}
    limit_s = HOPELESS * next(iter(first.values()))
    spent = {name: [s] if s > limit_s else [] for name, s in first.items()}
    going = [name for name in forms if not spent[name]]
    for _ in range(ROUNDS):
        for name in going:
            spent[name].append(forms[name].seconds())
    return spent


def _spec(workload: str, settings: dict[str, Any]) -> Any:
    """As published, but what KEPT names of the proof: small ones, and a rate at which the stand-ins train."""
    spec = importlib.import_module(f"suite.{workload}.spec").SPEC
    if settings:
        return spec.with_settings(settings)
    if workload in SMALL:
        quick = spec.profiles["quick"]
        on_device = {"input": "preloaded"} if hasattr(spec, "input") else {}
        return spec.with_dataset(quick.datasets[0]).with_settings({**quick.settings, **on_device})
    return spec.with_settings({k: v for k, v in spec.proof_settings.items() if k in KEPT})


if __name__ == "__main__":
    main(*sys.argv[1:])
