"""Records what implementations compute, to be compared with the others' records: the proof of equal work.

A run of stage `proof`, inside a framework's environment; one process proves all its workloads. Inputs, weights and
batches follow from a fixed seed alone, so every framework gets the same ones.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from suite import data
from suite.fingerprint import hash_of
from suite.neural import NeuralSpec, trains
from suite.protocol import PROOFS, Request, output
from suite.runtimes import implementation_module, runtime_module

SEED = 20_240_607
SAMPLED_ENTRIES = 64  # of every array; with its norm and largest entry they give a wrong layout away
PROBES, AT_ONCE = 24, 8  # answers that are asked for again, so many at once

Examples = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Kind:
    """The shape of a proof: `epochs` of `steps`; `batch_size` None is the campaign's, with its settings and its data.

    The training set has half a batch more than the steps take.
    """

    dtype: str
    epochs: int
    steps: int
    batch_size: int | None


KINDS = {
    "exact": Kind("float64", 2, 2, 16),
    # More steps than any framework takes at once (32, suite.keras_backends), and some over.
    "long": Kind("float32", 2, 35, 4),
    "own": Kind("float32", 2, 2, None),
}


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
    if asked["kind"] != "own":
        return record(implementation, spec, asked["kind"], request.device)
    spec = spec.with_dataset(asked["dataset"]).with_settings(asked["settings"])
    train = data.load(data_folder / asked["dataset"]).train
    return record(implementation, spec, "own", request.device, (train.x, train.y))


def record(
    implementation: Any, spec: NeuralSpec, kind: str, device: str, examples: Examples | None = None
) -> dict[str, Any]:
    """What `implementation` (a class like suite.implementation.Provable) computes; `examples`: else the spec's own."""
    shape = KINDS[kind]
    if shape.batch_size:
        spec = spec.with_settings({**spec.proof_settings, "batch_size": shape.batch_size})
    raw, y = examples or spec.examples(samples_of(spec, shape), SEED)
    raw, y = raw[: samples_of(spec, shape)], y[: samples_of(spec, shape)]
    x = spec.inputs_in(shape.dtype, raw)

    def new() -> Any:
        return implementation(spec, spec.initial_weights(SEED), shape.dtype, device)

    stepped, trained, batch = new(), new(), slice(spec.batch_size)
    # Of an instance of their own: PyTorch's statistics take in what passes a network, whatever it passes for.
    gradients = new().grads(x[batch], y[batch]) if shape.dtype == "float64" else {}
    return {
        "mode": trained.mode,
        "parameters": int(sum(array.size for name, array in trained.params().items() if trains(name))),
        "gradients": {name: sketch(array) for name, array in gradients.items()},
        **_traced(stepped, trained, (x, y), spec, shape),
    }


def samples_of(spec: NeuralSpec, shape: Kind) -> int:
    """What training takes, and enough for several batches of answers and a smaller last one."""
    return max(_trained(spec, shape), 2 * spec.predict_batch_size + spec.predict_batch_size // 3)


def _trained(spec: NeuralSpec, shape: Kind) -> int:
    return shape.steps * spec.batch_size + spec.batch_size // 2


def _traced(stepped: Any, trained: Any, examples: Examples, spec: NeuralSpec, shape: Kind) -> dict[str, Any]:
    """`step` by `step`, and by `train`, which is other code, over the same batches; the answers before and after."""
    (x, y), begun = examples, _copied(trained.params())
    samples = min(len(y), _trained(spec, shape))
    tested, taught = trained.place(x, y), trained.place(x[:samples], y[:samples])
    trained.compile(tested, taught)
    logits = sketch(trained.predict(tested, np.arange(min(len(y), spec.batch_size))))
    losses, epochs = [], []
    for epoch in range(1, shape.epochs + 1):
        order = spec.batch_order(samples, SEED, epoch)
        losses.extend(float(stepped.step(x[rows], y[rows])) for rows in order)
        done = trained.train(taught, order)
        answers = _answers(trained, tested, spec.pass_order(len(y), SEED, epoch))
        epochs.append({"loss": done.loss, "rows": hash_of(done.rows), **answers})
    return {
        "logits": logits,
        "losses": losses,
        "epochs": epochs,
        "moved": _moved(stepped.params(), begun),
        "trained": _moved(trained.params(), begun),
    }


def _answers(trained: Any, tested: Any, rows: np.ndarray) -> dict[str, Any]:
    """Those of all rows in one call, and some of them asked for again, a few at once."""
    scores = trained.predict(tested, rows)
    probed = np.linspace(0, len(rows) - 1, PROBES).astype(int)
    again = [trained.predict(tested, rows[few]) for few in np.split(probed, PROBES // AT_ONCE)]
    return {
        "answers": sketch(scores),
        "probed": scores[probed].tolist(),
        "again": np.concatenate(again).tolist(),
    }


def _moved(params: Mapping[str, np.ndarray], begun: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """What training has changed: held against the weights themselves, a small fault would drown."""
    return {name: sketch(np.asarray(array, np.float64) - begun[name]) for name, array in params.items()}


def _copied(params: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """PyTorch's are the memory itself, which training changes."""
    return {name: np.array(array, np.float64) for name, array in params.items()}


def sketch(array: np.ndarray) -> dict[str, Any]:
    """A large array in few numbers: its norm, its largest magnitude, and entries at fixed, seeded places."""
    flat = np.asarray(array, np.float64).ravel()
    places = np.random.default_rng(flat.size).integers(0, flat.size, min(SAMPLED_ENTRIES, flat.size))
    return {
        "shape": list(np.shape(array)),
        "norm": float(np.linalg.norm(flat)),
        "max_abs": float(np.abs(flat).max()),
        "entries": flat[places].tolist(),
    }
