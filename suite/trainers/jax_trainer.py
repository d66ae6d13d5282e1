"""Training and inference in JAX: data resident on the device.

Modes: scan, an epoch is one compiled loop; jit, one compiled step at a time. On 2 CPU cores mnist_cnn trains 930
examples/s by scan, with convolutions as matrix products, against 815 by jit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from suite.dropout import CHANCE, Site, mask_of, seed_of
from suite.fingerprint import Epoch
from suite.neural import NeuralSpec, narrows, trains
from suite.spec import Arrays, count
from suite.task import INFER, SCORES, TRAIN
from suite.trainers import chosen_mode, jax_layers, kind_of, made
from suite.trainers.optimizers import SLOTS, first_share, update

Tensors = dict[str, Any]
State = tuple[Any, ...]  # weights, slots, powers of the betas, what is carried, what dropout draws from
MODES = ("jit", "scan")
# For dropout. On 2 CPU cores 2.1 million draws of 32 bits take 23 ms, by Threefry 6 ms; but that takes XLA 2 s of CPU
# more to compile of a small transformer_xl. Two numbers share a draw.
GENERATOR = "unsafe_rbg"
MATMUL_PRECISIONS = {"tf32": "tensorfloat32"}  # else all bits of the operands


class Draws:
    """Of the sites of one step, by keys of a seed and a count. `together`: alike ones at once, to compile less."""

    def __init__(self, key: jax.Array, sites: Mapping[str, Site], together: bool) -> None:
        self._key, self._sites, self._together = key, sites, together
        self._drawn: dict[Any, jax.Array] = {}

    def kept(self, name: str, shape: tuple[int, ...]) -> jax.Array:
        """Which numbers, bool of this shape."""
        site = self._sites[name]
        alike = [other for other, one in self._sites.items() if one == site] if self._together else [name]
        group = (alike[0], shape)
        if group not in self._drawn:
            own = jax.random.wrap_key_data(self._key.at[1].add(len(self._drawn)), impl=GENERATOR)
            size = len(alike) * prod(shape)
            bits = lax.bitcast_convert_type(jax.random.bits(own, (-(-size // 2),), jnp.uint32), jnp.uint16)
            drawn = bits.ravel()[:size].reshape(len(alike), *shape)
            self._drawn[group] = drawn >= jnp.uint16(round(site.rate * 2**16))
        return self._drawn[group][alike.index(name)]


class Trainer(ABC):
    """Instances of equal spec, precision and device are equal, by which JAX knows that they share compiled code."""

    default_mode = "scan"

    def __init__(self, spec: NeuralSpec, weights: Arrays, dtype: str, device: str) -> None:
        jax.config.update("jax_enable_x64", dtype == "float64")
        jax.config.update("jax_default_matmul_precision", MATMUL_PRECISIONS.get(spec.precision, "highest"))
        self.spec, self.dtype, self.narrow = spec, dtype, spec.narrow_dtype(dtype)
        self._kind = type(self), spec, dtype, device
        # What is made on the host step by step is in no loop of the device.
        self.mode = chosen_mode(spec, *((MODES[:1], "jit") if spec.premade else (MODES, self.default_mode)))
        batch = jax_layers.convolution_on_cpu if device == "cpu" else jax_layers.convolution
        in_loop = device == "cpu" and self.mode == "scan"
        self._convolutions = batch, jax_layers.convolution_by_columns if in_loop else batch
        self.weights = {name: jnp.asarray(array, dtype) for name, array in weights.items()}
        self.rules = {name: spec.of_weight(name) for name in self.weights if trains(name)}
        self.power = (jnp.ones((), dtype), jnp.ones((), dtype))  # of beta1 and beta2
        self.carried, self.steps = self._nothing(spec.batch_size), 0
        self.sites = spec.sites()
        self.chance = jnp.asarray([seed_of(weights), 0, 0, 0], jnp.uint32) if self.sites else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Trainer) and self._kind == other._kind

    def __hash__(self) -> int:
        return hash(self._kind)

    @abstractmethod
    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        """Named outputs for a batch, in stage train what `loss` takes, and the new values of statistics by name."""

    @abstractmethod
    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        """Of a batch, a scalar."""

    def convolution(
        self, x: jax.Array, kernel: jax.Array, training: bool, stride: int = 1, padding: int = 0
    ) -> jax.Array:
        """In the form that is fast where it is called: a loop over steps, or one batch."""
        return self._convolutions[training](x, kernel, stride, padding)

    def dropped(self, x: jax.Array, site: str, batch: Tensors) -> jax.Array:
        """In training without the share that the site leaves out (suite.dropout), if the spec has it."""
        if site not in self.sites:
            return x
        left, mask = 1 - self.sites[site].rate, batch.get(mask_of(site))
        if mask is None and CHANCE in batch and left < 1:
            mask = batch[CHANCE].kept(site, x.shape)
        return x if mask is None else jnp.where(mask, x / left, 0)

    def place(self, data: Arrays) -> Any:
        return data if self.spec.premade else jax.block_until_ready(self._moved(data))

    def compile(self, data: Any, stage: str) -> None:
        """Ahead of time, for the shapes to come; an epoch's length follows from the data."""
        if stage != TRAIN:
            self.infer(data, np.arange(1), stage)
        elif self.mode == "scan":
            shape = (self.spec.steps_per_epoch(count(data)), self.spec.batch_size)
            order, rates = jax.ShapeDtypeStruct(shape, jnp.int32), self._rates(shape[0])
            self._epoch = Trainer._epoch.lower(self, self._state, order, rates, data).compile()
        else:  # by a step from a copy, whose result is dropped
            copy, rates = jax.tree.map(jnp.copy, self._state), self._rates(1)
            rate = None if rates is None else rates[0]
            first = np.arange(self.spec.batch_size, dtype=np.int32)
            jax.block_until_ready(self._step(copy, self._taken(data, first), rate))

    def train(self, data: Any, order: np.ndarray) -> Epoch:
        rates = self._rates(len(order))
        self.steps += len(order)
        if self.mode == "scan":
            indices = order.astype(np.int32)
            self._state, taken = self._epoch(self._state, indices, rates, data)
            return Epoch(*jax.device_get(taken))
        # Row by row: an array that is taken apart on the device, or put together there, is compiled for its length.
        several = order if self.spec.premade else jax.device_put(list(order.astype(np.int32)))
        losses, used = [], []
        for number, (rows, batch) in enumerate(zip(several, self._made(data, several), strict=True)):
            rate = None if rates is None else rates[number]
            self._state, loss = self._step(self._state, batch, rate)
            losses.append(loss)
            used.append(rows)
        return Epoch(*map(np.stack, jax.device_get((losses, used))))

    def infer(self, data: Any, rows: np.ndarray, stage: str = INFER) -> Arrays:
        """In batches of one size, so that one compiled shape fits all: a last, smaller one is filled up."""
        size = self.spec.predict_batch_size
        filled = np.zeros((-(-len(rows) // size), size), np.int32)
        filled.ravel()[: len(rows)] = rows
        carried, outputs = self._nothing(size), []
        for given in self._asked(data, filled):
            found, carried = self._answers(stage, self.weights, *given, carried)
            outputs.append(found)
        outputs = jax.device_get(outputs)
        return {name: np.concatenate([one[name] for one in outputs])[: len(rows)] for name in outputs[0]}

    def _asked(self, data: Any, batches: np.ndarray) -> Iterable[tuple[Tensors, np.ndarray | None]]:
        """Data and the rows of them, or the batches themselves."""
        if self.spec.premade:
            return ((batch, None) for batch in self._made(data, batches))
        return ((data, rows) for rows in batches)

    def params(self) -> Arrays:
        return {name: np.asarray(value) for name, value in self.weights.items()}

    def weight_shapes(self) -> dict[str, tuple[int, ...]]:
        return {name: value.shape for name, value in self.weights.items()}

    def outputs(self, batch: Arrays) -> Arrays:
        return self.infer(self.place(batch), np.arange(count(batch)))

    def step(self, batch: Arrays) -> float:
        rates = self._rates(1)
        self.steps += 1
        rate = None if rates is None else rates[0]
        self._state, loss = self._step(self._state, self._moved(batch), rate)
        return float(loss)

    def grads(self, batch: Arrays) -> Arrays:
        """What the optimiser keeps of a step from a copy, where it had kept nothing: `step` is compiled anyway."""
        if self.spec.clip_norm:  # by which it is less
            given = self._moved(batch), self._nothing(count(batch)), self.chance
            _, found = jax.jit(self._gradients)(*_parts(self.weights), *given)
            return {name: np.asarray(one) / self.spec.loss_scale for name, one in found.items()}
        nothing = jax.tree.map(jnp.zeros_like, self.slots), tuple(map(jnp.ones_like, self.power))
        kept, chance = jax.tree.map(jnp.copy, (self.weights, self.chance))
        state = kept, *nothing, self._nothing(count(batch)), chance
        rates = self._rates(1)
        rate = None if rates is None else rates[0]  # as `step` is compiled
        (_, slots, *_), _ = self._step(state, self._moved(batch), rate)
        kept = {name: np.asarray(one) / first_share(self.spec) for name, (one, *_) in slots.items()}
        if self.spec.optimizer == "sgd":  # which keeps what decays, too
            decay = {name: self.spec.weight_decay * self.spec.decays(name) for name in kept}
            kept = {name: one - decay[name] * np.asarray(self.weights[name]) for name, one in kept.items()}
        return kept

    @property
    def _state(self) -> tuple[Any, ...]:
        return self.weights, self.slots, self.power, self.carried, self.chance

    @_state.setter
    def _state(self, state: tuple[Any, ...]) -> None:
        self.weights, self.slots, self.power, self.carried, self.chance = state

    @cached_property
    def slots(self) -> dict[str, tuple[jax.Array, ...]]:
        """Of the optimiser: who never trains has none."""
        names = SLOTS[self.spec.optimizer]
        return {name: tuple(jnp.zeros_like(self.weights[name]) for _ in names) for name in self.rules}

    def _nothing(self, samples: int) -> Tensors:
        """What is carried over to the first batch."""
        return {name: jnp.zeros(shape, self.dtype) for name, shape in self.spec.carried(samples).items()}

    def _rates(self, steps: int) -> np.ndarray | None:
        """Of the steps to come, where they have rates of their own."""
        rates = self.spec.rates(self.steps, steps)
        return None if rates is None else np.asarray(rates, self.dtype)

    def _moved(self, data: Arrays) -> Tensors:
        """To the device; whole numbers, as those of tokens and classes, stay whole."""
        kinds = {"i": "int32", "u": "uint8", "f": self.dtype, "b": "bool"}
        return {name: jnp.asarray(np.asarray(one, kinds[kind_of(one)])) for name, one in data.items()}

    def _made(self, data: Any, several: Iterable[Any]) -> Iterator[Tensors]:
        return made(partial(self._taken, data), several, self.spec.made_ahead)

    def _taken(self, data: Any, rows: Any) -> Tensors:
        return self._moved(self.spec.batch(data, rows)) if self.spec.premade else self._taught(data, rows)

    @partial(jax.jit, static_argnums=0)
    def _taught(self, data: Tensors, rows: jax.Array) -> Tensors:
        return self.spec.taught(_take, data, rows)

    @partial(jax.jit, static_argnums=0, donate_argnums=1)
    def _epoch(self, state: State, order: jax.Array, rates: Any, data: Tensors) -> Any:
        def step(state: State, taken: Any) -> Any:
            rows, rate = taken
            state, loss = self._step(state, self._taught(data, rows), rate)
            return state, (loss, rows)

        return lax.scan(step, state, (order, rates))

    @partial(jax.jit, static_argnums=(0, 1))
    def _answers(self, stage: str, weights: Tensors, data: Tensors, rows: Any, carried: Tensors) -> Any:
        """`rows` is None where `data` is the batch itself."""
        batch = data if rows is None else self.spec.tested(_take, data, rows)
        outputs, _ = self._narrowed(weights, batch | carried, stage)
        return outputs, {name: outputs.pop(name) for name in carried}

    @partial(jax.jit, static_argnums=0, donate_argnums=1)
    def _step(self, state: State, batch: Tensors, rate: Any) -> tuple[State, jax.Array]:
        weights, slots, power, carried, chance = state
        now, chance = chance, None if chance is None else chance.at[1].add(len(self.sites))
        trained, statistics = _parts(weights)
        told, gradients = self._gradients(trained, statistics, batch, carried, now)
        scaled, (statistics, carried) = told
        power = power[0] * self.spec.beta1, power[1] * self.spec.beta2
        gradients = self._clipped({name: one / self.spec.loss_scale for name, one in gradients.items()})
        with jax.named_scope("optimiser"):  # for profiles (suite.profilers)
            updates = {
                name: update(self.rules[name], jnp.sqrt, trained[name], slots[name], one, power, rate)
                for name, one in gradients.items()
            }
            weights = {name: trained[name] - less for name, (less, _) in updates.items()} | statistics
        slots = {name: kept for name, (_, kept) in updates.items()}
        return (weights, slots, power, carried, chance), scaled / self.spec.loss_scale

    def _gradients(
        self, trained: Tensors, statistics: Tensors, batch: Tensors, carried: Tensors, chance: Any
    ) -> Any:
        """What `_loss` tells of a batch, and its gradients; of several parts, one after the other, their means."""
        gradient, parts = jax.value_and_grad(self._loss, has_aux=True), self.spec.micro_batches
        if parts == 1:
            return gradient(trained, statistics, batch, carried, chance)

        def add(summed: Any, part: Tensors) -> Any:
            sums, kept = summed
            (loss, kept), gradients = gradient(trained, kept[0], part, kept[1], chance)
            return (jax.tree.map(jnp.add, sums, (loss, gradients)), kept), None

        cut = {name: one.reshape(parts, -1, *one.shape[1:]) for name, one in batch.items()}
        nothing = jnp.zeros((), self.dtype), jax.tree.map(jnp.zeros_like, trained)
        (sums, kept), _ = lax.scan(add, (nothing, (statistics, carried)), cut)
        loss, gradients = jax.tree.map(lambda one: one / parts, sums)
        return (loss, kept), gradients

    def _clipped(self, gradients: Tensors) -> Tensors:
        if not self.spec.clip_norm:
            return gradients
        norm = jnp.sqrt(sum(jnp.sum(one * one) for one in gradients.values()))
        return {name: one * jnp.minimum(1.0, self.spec.clip_norm / norm) for name, one in gradients.items()}

    def _loss(
        self, trained: Tensors, statistics: Tensors, batch: Tensors, carried: Tensors, chance: Any
    ) -> Any:
        """The loss times its scale, the new statistics, and what is carried over."""
        outputs, changed = self._narrowed(trained | statistics, batch | carried, TRAIN, chance)
        carried = {name: outputs.pop(name) for name in carried}
        return self.loss(outputs, batch) * self.spec.loss_scale, (statistics | changed, carried)

    def _narrowed(
        self, weights: Tensors, batch: Tensors, stage: str, chance: Any = None
    ) -> tuple[Tensors, Tensors]:
        """`apply` in the precision asked for; outputs and statistics in that of the weights."""
        if self.narrow != self.dtype:
            weights, batch = self.in_narrow(weights), _cast(batch, self.narrow)
        if chance is not None:
            batch = batch | {CHANCE: Draws(chance, self.sites, together=self._kind[-1] == "cpu")}
        outputs, statistics = self.apply(weights, batch, stage)
        return _cast(outputs, self.dtype), _cast(statistics, self.dtype)

    def in_narrow(self, weights: Tensors) -> Tensors:
        """As the layers take them."""
        return {name: one.astype(self.narrow) if narrows(name) else one for name, one in weights.items()}


class Classifier(Trainer):
    """A network from features to logits [n, classes]."""

    @abstractmethod
    def forward(self, weights: Tensors, x: Any, training: bool) -> tuple[Any, Tensors]:
        """Features [n, ...] -> logits [n, classes], and in training the new values of statistics by name."""

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        logits, statistics = self.forward(weights, batch["x"], stage == TRAIN)
        return {SCORES: logits}, statistics

    def loss(self, outputs: Tensors, batch: Tensors) -> jax.Array:
        """Softmax cross-entropy, mean over the batch."""
        scores = jax.nn.log_softmax(outputs[SCORES])
        return -jnp.take_along_axis(scores, batch["y"][:, None], axis=1).mean()


def _take(array: jax.Array, *places: jax.Array) -> jax.Array:
    return array[places]


def _cast(tensors: Tensors, dtype: str) -> Tensors:
    """Those of floating point."""
    floating = {name: jnp.issubdtype(one.dtype, jnp.floating) for name, one in tensors.items()}
    return {name: one.astype(dtype) if floating[name] else one for name, one in tensors.items()}


def _parts(weights: Tensors) -> tuple[Tensors, Tensors]:
    """What is trained, and the statistics."""
    trained = {name: one for name, one in weights.items() if trains(name)}
    return trained, {name: one for name, one in weights.items() if name not in trained}
