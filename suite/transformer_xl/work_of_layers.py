"""The operations of Transformer-XL's products, of one sample forward; `spec` is a TransformerXl."""

from __future__ import annotations

from typing import Any

from suite.work import product


def flops(spec: Any) -> list[int]:
    """Of positions, whose waves are given; of the embedding, of each layer, and of the likelihoods."""
    positions = (
        product((spec.width, spec.heads * spec.head_width), spec.reach) // spec.batch_size
    )  # once a batch
    return [spec.layers * positions, _widened(spec), *[_layer(spec)] * spec.layers, _likelihoods(spec)]


def _widened(spec: Any) -> int:
    """Every cluster's vectors are widened for all words, and those of the others left out."""
    return sum(product((width, spec.width), spec.segment) for width in spec.widths if width != spec.width)


def _layer(spec: Any) -> int:
    together = spec.heads * spec.head_width
    state = spec.width, together
    attended = 3 * product(
        (together, spec.reach), spec.segment
    )  # by content, by position, and what it brings
    read = product(state, spec.segment) + product(state, 2 * spec.reach) + product(state, spec.segment)
    return attended + read + 2 * product((spec.width, spec.inner), spec.segment)


def _likelihoods(spec: Any) -> int:
    """Of the head for every word, of a cluster for as many as it has room for."""
    (_, shortlist), *clusters = spec.bounds
    places = [spec.segment, *spec.rooms]
    sizes = [shortlist + len(clusters), *(end - first for first, end in clusters)]
    return sum(
        product((width, size), rows) + (product((spec.width, width), rows) if width != spec.width else 0)
        for width, size, rows in zip(spec.widths, sizes, places, strict=True)
    )
