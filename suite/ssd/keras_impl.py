"""SSD in Keras."""

from __future__ import annotations

from typing import Any

import keras
from keras import layers, ops

from suite.residual.keras_residual import Standardised, features, layer
from suite.ssd.keras_multibox import detected, losses
from suite.ssd.spec import Ssd
from suite.task import TRAIN
from suite.trainers import keras_stages
from suite.trainers.keras_layers import Conv2D
from suite.trainers.keras_trainer import Tensors


class Impl(keras_stages.Trainer):
    spec: Ssd

    def network(self) -> keras.Model:
        """Images uint8 -> what the heads tell of each default box."""
        images = keras.Input(self.spec.given, dtype="uint8")
        maps = features(Standardised()(images), self.spec.blocks)[-1:]
        for extra in self.spec.extras:
            squeezed = layers.ReLU()(layer(extra.squeeze, maps[-1]))
            maps.append(layers.ReLU()(layer(extra.spread, squeezed)))

        def head(name: str, number: int, x: Any) -> Any:
            size, *_, out = self.spec.heads[f"{name}{number}"]
            found = Conv2D(out, size, padding="same", name=f"{name}{number}")(x)
            return layers.Reshape((-1, self.spec.told[name]))(found)

        told = {
            name: layers.Concatenate(1)([head(name, *one) for one in enumerate(maps)])
            for name in self.spec.told
        }
        return keras.Model(images, told)

    def apply(self, net: keras.Model, batch: Tensors, stage: str) -> Tensors:
        told = net(batch["image"], training=stage == TRAIN)
        if stage == TRAIN:
            return told
        wide = {name: ops.cast(one, self.dtype) for name, one in told.items()}
        return detected(wide["offsets"], wide["logits"], self._defaults(), self.spec)

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        """Mean over the images of what their matched boxes lose; an image without any loses nothing."""
        parts = losses(outputs["offsets"], outputs["logits"], batch, self._defaults(), self.spec)
        both = parts["placed"] + parts["classified"]
        return ops.mean(both / ops.cast(ops.maximum(parts["matched"], 1), self.dtype))

    def _defaults(self) -> Any:
        return ops.convert_to_tensor(self.spec.defaults, self.dtype)
