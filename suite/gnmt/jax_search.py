"""Beam search in JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from suite.gnmt.spec import BEGIN, END, LEAST_COVERAGE, PADDING, PENALTY_FROM, Gnmt

Tensors = dict[str, Any]


def translated(net: Any, source: Array, spec: Gnmt, dtype: Any) -> Tensors:
    """Sentences [n, words] -> tokens [n, most_words], and the log-probability [n] of each translation.

    Sums over words are of `dtype`, that of the weights, also where layers compute in 16 bits.
    """
    memory = net.memory(net.encode(source), source)

    def going_on(found: Tensors) -> Array:
        return (found["place"] < spec.most_words) & ~found["ended"].all()

    def go_on(found: Tensors) -> Tensors:
        return _grown(net, memory, found, spec)

    return _best(
        lax.while_loop(going_on, go_on, _begun(source, spec, memory[0].dtype, dtype)), memory[2], spec
    )


def _begun(source: Array, spec: Gnmt, narrow: Any, dtype: Any) -> Tensors:
    """Nothing is written; the first of the sentences alone goes on, as all are the same."""
    shape = len(source), spec.beam
    zeros = jnp.zeros((len(source) * spec.beam, spec.hidden), narrow)
    return {
        "place": 0,
        "words": jnp.full(shape, BEGIN),
        "states": [(zeros, zeros)] * spec.layers,
        "tokens": jnp.full((*shape, spec.most_words), PADDING),
        "sums": jnp.full(shape, -jnp.inf, dtype).at[:, 0].set(0),
        "ended": jnp.zeros(shape, bool),
        "lengths": jnp.zeros(shape, int),
        "covered": jnp.zeros((*shape, source.shape[1]), dtype),
    }


def _grown(net: Any, memory: tuple[Array, ...], found: Tensors, spec: Gnmt) -> Tensors:
    """A word more."""
    place, states = found["place"], found["states"]
    logits, weights, states = net.step(found["words"], states, memory)
    covered = found["covered"] + jnp.where(found["ended"][..., None], 0, weights)
    words, sums, parents = _chosen(logits, found["sums"], found["ended"], spec)
    kept = {"covered": covered, **{name: found[name] for name in ("tokens", "lengths", "ended")}}
    if spec.beam > 1:
        kept = {name: _of(one, parents) for name, one in kept.items()}
        rows = (parents + jnp.arange(len(parents))[:, None] * spec.beam).ravel()
        states = [(h[rows], c[rows]) for h, c in states]
    return {
        "place": place + 1,
        "words": words,
        "states": states,
        "tokens": kept["tokens"].at[:, :, place].set(words),
        "sums": sums,
        "ended": kept["ended"] | (words == END),
        "lengths": kept["lengths"] + ~kept["ended"],
        "covered": kept["covered"],
    }


def _chosen(logits: Array, sums: Array, ended: Array, spec: Gnmt) -> tuple[Array, Array, Array]:
    """The next words [n, beam], their sentences' log-probabilities, and which sentences they continue.

    A sentence that has ended goes on by padding alone, which costs nothing.
    """
    logits = logits.astype(sums.dtype)
    stays = jnp.full(spec.vocabulary, -jnp.inf, sums.dtype).at[PADDING].set(0)
    grown = sums[..., None] + jnp.where(ended[..., None], stays, jax.nn.log_softmax(logits))
    flat = grown.reshape(len(grown), -1)
    if spec.beam == 1:
        sums, index = flat.max(axis=1, keepdims=True), flat.argmax(axis=1, keepdims=True)
    else:
        sums, index = lax.top_k(flat, spec.beam)
    return index % spec.vocabulary, sums, index // spec.vocabulary


def _of(one: Array, parents: Array) -> Array:
    """Of each sentence [n, beam, ...] what belongs to the one that it continues."""
    places = parents.reshape(*parents.shape, *[1] * (one.ndim - 2))
    return jnp.take_along_axis(one, places, axis=1)


def _best(found: Tensors, there: Array, spec: Gnmt) -> Tensors:
    long = ((PENALTY_FROM + found["lengths"]) / (PENALTY_FROM + 1)) ** spec.length_penalty
    paid = jnp.log(jnp.clip(found["covered"], LEAST_COVERAGE, 1))
    covered = jnp.where(there[:, None], paid, 0).sum(axis=2)
    best = (found["sums"] / long + spec.coverage_penalty * covered).argmax(axis=1, keepdims=True)
    return {
        "tokens": _of(found["tokens"], best)[:, 0],
        "log_probability": _of(found["sums"], best)[:, 0],
    }
