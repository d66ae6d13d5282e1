"""NeuMF in Keras."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import keras
from keras import ops

from suite.keras_backends import BACKEND
from suite.ncf.ranking import TOP
from suite.ncf.spec import Ncf
from suite.task import SCORES, TRAIN
from suite.trainers.keras_layers import Embedding, dense
from suite.trainers.keras_stages import Trainer
from suite.trainers.keras_trainer import Tensors


class Net(keras.Model):
    def __init__(self, spec: Ncf) -> None:
        super().__init__()
        self.factors, shapes = spec.factors, spec.shapes
        self.users = Embedding(*shapes["users/embeddings"], name="users")
        self.items = Embedding(*shapes["items/embeddings"], name="items")
        self.hidden = [dense(shapes, name, "relu") for name in spec.hidden]
        self.score = dense(shapes, "output")
        for table in (self.users, self.items):
            table.build()
        for layer in (*self.hidden, self.score):
            layer.build((None, shapes[f"{layer.name}/kernel"][0]))
        self.built = True

    def call(self, user: Any, item: Any, *, dropped: Callable[[Any, str], Any]) -> Any:
        user, item = self.users(user), self.items(item)
        user = ops.broadcast_to(user, ops.shape(item))
        x = ops.concatenate([user[..., self.factors :], item[..., self.factors :]], axis=-1)
        for layer in self.hidden:
            x = dropped(layer(x), layer.name)
        product = user[..., : self.factors] * item[..., : self.factors]
        return self.score(ops.concatenate([product, x], axis=-1))[..., 0]


class Impl(Trainer):
    spec: Ncf

    def default_mode(self, device: str) -> str:
        """xla on TensorFlow, as TensorFlow's own: of 10 000 items a step takes 0.8 of the graph's CPU time."""
        return "xla" if BACKEND == "tensorflow" else super().default_mode(device)

    def network(self) -> keras.Model:
        return Net(self.spec)

    def apply(self, net: keras.Model, batch: Tensors, stage: str) -> Tensors:
        dropped = partial(self.dropped, batch=batch)
        if stage == TRAIN:
            return {SCORES: net(batch["user"], batch["item"], dropped=dropped)}
        candidates = batch["candidates"]
        scores = net(batch["user"][:, None], candidates, dropped=dropped)
        best = ops.argsort(-scores, axis=1)[:, :TOP]  # of equal ones the first, on every backend
        return {SCORES: scores, "ranked": ops.take_along_axis(candidates, best, axis=1)}

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        """-log sigmoid(score) of a rating, -log sigmoid(-score) of a negative."""
        scores = outputs[SCORES]
        return ops.mean(ops.softplus(ops.where(batch["rated"], -scores, scores)))
