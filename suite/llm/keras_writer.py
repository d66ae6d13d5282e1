"""Greedy generation in Keras: the cache of keys and values, and the loop over tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from keras import ops

from suite import keras_backends
from suite.keras_backends import BACKEND

Kept = tuple[Any, Any]  # a layer's keys and values [n, kv_heads, reach, head_width]


class LayerCache(Protocol):
    def with_more(self, keys: Any, values: Any) -> tuple[Any, Any]:
        """Those that new ones [n, kv_heads, tokens, head_width] may attend to, the first position's first."""


Cache = Sequence[LayerCache]


class OfPrompt:
    """A layer's cache whose first tokens are a prompt, which attends to itself."""

    def __init__(self, reach: int) -> None:
        self.reach = reach

    def with_more(self, keys: Any, values: Any) -> tuple[Any, Any]:
        room = [[0, 0], [0, 0], [0, self.reach - keys.shape[2]], [0, 0]]
        self.kept = ops.pad(keys, room), ops.pad(values, room)
        return keys, values


class Growing:
    """A layer's cache that one token is written into at a place, which attends to all of it."""

    def __init__(self, kept: Kept, place: Any) -> None:
        self.kept, self.place = kept, place

    def with_more(self, keys: Any, values: Any) -> tuple[Any, Any]:
        old, new = self.kept, (keys, values)
        self.kept = tuple(_put(*both, self.place) for both in zip(old, new, strict=True))
        return tuple(_up_to(one, self.place) for one in self.kept)


@dataclass(frozen=True)
class Read:
    """Of a batch of prompts, of which so many were asked for: the first tokens [n] that follow, and the cache."""

    token: Any
    cache: Sequence[Kept]
    asked: int


class Writer:
    """What reads prompts and goes on writing, by weights of the precision that it computes in."""

    def __init__(self, net: Callable[[Mapping[str, Any]], Any], mode: str) -> None:
        self._net, self._by_python = net, mode == "eager"
        self.read = keras_backends.asked_by(mode, self._read)
        self.written = keras_backends.asked_by(mode, self._written)

    def _read(self, weights: Mapping[str, Any], x: Any, rows: Any) -> tuple[Any, list[Kept]]:
        """Of prompts at the beginning of these rows of windows."""
        net = self._net(weights)
        prompts = ops.take(x, rows, axis=0)[:, : net.spec.prompt_tokens]
        return begun(net, prompts)

    def _written(self, weights: Mapping[str, Any], token: Any, kept: list[Kept]) -> Any:
        """[n, new_tokens], of which `token` [n] is the first."""
        net = self._net(weights)
        first, columns = net.spec.prompt_tokens, ops.arange(net.spec.new_tokens, dtype="int32")

        def one_more(number: Any, written: tuple[Any, ...]) -> tuple[Any, ...]:
            token, kept, tokens = written
            cache = [Growing(one, first + number) for one in kept]
            token = likeliest(net, token[:, None], cache, first + number)
            tokens = ops.where(columns == number + 1, token[:, None], tokens)
            return token, [one.kept for one in cache], tokens

        begun = token, kept, ops.tile(token[:, None], (1, net.spec.new_tokens))
        return keras_backends.repeated(net.spec.new_tokens - 1, one_more, begun, self._by_python)[2]


def likeliest(net: Any, tokens: Any, cache: Cache, first: Any) -> Any:
    """After the last of these tokens [n, tokens]: [n]; of equal logits the first."""
    states = net.states(tokens, cache, first)
    last = ops.reshape(states, (-1, tokens.shape[1], net.spec.width))[:, -1]
    logits = net.logits(last)
    words = ops.arange(logits.shape[1], dtype="int32")
    return ops.min(ops.where(logits == ops.max(logits, -1, keepdims=True), words, logits.shape[1]), -1)


def _put(old: Any, new: Any, place: Any) -> Any:
    """New ones [n, heads, 1, width] at one of the old ones' places."""
    if BACKEND == "torch":
        old[:, :, place : place + 1] = new
        return old
    return ops.slice_update(old, (0, 0, place, 0), new)


def begun(net: Any, prompts: Any) -> tuple[Any, list[Kept]]:
    """Of prompts [n, prompt_tokens] the tokens [n] that follow, and the cache."""
    cache = [OfPrompt(net.spec.reach) for _ in net.spec.layer_names]
    return likeliest(net, prompts, cache, 0), [one.kept for one in cache]


def _up_to(kept: Any, place: Any) -> Any:
    """PyTorch alone, which computes eagerly, goes no further than is written; others compile one shape."""
    return kept[:, :, : place + 1] if BACKEND == "torch" else kept
