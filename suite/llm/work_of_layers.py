"""The operations of a language model's products, of one sample; `spec` is an Llm.

Attention counts as if every token attended to all tokens of the sample, as the kernels that mask compute it; in
generation to those before it, as a cache makes it.
"""

from __future__ import annotations

from typing import Any

from suite.llm.sizes import LLAMA
from suite.work import product


def flops(spec: Any) -> list[int]:
    """Forward over one sample of `context` tokens: of the embedding, of each layer, and of the last product."""
    attended = 2 * product((spec.heads * spec.head_width, spec.context), spec.context)
    layer = product((1, _of_a_layer(spec)), spec.context) + attended
    return [0, *[layer] * spec.layers, product((spec.width, spec.vocabulary), spec.context)]


def of_a_request(spec: Any) -> int:
    """Prefill and decode; the vocabulary's product for generated tokens alone."""
    seen = spec.prompt_tokens + spec.new_tokens - 1  # the last token is never read
    pairs = spec.prompt_tokens**2 + sum(range(spec.prompt_tokens + 1, seen + 1))
    attended = 2 * product((spec.heads * spec.head_width, pairs))
    layers = spec.layers * (product((1, _of_a_layer(spec)), seen) + attended)
    return layers + product((spec.width, spec.vocabulary), spec.new_tokens)


def _of_a_layer(spec: Any) -> int:
    """The numbers of its kernels."""
    queries, others = spec.width * spec.heads * spec.head_width, spec.width * spec.kv_heads * spec.head_width
    return 2 * queries + 2 * others + (3 if spec.form == LLAMA else 2) * spec.width * spec.inner
