"""What Keras leaves to its backends: double precision, and `fit`, timed and counted alike on all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from functools import partial, reduce
from typing import Any

import keras
import numpy as np
from keras import ops

from suite.fingerprint import Epoch

BACKEND = keras.backend.backend()

# 1 costs a round trip through Python per step; PyTorch, which computes eagerly, takes no other.
STEPS_PER_EXECUTION = 1 if BACKEND == "torch" else 32

# Batches, and what tells which rows were taken.
Feed = tuple[Iterable[tuple[Any, ...]], Callable[[], np.ndarray]]


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


def in_one_call(function: Callable[..., Any], changed: bool = False) -> Callable[..., Any]:
    """JAX would be asked for each of several operations through Python; `changed`: it may have the first argument."""
    if BACKEND == "jax":
        import jax

        return jax.jit(function, donate_argnums=0 if changed else ())
    return function


def asked_by(mode: str, function: Callable[..., Any], changed: bool = False) -> Callable[..., Any]:
    """Compiled as Keras compiles a model in this mode; without gradients. Weights are among what it is given.

    `changed`: nobody needs the first argument afterwards.
    """
    if BACKEND == "torch":
        import torch

        return torch.inference_mode()(function)
    if mode == "jit":
        return in_one_call(function, changed)
    if mode == "eager":
        return function
    import tensorflow as tf

    return tf.function(function, jit_compile=mode == "xla" or None)


class InPlace:
    """Arrays that several functions change where they lie: variables of TensorFlow's, to JAX given away each time."""

    def __init__(self, arrays: Any, mode: str) -> None:
        self._mode, self._arrays = mode, arrays
        if BACKEND == "tensorflow":
            import tensorflow as tf

            self._arrays = keras.tree.map_structure(tf.Variable, arrays)

    def changing(self, function: Callable[..., tuple[Any, Any]]) -> Callable[..., Any]:
        """function(arrays, *given) gives the new arrays and what is told: that alone, of `given`."""
        if BACKEND == "tensorflow":
            return asked_by(self._mode, partial(self._assigned, function))
        compiled = asked_by(self._mode, function, changed=True)

        def called(*given: Any) -> Any:
            self._arrays, told = compiled(self._arrays, *given)
            return told

        return called

    def _assigned(self, function: Callable[..., tuple[Any, Any]], *given: Any) -> Any:
        values = keras.tree.map_structure(lambda one: one.read_value(), self._arrays)
        new, told = function(values, *given)
        keras.tree.map_structure(lambda one, value: one.assign(value), self._arrays, new)
        return told


def at_rest(found: Any) -> Any:
    """What was computed, once it is."""
    if BACKEND == "jax":
        import jax

        return jax.block_until_ready(found)
    if BACKEND == "tensorflow":
        import tensorflow as tf

        tf.test.experimental.sync_devices()
    elif (device := keras.tree.flatten(found)[0].device).type != "cpu":
        import torch

        torch.accelerator.synchronize(device)
    return found


def repeated(times: int, body: Callable[[Any, Any], Any], begun: Any, by_python: bool) -> Any:
    """body(number, what it gave before): a loop of the backend's, or of whole numbers."""
    if by_python:
        return reduce(lambda before, number: body(number, before), range(times), begun)
    return ops.fori_loop(0, times, body, begun)


def take(array: Any, *places: Any) -> Any:
    """array[place, ...] of the backend's tensors."""
    if BACKEND == "tensorflow" and len(places) > 1:
        import tensorflow as tf

        return tf.gather_nd(array, tf.stack(places, axis=-1))
    return array[places] if len(places) > 1 else ops.take(array, *places, axis=0)


def dense(gradient: Any) -> Any:
    """TensorFlow's gradient of an embedding names the rows it met, some twice: as a table, like every other's."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        return tf.convert_to_tensor(gradient)
    return gradient


def fit(model: keras.Model, given: Feed, steps: int, parts: int = 1) -> Epoch:
    """One epoch over batches, `parts` of which make a step; of their losses Keras tells the mean."""
    batches, taken_rows = given
    before = int(model.optimizer.iterations)
    history = model.fit(batches, steps_per_epoch=steps * parts, shuffle=False, verbose=0).history
    updates = int(model.optimizer.iterations) - before  # a pipeline reads ahead of them
    rows = taken_rows()[: updates * parts]
    return Epoch(np.array(history["loss"]), rows.reshape(-1, parts * rows.shape[1]))


def trace_training(model: keras.Model, given: Feed, parts: int = 1) -> None:
    """Compiles the training step by a step that is undone: of weights, statistics and the optimiser's memory."""
    kept = memory(model)
    with _same_chance():
        fit(model, given, 1, parts)
    rewind(model, kept)


def memory(model: keras.Model) -> list[np.ndarray]:
    """All that training changes: copies, as PyTorch's are the memory itself."""
    model.optimizer.build(model.trainable_variables)
    return [np.array(ops.convert_to_numpy(one)) for one in _changed(model)]


def rewind(model: keras.Model, kept: list[np.ndarray]) -> None:
    for variable, value in zip(_changed(model), kept, strict=True):
        variable.assign(value)


def _changed(model: keras.Model) -> list[keras.Variable]:
    return [*model.variables, *model.optimizer.variables]


def _same_chance() -> AbstractContextManager[object]:
    """Draws nothing of what dropout will draw: PyTorch's generator is no variable."""
    if BACKEND == "torch":
        import torch

        return torch.random.fork_rng()
    return nullcontext()
