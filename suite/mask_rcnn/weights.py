"""Of Mask R-CNN's weights: their names and shapes, and how they are drawn, for a run or for the proof."""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.mask_rcnn.layers import BOX_POOL, FROZEN, HIDDEN_MASKS, LEVELS, RATIOS, WIDER
from suite.neural import he_normal
from suite.spec import Arrays


def shapes(spec: Any) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for one in spec.backbone:
        found[f"{one.name}/kernel"] = (one.size, one.size, one.channels_in, one.channels)
        found |= {f"{one.norm}/{word}": (one.channels,) for word in FROZEN}
    for name, shape in heads(spec).items():
        found |= {f"{name}/kernel": shape, f"{name}/bias": shape[-1:]}
    return found


def heads(spec: Any) -> dict[str, tuple[int, ...]]:
    """Shapes of the kernels of all but the backbone; each layer has a bias, too."""
    channels, hidden, ratios = spec.channels, spec.hidden, len(RATIOS)
    wide = {block.stage: block.channels // spec.narrowing for block in spec.blocks}
    return {
        **{
            f"lateral{level}": (1, 1, inside, channels)
            for level, inside in zip(LEVELS, wide.values(), strict=True)
        },
        **{f"level{level}": (3, 3, channels, channels) for level in LEVELS},
        "rpn_hidden": (3, 3, channels, channels),
        "rpn_objects": (channels, ratios),
        "rpn_deltas": (channels, 4 * ratios),
        "box_hidden1": (BOX_POOL**2 * channels, hidden),
        "box_hidden2": (hidden, hidden),
        "box_classes": (hidden, 1 + spec.classes),
        "box_deltas": (hidden, 4 * spec.classes),
        **{f"mask_hidden{number}": (3, 3, channels, channels) for number in range(1, HIDDEN_MASKS + 1)},
        "mask_wider": (WIDER, WIDER, channels, channels),
        "mask_pixels": (channels, spec.classes),
    }


def initial(spec: Any, seed: int) -> Arrays:
    """He-normal where a ReLU follows; what is said of boxes, classes and masks near 0.

    A frozen normalisation that is the identity keeps no sum of blocks small: so each block's last one scales by the
    root of how many blocks there are.
    """
    generator = np.random.default_rng(seed)
    weights = {name: _initial(generator, name, shape) for name, shape in shapes(spec).items()}
    for last in (f"{block.layers[-1].norm}/frozen_gamma" for block in spec.blocks):
        weights[last] *= len(spec.blocks) ** -0.5
    return weights


def of_the_proof(spec: Any, seed: int) -> Arrays:
    """Each constant of a normalisation another one: as they begin, nothing tells a mean from a shift."""
    generator, weights = np.random.default_rng([seed, 1]), initial(spec, seed)
    for name, array in weights.items():
        if name.endswith(("/frozen_gamma", "/variance")):
            weights[name] = array * generator.uniform(0.75, 1.25, array.shape)
        elif name.endswith(("/frozen_beta", "/mean")):
            weights[name] = generator.normal(0.0, 0.05, array.shape)
    return weights


def _initial(generator: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    if not name.endswith("/kernel"):
        return np.full(shape, float(name.endswith(("/frozen_gamma", "/variance"))))
    if name.startswith(("lateral", "level")):
        return he_normal(generator, shape) / 2**0.5  # no ReLU follows
    if name.startswith("rpn") or name in ("box_classes/kernel", "mask_pixels/kernel"):
        return generator.normal(0.0, 0.01, shape)
    if name == "box_deltas/kernel":
        return generator.normal(0.0, 0.001, shape)
    return he_normal(generator, shape)
