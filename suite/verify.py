"""Records what implementations compute, to be compared with the others' records: the proof of equal work.

A run of stage `proof`, inside a framework's environment; one process proves all its workloads. Inputs, weights and
batches follow from a fixed seed alone, so every framework gets the same ones.
"""

from __future__ import annotations

import importlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from suite import data
from suite.dropout import masks
from suite.fingerprint import hash_of
from suite.implementation import Rewindable
from suite.neural import DEFAULT_MODE, NeuralSpec, trains
from suite.protocol import PROOFS, Request, output
from suite.runtimes import implementation_module, runtime_module
from suite.spec import Arrays, count
from suite.task import TRAIN

SEED = 20_240_607
SAMPLED_ENTRIES = 64  # of every array; with its norm and largest entry they give a wrong layout away
PROBES, AT_ONCE = 24, 8  # answers that are asked for again, so many at once
PREDICTED = 24  # rows of a batch of answers, where they are not the campaign's
TOGETHER = 70  # steps, after which float32 has parted sound trainings of several frameworks
MOST_STEPS, MOST_FLOPS = 256, 1e11  # of a proof as long as the run: some seconds of one CPU
BY_HEART_FLOPS = 2e10  # in which a small model learns two batches by heart: what small losses set off is seen

NOT_TRAINED: dict[str, Any] = {"epochs": [], "trained": {}}
NO_STEPS: dict[str, Any] = {
    "gradients": {},
    "losses": [],
    "early": {},
    "moved": {},
    "restored": None,
    **NOT_TRAINED,
}


@dataclass(frozen=True)
class Kind:
    """The shape of a proof: `epochs` of `steps`; `batch_size` None is the campaign's, with its settings and its data.

    The training set has half a batch more than the steps take. `by_train`: what is measured, too, and not `step` alone.
    `together`: so many steps are held against the reference's, all others against the framework's own.
    """

    dtype: str
    epochs: int
    steps: int
    batch_size: int | None
    by_train: bool = True
    together: int = 4


KINDS = {
    # Nothing is measured in float64, and XLA compiles `train` for long.
    "exact": Kind("float64", 2, 2, 16, by_train=False),
    # At least; more steps than any framework takes at once (32, suite.keras_backends), and some over.
    "long": Kind("float32", 2, 35, 4, together=TOGETHER),
    "own": Kind("float32", 2, 2, None),
    # Of who only infers.
    "answers": Kind("float32", 0, 0, None, by_train=False),
}


def kind_of(name: str, spec: NeuralSpec) -> Kind:
    """With fewer steps together where rounding alone parts what computes in float32; `spec`: as it is measured."""
    shape = KINDS[name]
    fewer = as_proven(spec, shape).comparable_steps if shape.dtype == "float32" else None
    return replace(shape, together=min(shape.together, fewer or shape.together))


