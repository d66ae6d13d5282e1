"""Ways to read a prompt and to write on that are no mode of ours, to compare the default with.

Each function gives, for an implementation, (name, the mode it is run in, the implementation changed), ...
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from tests.bench.idioms import Found


def of_torch(base: Any) -> Found:
    from tests.bench.torch_idioms_of_writing import ByProducts, Static

    yield "attention by products", "eager", ByProducts
    yield "compile, static cache", "compile", Static


def of_jax(base: Any) -> Found:
    import jax
    import numpy as np

    from suite.llm.jax_impl import Net
    from suite.llm.jax_writer import likeliest, went_on

    class StepACall(base):
        @partial(jax.jit, static_argnums=0, donate_argnums=2)
        def _one_more(self, weights: Any, cache: Any, token: Any, place: Any) -> Any:
            return likeliest(Net(weights, self.spec, self.dtype), token, cache, place), cache

        def decode(self, read: Any) -> Any:
            (cache, token), first = read.written, self.spec.prompt_tokens
            tokens = [token]
            for place in range(first, first + self.spec.new_tokens - 1):
                token, cache = self._one_more(self._writing, cache, token, place)
                tokens.append(token)
            return {"tokens": np.concatenate(jax.device_get(tokens), 1)}

    class Kept(base):
        """The cache that is given stays as it was."""

        @partial(jax.jit, static_argnums=0)
        def _written(self, weights: Any, cache: Any, token: Any) -> Any:
            return went_on(Net(weights, self.spec, self.dtype), cache, token)

    yield "a step a call", "scan", StepACall
    yield "cache not donated", "scan", Kept


def of_tensorflow(base: Any) -> Found:
    import tensorflow as tf

    from suite.llm.tensorflow_writer import Growing, likeliest

    class StepACall(base):
        @cached_property
        def _one_more(self) -> Any:
            def one_more(token: Any, kept: Any, place: Any) -> Any:
                cache = [Growing(one) for one in kept]
                return likeliest(self._writer.net(), token[:, tf.newaxis], place[tf.newaxis], cache), [
                    one.kept for one in cache
                ]

            return self._compiled(one_more)

        def decode(self, read: Any) -> Any:
            token, kept, first = read.token, read.cache, self.spec.prompt_tokens
            tokens = [token]
            for place in range(first, first + self.spec.new_tokens - 1):
                token, kept = self._one_more(token, kept, tf.constant(place))
                tokens.append(token)
            return {"tokens": tf.stack(tokens, 1).numpy()}

    yield "a step a call", "xla", StepACall


def of_keras(base: Any) -> Found:
    """Its modes are all."""
    yield from ()


IDIOMS_OF_PARTS: dict[str, Callable[[Any], Found]] = {
    "torch": of_torch,
    "jax": of_jax,
    "tensorflow": of_tensorflow,
    "keras": of_keras,
}
