"""Beam search in TensorFlow."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from suite.gnmt.spec import BEGIN, END, LEAST_COVERAGE, PADDING, PENALTY_FROM, Gnmt

Tensors = dict[str, Any]


def translated(net: Any, source: tf.Tensor, spec: Gnmt, dtype: tf.DType) -> Tensors:
    """Sentences [n, words] -> tokens [n, most_words], and the log-probability [n] of each translation.

    Sums over words are of `dtype`, that of the weights, also where layers compute in 16 bits.
    """
    memory = net.memory(net.encode(source), source)

    def going_on(found: Tensors) -> tf.Tensor:
        return (found["place"] < spec.most_words) & ~tf.reduce_all(found["ended"])

    def go_on(found: Tensors) -> tuple[Tensors]:
        return (_grown(net, memory, found, spec),)

    begun = _begun(source, spec, memory[0].dtype, dtype)
    (found,) = tf.while_loop(going_on, go_on, (begun,), maximum_iterations=spec.most_words)
    return _best(found, memory[2], spec)


def _begun(source: tf.Tensor, spec: Gnmt, narrow: tf.DType, dtype: tf.DType) -> Tensors:
    """Nothing is written; the first of the sentences alone goes on, as all are the same."""
    n, words = tf.unstack(tf.shape(source))
    shape, zeros = [n, spec.beam], tf.zeros([n * spec.beam, spec.hidden], narrow)
    first = tf.one_hot(0, spec.beam, tf.zeros([], dtype), tf.constant(-float("inf"), dtype))
    return {
        "place": tf.constant(0),
        "words": tf.fill(shape, BEGIN),
        "states": [(zeros, zeros)] * spec.layers,
        "tokens": tf.fill([*shape, spec.most_words], PADDING),
        "sums": tf.tile(first[tf.newaxis], [n, 1]),
        "ended": tf.zeros(shape, tf.bool),
        "lengths": tf.zeros(shape, tf.int32),
        "covered": tf.zeros([*shape, words], dtype),
    }


def _grown(net: Any, memory: tuple[tf.Tensor, ...], found: Tensors, spec: Gnmt) -> Tensors:
    """A word more."""
    place, states = found["place"], found["states"]
    logits, weights, states = net.step(found["words"], states, memory)
    weights = tf.cast(weights, found["covered"].dtype)
    paid = tf.where(found["ended"][..., tf.newaxis], tf.zeros_like(weights), weights)
    words, sums, parents = _chosen(logits, found["sums"], found["ended"], spec)
    kept = {
        "covered": found["covered"] + paid,
        **{name: found[name] for name in ("tokens", "lengths", "ended")},
    }
    if spec.beam > 1:
        kept = {name: tf.gather(one, parents, axis=1, batch_dims=1) for name, one in kept.items()}
        rows = tf.reshape(parents + tf.range(tf.shape(parents)[0])[:, tf.newaxis] * spec.beam, [-1])
        states = [(tf.gather(h, rows), tf.gather(c, rows)) for h, c in states]
    here = tf.range(spec.most_words) == place
    return {
        "place": place + 1,
        "words": words,
        "states": states,
        "tokens": tf.where(here, words[..., tf.newaxis], kept["tokens"]),
        "sums": sums,
        "ended": kept["ended"] | (words == END),
        "lengths": kept["lengths"] + tf.cast(~kept["ended"], tf.int32),
        "covered": kept["covered"],
    }


def _chosen(
    logits: tf.Tensor, sums: tf.Tensor, ended: tf.Tensor, spec: Gnmt
) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """The next words [n, beam], their sentences' log-probabilities, and which sentences they continue.

    A sentence that has ended goes on by padding alone, which costs nothing.
    """
    logits = tf.cast(logits, sums.dtype)
    never = tf.constant(-float("inf"), logits.dtype)
    stays = tf.one_hot(PADDING, spec.vocabulary, tf.zeros([], logits.dtype), never)
    grown = sums[..., tf.newaxis] + tf.where(ended[..., tf.newaxis], stays, tf.nn.log_softmax(logits))
    flat = tf.reshape(grown, [-1, spec.beam * spec.vocabulary])
    if spec.beam == 1:
        index = tf.argmax(flat, axis=1, output_type=tf.int32)[:, tf.newaxis]
        sums = tf.reduce_max(flat, axis=1, keepdims=True)
    else:
        sums, index = tf.math.top_k(flat, spec.beam)
    return index % spec.vocabulary, sums, index // spec.vocabulary


def _best(found: Tensors, there: tf.Tensor, spec: Gnmt) -> Tensors:
    words = tf.cast(found["lengths"], found["sums"].dtype)
    long = ((PENALTY_FROM + words) / (PENALTY_FROM + 1)) ** spec.length_penalty
    paid = tf.math.log(tf.clip_by_value(found["covered"], LEAST_COVERAGE, 1))
    covered = tf.reduce_sum(tf.where(there[:, tf.newaxis], paid, tf.zeros_like(paid)), axis=2)
    best = tf.argmax(found["sums"] / long + spec.coverage_penalty * covered, axis=1)
    return {
        "tokens": tf.gather(found["tokens"], best, axis=1, batch_dims=1),
        "log_probability": tf.gather(found["sums"], best, axis=1, batch_dims=1),
    }