def as_long_as(shape: Kind, spec: NeuralSpec, samples: int, device: str) -> Kind:
    """With the epochs of the run, and if its batch is small with its steps; `samples`: of the run's training set.

    As far as the most steps go; with the run's own batch until a small model knows its few samples by heart. On a GPU,
    which adds up in no fixed order, `train` parts from `step` by more the longer both go: there it stays short.
    """
    if device != "cpu" or not shape.by_train:
        return shape
    proven = as_proven(spec, shape)
    most, steps, epochs = _steps_within(MOST_FLOPS, proven), shape.steps, spec.pieces
    if shape.batch_size:
        steps = max(steps, min(spec.steps_per_epoch(samples), most // shape.epochs))
    else:
        epochs = max(epochs, _steps_within(BY_HEART_FLOPS, proven) // steps)
    return replace(shape, steps=steps, epochs=max(shape.epochs, min(epochs, most // steps)))


def _steps_within(flops: float, spec: NeuralSpec) -> int:
    step_flops = (spec.sample_flops("train") or 0) * spec.batch_size
    return min(MOST_STEPS, int(flops / max(1, step_flops)))


def execute(request: Request, folder: Path, data_folder: Path) -> None:
    """Writes the records of what the request's settings list: workload, kind, mode, dataset, settings."""
    runtime = importlib.import_module(runtime_module(request.framework))
    runtime.configure(request.threads, request.device)
    records = [_recorded(request, asked, data_folder) for asked in request.settings[PROOFS]]
    with output(folder) as stream:
        stream.write(json.dumps(records).encode())


def _recorded(request: Request, asked: Mapping[str, Any], data_folder: Path) -> dict[str, Any]:
    module = implementation_module(asked["workload"], request.framework)
    implementation = importlib.import_module(module).Impl
    spec = importlib.import_module(f"suite.{asked['workload']}.spec").SPEC.with_settings(
        {"mode": asked["mode"]}
    )
    measured = spec.with_dataset(asked["dataset"]).with_settings(asked["settings"])
    shape = kind_of(asked["kind"], measured)
    if asked["kind"] == "exact":
        return record(implementation, spec.with_settings(asked["settings"]), shape, request.device)
    train = data.load(data_folder / asked["dataset"], mapped=measured.mapped).cut(measured).train
    if shape.epochs:
        shape = as_long_as(shape, measured, count(train), request.device)
    if asked["kind"] == "long":
        apart = {name: getattr(measured, name) for name in spec.proven_apart}
        return record(implementation, spec.with_settings(apart), shape, request.device)
    return record(implementation, measured, shape, request.device, train)


def record(
    implementation: Any, spec: NeuralSpec, shape: Kind, device: str, examples: Arrays | None = None
) -> dict[str, Any]:
    """What `implementation` (a class like suite.implementation.Provable) computes; `examples`: else the spec's own."""
    spec = as_proven(spec, shape).lasting(shape.epochs, shape.steps) if shape.epochs else spec
    raw = _first(examples or spec.examples(samples_of(spec, shape), SEED), samples_of(spec, shape))
    inputs, orders = spec.inputs(raw, shape.dtype), _orders(spec, shape, raw)
    asked, few = spec.without_targets(_first(inputs, _answered(spec))), np.arange(min(AT_ONCE, count(raw)))
    everything = np.arange(count(asked))
    inputs |= masks(spec.sites(), count(raw), SEED)  # of training alone

    def new(weights: Arrays | None = None) -> Any:
        return implementation(spec, weights or spec.proof_weights(SEED), shape.dtype, device)

    if not shape.epochs:
        one = new()
        tested = one.place(asked)
        return {**NO_STEPS, **_told(one, tested, few, few), "answers": _outputs(one, tested, everything)}
    one = new()
    first, taught = spec.batch(inputs, orders[0][0]), _first(inputs, _trained(spec, shape))
    found = {
        **_told(one, tested := one.place(asked), few, everything),
        "gradients": _sketches(new().grads(first)) if shape.dtype == "float64" else {},
    }
    if not shape.by_train:
        by_step = _by_step(one, inputs, orders, shape.together)
        return {**found, **by_step, **NOT_TRAINED, "answers": _outputs(one, tested, few), "restored": None}
    begun = one.memory() if isinstance(one, Rewindable) else None
    trained = {
        **_by_train(one, taught, (tested, count(asked)), orders),
        "answers": _outputs(one, tested, few),
        "restored": _outputs(new(one.params()), tested, few),
    }
    stepped = new() if begun is None else _rewound(one, begun)
    return {**found, **trained, **_by_step(stepped, inputs, orders, shape.together)}


def _rewound(one: Rewindable, memory: Any) -> Rewindable:
    """Who has trained as it is measured, before its first step, for what it compiled: it must have kept nothing."""
    one.rewind(memory)
    return one


def _told(one: Any, tested: Any, few: np.ndarray, in_parts: np.ndarray) -> dict[str, Any]:
    """Of whoever infers; `in_parts`: rows of a stage whose batches are all begun before any of them is ended."""
    return {
        "mode": getattr(one, "mode", DEFAULT_MODE),
        "parameters": int(sum(array.size for name, array in one.params().items() if trains(name))),
        "outputs": _outputs(one, tested, few, in_parts),
    }


def _first(data: Arrays, samples: int) -> Arrays:
    return {name: array[:samples] for name, array in data.items()}


def _outputs(one: Any, tested: Any, rows: np.ndarray, in_parts: np.ndarray | None = None) -> dict[str, Any]:
    """In every stage but the training, and in the one that this is judged by."""
    asked = dict.fromkeys([*one.spec.stages, one.spec.evaluated_by])
    stages = [stage for stage in asked if stage != TRAIN]
    whole = rows if in_parts is None else in_parts
    begun = {*one.spec.parts} - {*one.spec.arriving}
    several = {
        stage: _compared(one, one.infer(tested, whole if stage in begun else rows, stage)) for stage in stages
    }
    return {
        name if len(stages) == 1 else f"{stage}/{name}": sketch(array)
        for stage, outputs in several.items()
        for name, array in outputs.items()
    }


def _compared(one: Any, outputs: Arrays) -> Arrays:
    """In float64 all of them."""
    rounded = all(array.dtype != np.float64 for array in outputs.values())
    return one.spec.proven(outputs) if rounded else outputs


def _sketches(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return {name: sketch(array) for name, array in arrays.items()}


def as_proven(spec: NeuralSpec, shape: Kind) -> NeuralSpec:
    """With the proof's own settings and sizes, where they are not the campaign's."""
    if shape.batch_size is None:
        return spec
    sizes = {"batch_size": shape.batch_size, "predict_batch_size": PREDICTED}
    return spec.with_settings({**spec.proof_settings, **sizes})


def samples_of(spec: NeuralSpec, shape: Kind) -> int:
    return max(_trained(spec, shape), _answered(spec))


def _trained(spec: NeuralSpec, shape: Kind) -> int:
    return shape.steps * spec.batch_size + spec.batch_size // 2


def _answered(spec: NeuralSpec) -> int:
    """Several batches of answers, and a smaller last one."""
    return max(AT_ONCE, 2 * spec.predict_batch_size + spec.predict_batch_size // 3)


def _orders(spec: NeuralSpec, shape: Kind, raw: Arrays) -> list[np.ndarray]:
    """The batches of each epoch."""
    taken = _first(raw, _trained(spec, shape))
    return [spec.order(taken, SEED, epoch) for epoch in range(1, shape.epochs + 1)]


def _by_step(stepped: Any, inputs: Arrays, orders: Sequence[np.ndarray], together: int) -> dict[str, Any]:
    """Losses of single steps, and what they changed: at first, and in all."""
    begun, losses, early = _copied(stepped.params()), [], None
    for rows in (rows for order in orders for rows in order):
        losses.append(float(stepped.step(stepped.spec.batch(inputs, rows))))
        if not math.isfinite(losses[-1]):
            raise ArithmeticError(
                f"{stepped.spec.name} diverges with these settings: step {len(losses)} has no loss"
            )
        if len(losses) == together:
            early = _moved(stepped.params(), begun)
    moved = _moved(stepped.params(), begun)
    return {"losses": losses, "early": early or moved, "moved": moved}


def _by_train(
    trained: Any, inputs: Arrays, asked: tuple[Any, int], orders: Sequence[np.ndarray]
) -> dict[str, Any]:
    """`train`, which is other code, over the same batches; the answers to all after two epochs and after the last.

    `asked`: what was placed to be answered, and how many samples that are.
    """
    begun, spec, epochs = _copied(trained.params()), trained.spec, []
    (tested, answered), taught = asked, trained.place(inputs)
    trained.compile(tested, spec.evaluated_by)
    trained.compile(taught, TRAIN)
    for number, order in enumerate(orders, 1):
        done, answers = trained.train(taught, order), None
        if number in (1, 2, len(orders)):
            answers = _answers(trained, tested, spec.pass_order(answered, SEED, number))
        epochs.append({"loss": done.loss, "rows": hash_of(done.rows), "answers": answers})
    return {"epochs": epochs, "trained": _moved(trained.params(), begun)}


def _answers(trained: Any, tested: Any, rows: np.ndarray) -> dict[str, Any]:
    """Those of all rows in one call, and some of them asked for again."""
    stage, probes = trained.spec.evaluated_by, _probes(trained.spec, len(rows))
    outputs = _compared(trained, trained.infer(tested, rows, stage))
    again = [_compared(trained, trained.infer(tested, rows[few], stage)) for few in probes]
    probed = np.concatenate(probes)
    return {
        name: {
            "all": sketch(array),
            "probed": array[probed].tolist(),
            "again": np.concatenate([one[name] for one in again]).tolist(),
        }
        for name, array in outputs.items()
    }


def _probes(spec: NeuralSpec, answered: int) -> list[np.ndarray]:
    """Places, a few at once; of batches that hand on a state, the first ones, for others' answers follow from those."""
    if spec.carried(spec.predict_batch_size):
        return [np.arange(min(PROBES, answered))]
    return np.split(np.linspace(0, answered - 1, PROBES).astype(int), PROBES // AT_ONCE)


def _moved(params: Mapping[str, np.ndarray], begun: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """What training has changed: held against the weights themselves, a small fault would drown."""
    return {name: sketch(np.asarray(array, np.float64) - begun[name]) for name, array in params.items()}


def _copied(params: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """PyTorch's are the memory itself, which training changes."""
    return {name: np.array(array, np.float64) for name, array in params.items()}


def sketch(array: np.ndarray) -> dict[str, Any]:
    """A large array in few numbers: its norm, its largest magnitude, and entries at fixed, seeded places.

    Of whole numbers, which name things, a hash of all of them instead of magnitudes.
    """
    flat = np.asarray(array).ravel()
    places = np.random.default_rng(flat.size).integers(0, flat.size, min(SAMPLED_ENTRIES, flat.size))
    shape = {"shape": list(np.shape(array))}
    if flat.dtype.kind != "f":
        return {**shape, "hash": hash_of(flat), "entries": flat[places].astype(int).tolist()}
    flat = flat.astype(np.float64)
    norm = {"norm": float(np.linalg.norm(flat)), "max_abs": float(np.abs(flat).max())}
    return {**shape, **norm, "entries": flat[places].tolist()}
