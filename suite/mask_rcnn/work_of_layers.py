"""The operations of Mask R-CNN's products, of one image; `spec` is a MaskRcnn."""

from __future__ import annotations

from typing import Any

from suite import work
from suite.detection import masks
from suite.detection.answers import MASK_SIDE
from suite.mask_rcnn.layers import BOX_POSITIVE, LEVELS, MASK_POOL
from suite.residual.layers import POOL_STRIDE, STEM
from suite.task import TRAIN


def flops(spec: Any, stage: str) -> int:
    """Of all places for proposals and detections, taken or not; masks' targets have no gradients."""
    if stage != TRAIN:
        return sum([*_of_image(spec), *_of_boxes(spec, spec.proposals), *_of_masks(spec, spec.detections)])
    objects = spec.rois // BOX_POSITIVE
    taught = [*_of_image(spec), *_of_boxes(spec, spec.rois), *_of_masks(spec, objects)]
    return work.training(taught) + objects * _target()


def _of_image(spec: Any) -> list[int]:
    """Of the backbone, the pyramid and the RPN, the stem first."""
    side, found = spec.side // STEM.stride, []
    layers = {one.name: one for one in spec.backbone}

    def convolved(name: str) -> None:
        one = layers[name]
        found.append(work.convolution((one.size, one.size, one.channels_in, one.channels), side, side))

    convolved(STEM.name)
    side //= POOL_STRIDE
    for block in spec.blocks:
        for one in block.layers:
            side //= one.stride
            convolved(one.name)
        if block.projection:
            convolved(block.projection.name)
    for level, side in zip(LEVELS, spec.sides, strict=False):
        found += [work.convolution(spec.heads[f"{name}{level}"], side, side) for name in ("lateral", "level")]
    for side in spec.sides:
        told = [work.product(spec.heads[f"rpn_{name}"], side * side) for name in ("objects", "deltas")]
        found += [work.convolution(spec.heads["rpn_hidden"], side, side), *told]
    return found


def _of_boxes(spec: Any, rois: int) -> list[int]:
    return [work.product(shape, rois) for name, shape in spec.heads.items() if name.startswith("box_")]


def _of_masks(spec: Any, rois: int) -> list[int]:
    """The transposed convolution reads as many places as those before it, the last as many as a mask has."""
    convolutions = [
        shape for name, shape in spec.heads.items() if name.startswith(("mask_hidden", "mask_wider"))
    ]
    pixels = work.product(spec.heads["mask_pixels"], MASK_SIDE * MASK_SIDE)
    return [
        rois * one for one in (*(work.convolution(one, MASK_POOL, MASK_POOL) for one in convolutions), pixels)
    ]


def _target() -> int:
    """A true mask, read along both axes."""
    return work.product((masks.MASK_SIDE, MASK_SIDE), masks.MASK_SIDE) + work.product(
        (masks.MASK_SIDE, MASK_SIDE), MASK_SIDE
    )
