"""Records what one implementation computes, to be compared with the others' records: the proof of equal work.

A run of stage `proof`, inside the framework's environment. Inputs (`spec.examples`), weights and batches follow from a
fixed seed alone, so every framework gets the same ones. Each record holds a trace of plain SGD (without momentum) and
one with the spec's own settings.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from suite.neural import NeuralSpec, trains
from suite.protocol import PROOF_STEPS, Request, output
from suite.runtimes import implementation_module, runtime_module

SEED = 20_240_607
BATCH_SIZE = 16
SAMPLED_ENTRIES = 64  # of every gradient; with its norm and largest entry they give a wrong layout away


def execute(request: Request, folder: Path) -> None:
    """Writes the record of the request's workload, framework, dtype and, among its settings, mode."""
    runtime = importlib.import_module(runtime_module(request.framework))
    runtime.configure(request.threads, request.device)
    module = implementation_module(request.workload, request.framework)
    implementation = importlib.import_module(module).Impl
    settings = dict(request.settings)
    spec = importlib.import_module(f"suite.{request.workload}.spec").SPEC
    steps = settings.pop(PROOF_STEPS, spec.proof_steps)
    result = record(implementation, spec.with_settings(settings), request.dtype, request.device, steps)
    facts = {"workload": request.workload, **runtime.facts()}
    head = {name: facts[name] for name in ("workload", "framework", "version", "threads")}
    with output(folder) as stream:
        stream.write(json.dumps({**head, **result}).encode())


def record(implementation: Any, spec: NeuralSpec, dtype: str, device: str, steps: int) -> dict[str, Any]:
    """What `implementation` (a class like suite.implementation.Provable) computes in `steps` steps of `spec`."""
    spec = spec.with_settings({"batch_size": BATCH_SIZE, **spec.proof_settings})
    raw, y = spec.examples(steps * BATCH_SIZE, SEED)
    x = spec.inputs_in(dtype, raw)

    def new(**settings: Any) -> Any:
        return implementation(spec.with_settings(settings), spec.initial_weights(SEED), dtype, device)

    first, batch = new(), (x[:BATCH_SIZE], y[:BATCH_SIZE])
    return {
        "dtype": dtype,
        "mode": first.mode,
        "parameters": int(sum(array.size for name, array in first.params().items() if trains(name))),
        "logits": first.predict(first.place(*batch), np.arange(BATCH_SIZE)).tolist(),
        "gradients": {name: sketch(array) for name, array in first.grads(*batch).items()},
        "plain": _traces(lambda: new(**spec.plain), x, y, spec, steps),
        "as_specified": _traces(new, x, y, spec, steps),
    }


def _traces(new: Any, x: np.ndarray, y: np.ndarray, spec: NeuralSpec, steps: int) -> dict[str, Any]:
    """The losses of `step` by `step`, and of `train`, which is other code, over the same batches."""
    order = spec.batch_order(steps * BATCH_SIZE, SEED, 1)
    stepped, trained = new(), new()
    losses = [float(stepped.step(x[batch], y[batch])) for batch in order]
    data = trained.place(x, y)
    trained.compile(data, data)
    return {
        "losses": losses,
        "train_loss": trained.train(data, order).loss,
        "params": {name: sketch(array) for name, array in stepped.params().items()},
        "train_params": {name: sketch(array) for name, array in trained.params().items()},
    }


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
