"""Of a language model's weights: their names and shapes, and how they are drawn, for a run or for the proof."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.llm.sizes import GPT2, LLAMA

DEVIATION = 0.02  # of initial weights (Radford et al. 2019)
PROOF_DEVIATION, PROOF_WIDTH = (
    0.3,
    16,
)  # of the proof's kernels of so many numbers in; by the root of more less
PROOF_GAMMA, PROOF_SHIFT = (0.5, 1.5), 0.3  # of its norms, from and to; and the deviation of what is added


def shapes(spec: Any) -> dict[str, tuple[int, ...]]:
    """Of all, in the order in which they are drawn."""
    found: dict[str, tuple[int, ...]] = {"tokens/embeddings": (spec.vocabulary, spec.width)}
    if spec.form == GPT2:
        found["positions/embeddings"] = (spec.context, spec.width)
    for layer in spec.layer_names:
        found |= {**_norm(spec, f"{layer}attention_norm"), **_norm(spec, f"{layer}inner_norm")}
        for name, sizes in products(spec).items():
            found[f"{layer}{name}/kernel"] = sizes
            found |= {f"{layer}{name}/bias": sizes[1:]} if _has_bias(spec, name) else {}
    found |= _norm(spec, "last_norm")
    return found if spec.tied else {**found, "likely/kernel": (spec.width, spec.vocabulary)}


def products(spec: Any) -> dict[str, tuple[int, int]]:
    """Of each layer; a kernel's numbers in and out."""
    together, fewer = spec.heads * spec.head_width, spec.kv_heads * spec.head_width
    gate = {"gate": (spec.width, spec.inner)} if spec.form == LLAMA else {}
    return {
        "queries": (spec.width, together),
        "keys": (spec.width, fewer),
        "values": (spec.width, fewer),
        "attention": (together, spec.width),
        **gate,
        "up": (spec.width, spec.inner),
        "down": (spec.inner, spec.width),
    }


def initial(layers: int, generator: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Normal by 0.02, what is added to a block's input by less, the more blocks there are (Radford et al. 2019)."""
    layer, word = name.split("/")
    if word in ("gamma", "beta", "bias"):
        return np.full(shape, float(word == "gamma"))
    added = layer.endswith(("_attention", "_down"))
    return generator.normal(0.0, DEVIATION / (2 * layers) ** (0.5 if added else 0.0), shape)


def of_the_proof(generator: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Attention, norms and biases decide the tokens: as weights begin, the embedding alone does."""
    word = name.rpartition("/")[2]
    if word == "gamma":
        return generator.uniform(*PROOF_GAMMA, shape)
    if word in ("beta", "bias"):
        return generator.normal(0.0, PROOF_SHIFT, shape)
    numbers_in = shape[0] if word == "kernel" else shape[1]
    return generator.normal(0.0, PROOF_DEVIATION * (PROOF_WIDTH / numbers_in) ** 0.5, shape)


def _has_bias(spec: Any, product: str) -> bool:
    """Of keys it would add the same to all of a query's scores, which softmax does not see."""
    return bool(spec.form == GPT2) and product != "keys"


def _norm(spec: Any, name: str) -> dict[str, tuple[int, ...]]:
    words = ("gamma", "beta") if spec.form == GPT2 else ("gamma",)
    return {f"{name}/{word}": (spec.width,) for word in words}
