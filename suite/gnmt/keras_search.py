"""Beam search in Keras."""

from __future__ import annotations

from typing import Any

from keras import ops

from suite.gnmt.spec import BEGIN, END, LEAST_COVERAGE, PADDING, PENALTY_FROM, Gnmt

Tensors = dict[str, Any]
NAMES = ("place", "words", "tokens", "sums", "ended", "lengths", "covered")  # of the loop's; states follow


def translated(net: Any, encoded: Any, source: Any, spec: Gnmt, dtype: str) -> Tensors:
    """Sentences [n, words], encoded -> tokens [n, most_words], and the log-probability [n] of each translation.

    Sums over words are of `dtype`, that of the weights, also where layers compute in 16 bits.
    """
    memory = net.memory(encoded, source)

    def going_on(place: Any, *others: Any) -> Any:
        found = dict(zip(NAMES[1:], others, strict=False))
        return ops.logical_and(place < spec.most_words, ops.logical_not(ops.all(found["ended"])))

    def go_on(*found: Any) -> tuple[Any, ...]:
        named, flat = dict(zip(NAMES, found, strict=False)), found[len(NAMES) :]
        states = [list(flat[layer : layer + 2]) for layer in range(0, len(flat), 2)]
        named, states = _grown(net, memory, named, states, spec)
        return (*(named[name] for name in NAMES), *(one for state in states for one in state))

    begun = _begun(source, memory[0].dtype, spec, dtype)
    found = ops.while_loop(going_on, go_on, begun, maximum_iterations=spec.most_words)
    return _best(dict(zip(NAMES, found, strict=False)), memory[2], spec)


def _begun(source: Any, narrow: Any, spec: Gnmt, dtype: str) -> tuple[Any, ...]:
    """Nothing is written; the first of the sentences alone goes on, as all are the same."""
    n, words = ops.shape(source)
    beams = (n, spec.beam)
    first = ops.where(ops.arange(spec.beam) == 0, 0.0, -float("inf"))
    sums = ops.broadcast_to(ops.cast(first, dtype), beams)
    zeros = ops.zeros((n * spec.beam, spec.hidden), narrow)
    return (
        ops.convert_to_tensor(0, "int32"),
        ops.full(beams, BEGIN, "int32"),
        ops.full((*beams, spec.most_words), PADDING, "int32"),
        sums,
        ops.zeros(beams, "bool"),
        ops.zeros(beams, "int32"),
        ops.zeros((*beams, words), dtype),
        *[zeros, zeros] * spec.layers,
    )


def _grown(
    net: Any, memory: tuple[Any, ...], found: Tensors, states: list[Any], spec: Gnmt
) -> tuple[Tensors, list[Any]]:
    """A word more."""
    place = found["place"]
    logits, weights, states = net.step(found["words"], states, memory)
    weights = ops.cast(weights, found["covered"].dtype)
    paid = ops.where(ops.expand_dims(found["ended"], 2), ops.zeros_like(weights), weights)
    words, sums, parents = _chosen(logits, found["sums"], found["ended"], spec)
    kept = {
        "covered": found["covered"] + paid,
        **{name: found[name] for name in ("tokens", "lengths", "ended")},
    }
    if spec.beam > 1:
        starts = ops.expand_dims(ops.arange(ops.shape(parents)[0], dtype="int32"), 1) * spec.beam
        rows = ops.reshape(parents + starts, (-1,))
        kept = {name: _of(one, rows) for name, one in kept.items()}
        states = [[ops.take(one, rows, axis=0) for one in state] for state in states]
    here = ops.arange(spec.most_words, dtype="int32") == place
    return {
        "place": place + 1,
        "words": words,
        "tokens": ops.where(here, ops.expand_dims(words, 2), kept["tokens"]),
        "sums": sums,
        "ended": ops.logical_or(kept["ended"], words == END),
        "lengths": kept["lengths"] + ops.cast(ops.logical_not(kept["ended"]), "int32"),
        "covered": kept["covered"],
    }, states


def _chosen(logits: Any, sums: Any, ended: Any, spec: Gnmt) -> tuple[Any, Any, Any]:
    """The next words [n, beam], their sentences' log-probabilities, and which sentences they continue.

    A sentence that has ended goes on by padding alone, which costs nothing.
    """
    logits = ops.cast(logits, sums.dtype)
    stays = ops.where(ops.arange(spec.vocabulary) == PADDING, 0.0, -float("inf"))
    chances = ops.where(ops.expand_dims(ended, 2), ops.cast(stays, logits.dtype), ops.log_softmax(logits))
    flat = ops.reshape(ops.expand_dims(sums, 2) + chances, (-1, spec.beam * spec.vocabulary))
    if spec.beam == 1:
        index = ops.expand_dims(ops.argmax(flat, axis=1), 1)
        sums = ops.max(flat, axis=1, keepdims=True)
    else:
        sums, index = ops.top_k(flat, spec.beam)
    index = ops.cast(index, "int32")
    return index % spec.vocabulary, sums, index // spec.vocabulary


def _of(one: Any, rows: Any) -> Any:
    """Of each sentence [n, beam, ...] what belongs to the one that it continues, a row of all."""
    n, beam, *after = ops.shape(one)
    return ops.reshape(ops.take(ops.reshape(one, (n * beam, *after)), rows, axis=0), (n, beam, *after))


def _best(found: Tensors, there: Any, spec: Gnmt) -> Tensors:
    words = ops.cast(found["lengths"], found["sums"].dtype)
    long = ops.power((PENALTY_FROM + words) / (PENALTY_FROM + 1), spec.length_penalty)
    paid = ops.log(ops.clip(found["covered"], LEAST_COVERAGE, 1))
    covered = ops.sum(ops.where(ops.expand_dims(there, 1), paid, ops.zeros_like(paid)), axis=2)
    best = ops.argmax(found["sums"] / long + spec.coverage_penalty * covered, axis=1)
    sums = ops.take_along_axis(found["sums"], ops.expand_dims(best, 1), axis=1)[:, 0]
    places = ops.expand_dims(ops.expand_dims(best, 1), 2)
    return {
        "tokens": ops.take_along_axis(found["tokens"], places, axis=1)[:, 0],
        "log_probability": sums,
    }
