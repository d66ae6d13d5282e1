"""What Keras leaves to its backends: double precision, and input that `fit` takes from each without a detour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import keras
import numpy as np
from keras import ops

BACKEND = keras.backend.backend()

# 1 costs a round trip through Python per step; PyTorch, which computes eagerly, takes no other.
STEPS_PER_EXECUTION = 1 if BACKEND == "torch" else 32


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


def batches(data: tuple[Any, ...], order: np.ndarray) -> Iterable[tuple[Any, ...]]:
    """The rows of tensors [n, ...] exactly as `order` [steps, batch] names them: a pipeline or a generator."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        steps = tf.data.Dataset.from_tensor_slices(order)
        taken = steps.map(lambda rows: tuple(tf.gather(part, rows) for part in data)).prefetch(2)
        # Its own threads would take 3 to 30 % of the speed from the training on 2 CPUs.
        options = tf.data.Options()
        options.autotune.enabled = False
        options.threading.private_threadpool_size = 1
        return taken.with_options(options)
    indices = ops.convert_to_tensor(order)
    return (tuple(ops.take(part, rows, axis=0) for part in data) for rows in indices)


def dense(gradient: Any) -> Any:
    """TensorFlow's gradient of an embedding names the rows it met, some twice: as a table, like every other's."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        return tf.convert_to_tensor(gradient)
    return gradient


def whole(batch: Any, size: int) -> Any:
    """A last, smaller batch filled up with zeros where another shape would be compiled anew, else as it is."""
    missing = size - len(batch)
    if BACKEND != "jax" or not missing:
        return batch
    return ops.pad(batch, [(0, missing), *[(0, 0)] * (batch.ndim - 1)])


def fit(model: keras.Model, data: tuple[Any, ...], order: np.ndarray) -> float:
    """One epoch over the batches that `order` names; the mean loss."""
    steps = batches(data, order)
    return model.fit(steps, steps_per_epoch=len(order), shuffle=False, verbose=0).history["loss"][0]


def trace_training(model: keras.Model, data: tuple[Any, ...], batch_size: int) -> None:
    """Compiles the training step by a step that is undone: of weights, statistics and the optimiser's memory."""
    model.optimizer.build(model.trainable_variables)
    changed = [*model.variables, *model.optimizer.variables]
    kept = [
        np.array(ops.convert_to_numpy(one)) for one in changed
    ]  # a copy: on PyTorch it is the memory itself
    fit(model, data, np.arange(batch_size)[np.newaxis])
    for variable, value in zip(changed, kept, strict=True):
        variable.assign(value)
