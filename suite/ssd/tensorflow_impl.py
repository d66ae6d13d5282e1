"""SSD in TensorFlow."""

from __future__ import annotations

from math import prod

import tensorflow as tf

from suite.residual.tensorflow_residual import Residual, standardised
from suite.ssd.spec import Ssd
from suite.ssd.tensorflow_multibox import detected, losses
from suite.task import TRAIN
from suite.trainers import tensorflow_trainer
from suite.trainers.tensorflow_layers import convolution
from suite.trainers.tensorflow_trainer import Tensors


class Impl(tensorflow_trainer.Trainer):
    spec: Ssd

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        net = Residual(weights, stage == TRAIN)
        x = standardised(batch["image"], self.dtype, self.narrow)
        maps = net.stages(x, self.spec.blocks)[-1:]
        for extra in self.spec.extras:
            squeezed = tf.nn.relu(net.layer(extra.squeeze, maps[-1]))
            maps.append(tf.nn.relu(net.layer(extra.spread, squeezed)))

        def head(name: str, number: int, x: tf.Tensor) -> tf.Tensor:
            kernel, bias = (weights[f"{name}{number}/{word}"] for word in ("kernel", "bias"))
            found = convolution(x, kernel, padding=kernel.shape[0] // 2) + bias
            places = prod(found.shape[1:]) // self.spec.told[name]
            return tf.reshape(found, [-1, places, self.spec.told[name]])

        told = {name: tf.concat([head(name, *one) for one in enumerate(maps)], 1) for name in self.spec.told}
        if stage == TRAIN:
            return told, net.statistics
        wide = {name: tf.cast(one, self.dtype) for name, one in told.items()}
        return detected(wide["offsets"], wide["logits"], self._defaults(), self.spec), {}

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        """Mean over the images of what their matched boxes lose; an image without any loses nothing."""
        parts = losses(outputs["offsets"], outputs["logits"], batch, self._defaults(), self.spec)
        both = parts["placed"] + parts["classified"]
        return tf.reduce_mean(both / tf.cast(tf.maximum(parts["matched"], 1), self.dtype))

    def _defaults(self) -> tf.Tensor:
        return tf.constant(self.spec.defaults, self.dtype)
