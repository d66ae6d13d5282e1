"""Greedy generation in TensorFlow: the cache of keys and values, and the loop over tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import tensorflow as tf

from suite.neural import narrows

Kept = tuple[tf.Tensor, tf.Tensor]  # a layer's keys and values [n, kv_heads, reach, head_width]


class LayerCache(Protocol):
    def with_more(self, keys: tf.Tensor, values: tf.Tensor, places: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Those that new ones [n, kv_heads, tokens, head_width] may attend to, and their places."""


Cache = Sequence[LayerCache]


class OfPrompt:
    """A layer's cache whose first tokens are a prompt, which attends to itself."""

    def __init__(self, reach: int) -> None:
        self.reach = reach

    def with_more(self, keys: tf.Tensor, values: tf.Tensor, places: tf.Tensor) -> tuple[tf.Tensor, ...]:
        room = [[0, 0], [0, 0], [0, self.reach - keys.shape[2]], [0, 0]]
        self.kept = tf.pad(keys, room), tf.pad(values, room)
        return keys, values, places


class Growing:
    """A layer's cache that one token is written into, which attends to all of it."""

    def __init__(self, kept: Kept) -> None:
        self.kept = kept

    def with_more(self, keys: tf.Tensor, values: tf.Tensor, places: tf.Tensor) -> tuple[tf.Tensor, ...]:
        old, new = self.kept, (keys, values)
        self.kept = tuple(_written(*both, places) for both in zip(old, new, strict=True))
        return *self.kept, tf.range(old[0].shape[2])


@dataclass(frozen=True)
class Read:
    """Of a batch of prompts, of which so many were asked for: the first tokens [n] that follow, and the cache."""

    token: tf.Tensor
    cache: Sequence[Kept]
    asked: int


class Writer:
    """What reads prompts and goes on writing, by weights of the precision `kind` that it computes in."""

    def __init__(
        self,
        net: Callable[[Mapping[str, tf.Variable]], Any],
        weights: Mapping[str, tf.Variable],
        kind: tf.DType,
        function: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        self._net, self.kind = net, kind
        self._wide = {name: one for name, one in weights.items() if one.dtype != kind and narrows(name)}
        self._narrow = {name: tf.Variable(tf.cast(one, kind)) for name, one in self._wide.items()}
        self._weights = {**weights, **self._narrow}
        self.read, self.written = function(self.begun), function(self._written)

    def narrow(self) -> None:
        """Anew, of weights that have changed: once, and not for each token."""
        for name, one in self._narrow.items():
            one.assign(tf.cast(self._wide[name], one.dtype))

    def net(self) -> Any:
        return self._net(self._weights)

    def begun(self, prompts: tf.Tensor) -> tuple[tf.Tensor, list[Kept]]:
        """Of prompts [n, prompt_tokens] the tokens [n] that follow, and the cache."""
        net = self.net()
        cache = [OfPrompt(net.spec.reach) for _ in net.spec.layer_names]
        token = likeliest(net, prompts, tf.range(prompts.shape[1]), cache)
        return token, [one.kept for one in cache]

    def _written(self, token: tf.Tensor, kept: list[Kept]) -> tf.Tensor:
        """[n, new_tokens], of which `token` [n] is the first."""
        net = self.net()
        first, more = net.spec.prompt_tokens, net.spec.new_tokens - 1

        def one_more(number: tf.Tensor, token: tf.Tensor, kept: list[Kept], tokens: Any) -> tuple[Any, ...]:
            cache = [Growing(one) for one in kept]
            token = likeliest(net, token[:, tf.newaxis], first + number[tf.newaxis], cache)
            return number + 1, token, [one.kept for one in cache], tokens.write(number, token)

        tokens = tf.TensorArray(token.dtype, more, element_shape=token.shape)
        begun = tf.constant(0), token, kept, tokens
        *_, tokens = tf.while_loop(lambda number, *_: number < more, one_more, begun)
        return tf.concat([token[:, tf.newaxis], tf.transpose(tokens.stack())], 1)


def likeliest(net: Any, tokens: tf.Tensor, places: tf.Tensor, cache: Cache) -> tf.Tensor:
    """After the last of these tokens [n, tokens]: [n]; of equal logits the first."""
    logits = net.logits(net.states(tokens, places, cache)[:, -1:])
    return tf.argmax(logits, -1, tokens.dtype)


def _written(old: tf.Tensor, new: tf.Tensor, places: tf.Tensor) -> tf.Tensor:
    """New ones [n, heads, 1, width] at one of the old ones' places: of several forms the one that XLA copies least."""
    _, heads, reach, width = old.shape
    rows = tf.range(tf.shape(old)[0] * heads)
    where = tf.stack([rows, tf.broadcast_to(places, tf.shape(rows))], 1)
    flat = tf.reshape(old, [-1, reach, width])
    return tf.reshape(tf.tensor_scatter_nd_update(flat, where, tf.reshape(new, [-1, width])), tf.shape(old))
