"""Optimisers that Keras lacks: Adam as the other frameworks define it, a constant scale, and a recorder."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from suite.keras_backends import dense
from suite.neural import NeuralSpec


class Sgd(keras.optimizers.SGD):
    """Updates every row of an embedding, as the other frameworks do."""

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        gradient = dense(gradient)
        if self.weight_decay:
            gradient = gradient + ops.cast(self.weight_decay, variable.dtype) * variable
        super().update_step(gradient, variable, learning_rate)

    def _apply_weight_decay(self, variables: list[keras.Variable]) -> None:
        """Which Keras would take off the weights instead."""


class Adam(keras.optimizers.Adam):
    """Adds epsilon after the corrections for the first steps, not before (Kingma and Ba 2015, algorithm 1)."""

    def update_step(self, gradient: Any, variable: keras.Variable, learning_rate: Any) -> None:
        kind = variable.dtype
        rate, gradient = ops.cast(learning_rate, kind), ops.cast(dense(gradient), kind)
        steps = ops.cast(self.iterations + 1, kind)
        beta_1, beta_2 = (ops.convert_to_tensor(beta, kind) for beta in (self.beta_1, self.beta_2))
        index = self._get_variable_index(variable)
        first, second = self._momentums[index], self._velocities[index]
        self.assign_add(first, (gradient - first) * (1 - self.beta_1))
        self.assign_add(second, (ops.square(gradient) - second) * (1 - self.beta_2))
        corrected = first / (1 - ops.power(beta_1, steps))
        spread = ops.sqrt(second / (1 - ops.power(beta_2, steps)))
        self.assign_sub(variable, rate * corrected / (spread + self.epsilon))


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
