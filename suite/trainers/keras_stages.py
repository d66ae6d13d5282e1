"""Keras for tasks of any kind: stages of their own, states from batch to batch, a loss that looks at the batch."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import keras
from keras import ops

from suite.dropout import CHANCE, mask_of, seed_of
from suite.neural import NeuralSpec
from suite.spec import Arrays
from suite.task import TRAIN
from suite.trainers import keras_layers, keras_trainer
from suite.trainers.keras_trainer import Tensors

Apply = Callable[[keras.Model, Tensors, str], Tensors]
Loss = Callable[[Tensors, Tensors], Any]


class Stage(keras.Model):
    """A network in one stage; the states that it hands on are variables which its call assigns."""

    def __init__(
        self,
        net: keras.Model,
        stage: str,
        apply: Apply,
        loss: Loss,
        carried: Mapping[str, tuple[int, ...]],
        seed: int | None = None,
    ) -> None:
        super().__init__()
        self.chance = None if seed is None else keras_layers.chance(seed)
        self.net, self.stage, self._apply, self._loss = net, stage, apply, loss
        self.carried = {
            name: self.add_weight(shape=shape, initializer="zeros", trainable=False, name=name)
            for name, shape in carried.items()
        }
        self.built = True

    def call(self, batch: Tensors) -> Tensors:
        carried = {name: ops.convert_to_tensor(state) for name, state in self.carried.items()}
        drawn = {} if self.chance is None else {CHANCE: self.chance}
        outputs = dict(self._apply(self.net, {**batch, **carried, **drawn}, self.stage))
        outputs = {name: self._wide(one) for name, one in outputs.items()}
        for name, state in self.carried.items():
            state.assign(ops.cast(ops.stop_gradient(outputs.pop(name)), state.dtype))
        return outputs

    def _wide(self, output: Any) -> Any:
        """In the precision of the weights: a loss, sums and counts are not rounded to 16 bits."""
        return ops.cast(output, self.variable_dtype) if keras.backend.is_float_dtype(output.dtype) else output

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        return self._loss(y_pred, x)

    def begin(self) -> None:
        """Nothing is carried over to the first batch."""
        for state in self.carried.values():
            state.assign(ops.zeros(state.shape, state.dtype))


class Trainer(keras_trainer.Trainer):
    """The batch, its targets among it, goes whole to `apply` and `loss`, as in the other frameworks."""

    def __init__(self, spec: NeuralSpec, weights: Arrays, dtype: str, device: str) -> None:
        self._answering: dict[str, Stage] = {}
        self.sites = spec.sites()
        self._seed = seed_of(weights) if self.sites else None
        super().__init__(spec, weights, dtype, device)

    @abstractmethod
    def network(self) -> keras.Model:
        """The model, built; its layers named as the canonical weights are."""

    @abstractmethod
    def apply(self, net: keras.Model, batch: Tensors, stage: str) -> Tensors:
        """Named outputs for a batch, in stage train what `loss` takes."""

    @abstractmethod
    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        """Of a batch, a scalar."""

    def dropped(self, x: Any, site: str, batch: Tensors) -> Any:
        """In training without the share that the site leaves out (suite.dropout), if the spec has it."""
        if site not in self.sites:
            return x
        rate, mask = self.sites[site].rate, batch.get(mask_of(site))
        if mask is not None:
            return ops.where(mask, x / (1 - rate), ops.zeros_like(x))
        if CHANCE not in batch or not rate:
            return x
        return keras_layers.dropout(x, rate, batch[CHANCE], by_xla=self.mode == "xla")

    def trained(self, net: keras.Model, samples: int) -> keras.Model:
        return self._staged(net, TRAIN, samples)

    def asked(self, stage: str) -> keras.Model:
        if stage not in self._answering:
            self._answering[stage] = self._staged(self.net, stage, self.spec.predict_batch_size)
            self._compile(self._answering[stage], None)
        self._answering[stage].begin()
        return self._answering[stage]

    def _staged(self, net: keras.Model, stage: str, samples: int) -> Stage:
        seed = self._seed if stage == TRAIN else None
        return Stage(net, stage, self.apply, self.loss, self.spec.carried(samples), seed)

    def _pair(self, batch: Tensors) -> tuple[Any, ...]:
        return (batch,)

    def _named(self, outputs: Any) -> Arrays:
        return dict(outputs)
