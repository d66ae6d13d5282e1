"""Optimisers that Keras lacks: Adam as the other frameworks define it, a constant scale, and a recorder."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from suite.keras_backends import dense
from suite.neural import NeuralSpec


class Rates(keras.optimizers.schedules.LearningRateSchedule):
    """The spec's, of so many steps to come: a table among the optimiser's variables, so that no step asks the host."""

    AHEAD = 4096

    def __init__(self, spec: NeuralSpec) -> None:
        super().__init__()
        self.spec = spec

    def lie_with(self, optimizer: keras.optimizers.Optimizer) -> None:
        self.table = optimizer.add_variable((self.AHEAD,), name="rates")
        self.first = optimizer.add_variable((), dtype="int32", name="first_rate")

    def prepare(self, first: int) -> None:
        self.table.assign(self.spec.rates(first, self.AHEAD))
        self.first.assign(first)

    def __call__(self, step: Any) -> Any:
        """`step`: Keras counts each part of a batch."""
        return ops.take(self.table, ops.cast(step, "int32") // self.spec.micro_batches - self.first)


class Dense(keras.optimizers.Optimizer):
    """Updates every row of an embedding, as the other frameworks do: adds up and clips such gradients."""

    def apply(self, grads: list[Any], trainable_variables: Any = None) -> None:
        super().apply([dense(one) for one in grads], trainable_variables)


class Sgd(Dense, keras.optimizers.SGD):
    """Its velocity has no rate in it, as Keras' has: with rates that change another one (Sutskever et al. 2013)."""

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        kind = variable.dtype
        rate, gradient = ops.cast(learning_rate, kind), ops.cast(gradient, kind)
        if self.weight_decay and self._use_weight_decay(variable):
            gradient = gradient + ops.convert_to_tensor(self.weight_decay, kind) * variable
        if self.momentum:
            velocity = self.momentums[self._get_variable_index(variable)]
            gradient = gradient + velocity * self.momentum
            self.assign(velocity, gradient)
        self.assign_sub(variable, rate * gradient)

    def _apply_weight_decay(self, variables: list[keras.Variable]) -> None:
        """Which Keras would take off the weights instead."""


class Adam(Dense, keras.optimizers.Adam):
    """Adds epsilon after the corrections for the first steps, not before (Kingma and Ba 2015, algorithm 1)."""

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        kind = variable.dtype
        rate, gradient = ops.cast(learning_rate, kind), ops.cast(gradient, kind)
        steps = ops.cast(self.iterations + 1, kind)
        beta_1, beta_2 = (ops.convert_to_tensor(beta, kind) for beta in (self.beta_1, self.beta_2))
        index = self._get_variable_index(variable)
        first, second = self._momentums[index], self._velocities[index]
        self.assign_add(first, (gradient - first) * (1 - self.beta_1))
        self.assign_add(second, (ops.square(gradient) - second) * (1 - self.beta_2))
        corrected = first / (1 - ops.power(beta_1, steps))
        spread = ops.sqrt(second / (1 - ops.power(beta_2, steps)))
        self.assign_sub(variable, rate * corrected / (spread + self.epsilon))

    def _apply_weight_decay(self, variables: list[keras.Variable]) -> None:
        """As Keras does, but by a number that TensorFlow has not rounded to 32 bits on its way to 64."""
        for one in filter(self._use_weight_decay, variables if self.weight_decay else ()):
            rate = ops.cast(self.learning_rate, one.dtype)
            one.assign(one - one * ops.convert_to_tensor(self.weight_decay, one.dtype) * rate)


class GradientRecord(keras.optimizers.Optimizer):
    """Leaves each gradient in the place of its variable."""

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        self.assign(variable, dense(gradient))


def scaled(optimizer: keras.optimizers.Optimizer, spec: NeuralSpec) -> keras.optimizers.Optimizer:
    """With the spec's constant loss scale where it has one."""
    if spec.loss_scale == 1.0:
        return optimizer
    never = 2**31 - 1  # steps after which the scale would grow
    return keras.optimizers.LossScaleOptimizer(
        optimizer, initial_scale=spec.loss_scale, dynamic_growth_steps=never
    )
