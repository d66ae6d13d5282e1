"""The weights of a ResNet v1.5 in checkpoints: by our names, or by those that PyTorch's are published under.

There `layer1.0.conv2.weight` [out, in, height, width] is our `stage1_block1_conv2/kernel` [height, width, in, out]; its
normalisation is `layer1.0.bn2`, a projection's convolution and normalisation are `layer1.0.downsample.0` and `.1`; the
stem is `conv1` and `bn1`, the classifier `fc`. Networks published so have the stride in the 3x3 convolution, as ours.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from suite.pretrained import shown
from suite.residual.layers import NORM, STEM, blocks, layers_of
from suite.spec import Arrays, SettingError, Taken

COUNTS_BATCHES = "num_batches_tracked"  # beside each normalisation in PyTorch; no weight
PUBLIC_NORM = dict(zip(("weight", "bias", "running_mean", "running_var"), NORM, strict=True))
HEAD = {"fc.weight": "dense/kernel", "fc.bias": "dense/bias"}


def taken(
    tensors: Arrays,
    depth: int,
    wanted: Collection[str],
    needed: Collection[str],
    own: Mapping[str, str] = MappingProxyType({}),
) -> Taken:
    """Of a checkpoint of a ResNet of this depth what a network that holds it wants.

    `own`: canonical name of a ResNet's array -> the network's, where it has another. `needed` must be there.
    Raises: SettingError for names that no such ResNet has, two of one array, or if a needed one is lacking.
    """
    known = canonical_names(depth)
    weights: Arrays = {}
    left, unknown = {}, []
    for name, array in tensors.items():
        canonical = known.get(name, name)
        canonical = own.get(canonical, canonical)
        if canonical in weights:
            raise SettingError(f"it has two tensors for {canonical}, by two names: keep one")
        if canonical in wanted:
            weights[canonical] = array if known.get(name, name) == name else _in_layout(array)
        elif name.rpartition(".")[2] == COUNTS_BATCHES:
            left[name] = "counts of batches"
        elif name in known:
            left[name] = "not of this network"
        else:
            unknown.append(name)
    _require(depth, unknown, [name for name in needed if name not in weights])
    return Taken(weights, left)


def of_head(tensors: Arrays) -> list[str]:
    """The names of the classifier's tensors."""
    return [name for name in tensors if HEAD.get(name, name) in HEAD.values()]


def classes_of(tensors: Arrays) -> int | None:
    """Which the classifier tells apart; None without one."""
    biases = [tensors[name] for name in of_head(tensors) if name.endswith("bias")]
    return biases[0].size if biases else None


def canonical_names(depth: int) -> dict[str, str]:
    """Of every array of a whole ResNet, its classifier among them: by PyTorch's name, and by our own."""
    found = dict(HEAD)
    for one in layers_of(blocks(depth)):
        convolution, norm = _public(one.name)
        found[f"{convolution}.weight"] = f"{one.name}/kernel"
        found |= {f"{norm}.{word}": f"{one.norm}/{ours}" for word, ours in PUBLIC_NORM.items()}
    return found | {name: name for name in found.values()}


def _public(name: str) -> tuple[str, str]:
    """Of a convolution and its normalisation."""
    if name == STEM.name:
        return "conv1", "bn1"
    stage, block, part = name.split("_")
    place = f"layer{stage.removeprefix('stage')}.{int(block.removeprefix('block')) - 1}"
    if part == "projection":
        return f"{place}.downsample.0", f"{place}.downsample.1"
    return f"{place}.{part}", f"{place}.{part.replace('conv', 'bn')}"


def _in_layout(array: np.ndarray) -> np.ndarray:
    """PyTorch's [out, in, ...] as ours [..., in, out]: of convolutions, and of dense layers."""
    return np.moveaxis(array, (1, 0), (-2, -1)) if array.ndim > 1 else array


def _require(depth: int, unknown: Sequence[str], missing: Sequence[str]) -> None:
    if unknown:
        raise SettingError(
            f"no ResNet of depth {depth} has {shown(unknown)}: is it of another network or depth?"
        )
    if missing:
        raise SettingError(
            f"it lacks {shown(missing)}, which a ResNet of depth {depth} has: is it of another depth?"
        )
