"""What Keras leaves to its backends: double precision, and input that `fit` takes from each without a detour."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import keras
import numpy as np
from keras import ops

from suite.fingerprint import Epoch

BACKEND = keras.backend.backend()

# 1 costs a round trip through Python per step; PyTorch, which computes eagerly, takes no other.
STEPS_PER_EXECUTION = 1 if BACKEND == "torch" else 32


Feed = tuple[
    Iterable[tuple[Any, ...]], Callable[[], np.ndarray]
]  # batches, and what tells which rows were taken


def set_dtype(dtype: str) -> None:
    """float32 or float64, for all variables to come; float64 serves the proof of equal work alone."""
    keras.config.set_floatx(dtype)
    if BACKEND == "jax":
        import jax

        jax.config.update("jax_enable_x64", dtype == "float64")
    if (
        BACKEND != "tensorflow"
    ):  # else Keras rounds activations, and on PyTorch products, to 32 bits without a switch
        from keras.src.backend.common.dtypes import BIT64_TO_BIT32_DTYPE

        BIT64_TO_BIT32_DTYPE["float64"] = dtype


def allow_tf32(allowed: bool) -> None:
    """Whether a GPU may round the factors of products to 10 bits."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        tf.config.experimental.enable_tensor_float_32_execution(allowed)
    elif BACKEND == "torch":
        import torch

        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = allowed
    else:
        import jax

        jax.config.update("jax_default_matmul_precision", "tensorfloat32" if allowed else "highest")


def place(array: np.ndarray, dtype: str) -> Any:
    """The array as the backend's tensor, arrived on the device."""
    tensor = ops.convert_to_tensor(array, dtype)
    if BACKEND == "jax":
        tensor.block_until_ready()
    return tensor


def feed(batch_of: Callable[[Any], tuple[Any, ...]], order: np.ndarray) -> Feed:
    """Batches exactly as `order` [steps, batch] names them, and the rows that were taken so far."""
    if BACKEND == "tensorflow":
        return _pipeline(batch_of, order)
    return generator(ops.convert_to_tensor(order), batch_of)


def in_one_call(function: Callable[..., Any]) -> Callable[..., Any]:
    """JAX would be asked for each of several operations through Python."""
    if BACKEND == "jax":
        import jax

        return jax.jit(function)
    return function


def take(array: Any, *places: Any) -> Any:
    """array[place, ...] of the backend's tensors."""
    if BACKEND == "tensorflow" and len(places) > 1:
        import tensorflow as tf

        return tf.gather_nd(array, tf.stack(places, axis=-1))
    return array[places] if len(places) > 1 else ops.take(array, *places, axis=0)


def taken(data: Any, rows: Any) -> Any:
    """Of every tensor the samples of these rows."""
    return keras.tree.map_structure(lambda part: ops.take(part, rows, axis=0), data)


def _pipeline(batch_of: Callable[[Any], tuple[Any, ...]], order: np.ndarray) -> Feed:
    import tensorflow as tf

    with tf.device("CPU"):
        used = tf.Variable(np.full_like(order, -1), trainable=False)

    def batch(step: Any, rows: Any) -> tuple[Any, ...]:
        with tf.control_dependencies([used[step].assign(rows)]):
            return batch_of(rows)

    steps = tf.data.Dataset.from_tensor_slices(order).enumerate()
    # Its own threads would take 3 to 30 % of the speed from the training on 2 CPUs.
    options = tf.data.Options()
    options.autotune.enabled = False
    options.threading.private_threadpool_size = 1
    return steps.map(batch).prefetch(2).with_options(options), used.numpy


def generator(order: Any, batch_of: Callable[[Any], tuple[Any, ...]]) -> Feed:
    """Batches as they are asked for."""
    used = []

    def batches() -> Iterator[tuple[Any, ...]]:
        for rows in order:
            used.append(rows)
            yield batch_of(rows)

    given = _of_any_lengths(batches()) if BACKEND == "tensorflow" else batches()
    return given, lambda: ops.convert_to_numpy(ops.stack(used))


def _of_any_lengths(batches: Iterator[tuple[Any, ...]]) -> Any:
    """Keras would hold all batches to the lengths of the first two."""
    import tensorflow as tf

    def signature(part: Any) -> Any:
        return tf.TensorSpec([len(part), *[None] * (part.ndim - 1)], part.dtype)

    first = next(batches)
    specs = keras.tree.map_structure(signature, first)
    return tf.data.Dataset.from_generator(lambda: chain([first], batches), output_signature=specs)


def dense(gradient: Any) -> Any:
    """TensorFlow's gradient of an embedding names the rows it met, some twice: as a table, like every other's."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        return tf.convert_to_tensor(gradient)
    return gradient


def whole(rows: np.ndarray, size: int) -> np.ndarray:
    """A last, smaller batch filled up with row 0 where another shape would be compiled anew, else as it is."""
    return np.pad(rows, (0, size - len(rows))) if BACKEND == "jax" else rows


def fit(model: keras.Model, given: Feed, steps: int) -> Epoch:
    """One epoch over batches; of its losses Keras tells the mean."""
    batches, taken_rows = given
    before = int(model.optimizer.iterations)
    history = model.fit(batches, steps_per_epoch=steps, shuffle=False, verbose=0).history
    updates = int(model.optimizer.iterations) - before  # a pipeline reads ahead of them
    return Epoch(np.array(history["loss"]), taken_rows()[:updates])


def trace_training(model: keras.Model, given: Feed) -> None:
    """Compiles the training step by a step that is undone: of weights, statistics and the optimiser's memory."""
    model.optimizer.build(model.trainable_variables)
    changed = [*model.variables, *model.optimizer.variables]
    kept = [
        np.array(ops.convert_to_numpy(one)) for one in changed
    ]  # a copy: on PyTorch it is the memory itself
    fit(model, given, 1)
    for variable, value in zip(changed, kept, strict=True):
        variable.assign(value)
