"""Beam search in PyTorch."""

from __future__ import annotations

from typing import Any

import torch

from suite.gnmt.spec import BEGIN, END, LEAST_COVERAGE, PADDING, PENALTY_FROM, Gnmt

Tensors = dict[str, torch.Tensor]


def translated(
    net: Any, encoded: torch.Tensor, source: torch.Tensor, spec: Gnmt, dtype: torch.dtype
) -> Tensors:
    """Sentences [n, words], encoded -> tokens [n, most_words], and the log-probability [n] of each translation.

    Sums over words are of `dtype`, that of the weights, also where layers compute in 16 bits.
    """
    n, there = len(source), source != PADDING
    memory = encoded, net.attention_keys(encoded), there
    found = _begun(source, spec, dtype)
    words = source.new_full((n, spec.beam), BEGIN)
    zeros = encoded.new_zeros(n * spec.beam, spec.hidden)
    states = [(zeros, zeros)] * spec.layers
    for place in range(spec.most_words):
        logits, weights, states = net.step(words, states, memory)
        found["covered"] = found["covered"] + torch.where(found["ended"][..., None], 0, weights)
        words, sums, parents = _chosen(logits, found["sums"], found["ended"], spec)
        if spec.beam > 1:
            found = {name: _of(one, parents) for name, one in found.items()}
            rows = (parents + torch.arange(n, device=source.device)[:, None] * spec.beam).flatten()
            states = [(h[rows], c[rows]) for h, c in states]
        found["sums"] = sums
        found["tokens"][:, :, place] = words
        found["lengths"] = found["lengths"] + ~found["ended"]
        found["ended"] = found["ended"] | (words == END)
        if found["ended"].all():
            break
    return _best(found, there, spec)


def _begun(source: torch.Tensor, spec: Gnmt, dtype: torch.dtype) -> Tensors:
    """Nothing is written; the first of the sentences alone goes on, as all are the same."""
    shape = len(source), spec.beam
    sums = torch.full(shape, -torch.inf, dtype=dtype, device=source.device)
    sums[:, 0] = 0
    return {
        "tokens": source.new_full((*shape, spec.most_words), PADDING),
        "sums": sums,
        "ended": torch.zeros_like(sums, dtype=torch.bool),
        "lengths": source.new_zeros(shape),
        "covered": sums.new_zeros(*shape, source.shape[1]),
    }


def _chosen(
    logits: torch.Tensor, sums: torch.Tensor, ended: torch.Tensor, spec: Gnmt
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The next words [n, beam], their sentences' log-probabilities, and which sentences they continue.

    A sentence that has ended goes on by padding alone, which costs nothing.
    """
    logits = logits.to(sums.dtype)
    stays = torch.full_like(logits[0, 0], -torch.inf)
    stays[PADDING] = 0
    grown = sums[..., None] + torch.where(ended[..., None], stays, logits.log_softmax(dim=2))
    flat = grown.flatten(1)
    sums, index = flat.max(dim=1, keepdim=True) if spec.beam == 1 else flat.topk(spec.beam, dim=1)
    return index % spec.vocabulary, sums, index // spec.vocabulary


def _of(one: torch.Tensor, parents: torch.Tensor) -> torch.Tensor:
    """Of each sentence [n, beam, ...] what belongs to the one that it continues."""
    places = parents.view(*parents.shape, *[1] * (one.ndim - 2))
    return one.gather(1, places.expand(*parents.shape, *one.shape[2:]))


def _best(found: Tensors, there: torch.Tensor, spec: Gnmt) -> Tensors:
    long = ((PENALTY_FROM + found["lengths"]) / (PENALTY_FROM + 1)) ** spec.length_penalty
    paid = found["covered"].clamp(LEAST_COVERAGE, 1).log()
    covered = torch.where(there[:, None], paid, 0).sum(dim=2)
    best = (found["sums"] / long + spec.coverage_penalty * covered).argmax(dim=1, keepdim=True)
    return {
        "tokens": _of(found["tokens"], best)[:, 0],
        "log_probability": _of(found["sums"], best)[:, 0],
    }
