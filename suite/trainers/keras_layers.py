"""Layers that Keras has, but with another definition than the other frameworks."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops


class BatchNormalization(keras.layers.BatchNormalization):
    """Its running variance takes in the batch's unbiased variance, n / (n - 1) of what normalises the batch."""

    def call(self, inputs: Any, training: bool | None = None, mask: Any = None) -> Any:
        kept = self.moving_variance * self.momentum
        outputs = super().call(inputs, training=training, mask=mask)
        if training and self.trainable:
            values = ops.cast(ops.size(inputs) // inputs.shape[self.axis], kept.dtype)
            self.moving_variance.assign(kept + (self.moving_variance - kept) * values / (values - 1))
        return outputs
