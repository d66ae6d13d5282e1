"""The cipher in Keras."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import keras
from keras import ops

from suite.task import INFER, TRAIN
from suite.trainers.keras_layers import Dense, Embedding
from suite.trainers.keras_stages import Trainer
from suite.trainers.keras_trainer import Tensors
from tests.toys.cipher.spec import REMEMBERED, SEEN, WIDTH, WORDS


class Net(keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = Embedding(WORDS, WIDTH, name="embedding")
        self.dense = Dense(WORDS, name="dense")
        self.embedding.build()
        self.dense.build((None, WIDTH))
        self.built = True

    def call(self, words: Any, memory: Any, dropped: Callable[..., Any]) -> Tensors:
        x = self.embedding(words)
        rows = ops.shape(x)[0]
        seen = dropped(x + REMEMBERED * memory[:rows, None], SEEN)
        kept = ops.pad(ops.mean(x, 1), [[0, memory.shape[0] - rows], [0, 0]])
        return {"logits": self.dense(seen), "memory": kept}


class Impl(Trainer):
    def network(self) -> keras.Model:
        return Net()

    def apply(self, net: keras.Model, batch: Tensors, stage: str) -> Tensors:
        found = net(batch["source"], batch["memory"], dropped=partial(self.dropped, batch=batch))
        if stage in (TRAIN, INFER):
            return found
        words = ops.cast(batch["source"] > 0, "int32")
        return {"tokens": ops.argmax(found["logits"], -1) * words, "memory": found["memory"]}

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        logits = outputs["logits"]
        losses = ops.sparse_categorical_crossentropy(batch["target"], logits, from_logits=True)
        words = ops.cast(batch["target"] > 0, losses.dtype)
        return ops.sum(losses * words) / ops.sum(words)
