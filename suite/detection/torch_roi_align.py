"""RoIAlign from a feature pyramid in PyTorch: suite.detection.roi_align, each box from its own level."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import torch
from torch.nn import functional

Along = tuple[torch.Tensor, torch.Tensor]  # places on one axis, and their weights


def roi_align(
    pyramid: Sequence[torch.Tensor],
    rois: torch.Tensor,
    levels: torch.Tensor,
    strides: Sequence[int],
    size: int,
    samples: int = 2,
) -> torch.Tensor:
    """Levels [n, h, w, c] under boxes [n, r, 4], each of one of the `levels` [n, r] -> [n, r, size, size, c].

    Every cell is a weighted sum of some rows of one table, which holds the features of all levels: so shapes are the
    same, whatever the boxes. Gradients flow to the features alone.
    """
    n, *_, channels = pyramid[0].shape
    table = torch.cat([one.reshape(n, -1, channels) for one in pyramid], 1)
    high, wide, begin, stride = (one[levels] for one in _tables(pyramid, strides, rois))
    x1, y1, x2, y2 = (rois.detach() / stride[..., None] - 0.5).unbind(-1)
    rows, of_rows = _along(y1, y2, high, size, samples)
    columns, of_columns = _along(x1, x2, wide, size, samples)
    begin = begin + table.shape[1] * torch.arange(n, device=rois.device)[:, None]
    places = (
        begin[..., None, None, None, None] + rows[..., :, None, :, None] * wide[..., None, None, None, None]
    )
    places = places + columns[..., None, :, None, :]
    weights = of_rows[..., :, None, :, None] * of_columns[..., None, :, None, :]
    cells = functional.embedding_bag(
        places.flatten(-2).flatten(0, -2),
        table.flatten(0, 1),
        mode="sum",
        per_sample_weights=weights.flatten(-2).flatten(0, -2).to(table.dtype),
    )
    return cells.view(*rois.shape[:2], size, size, channels)


def _tables(
    pyramid: Sequence[torch.Tensor], strides: Sequence[int], rois: torch.Tensor
) -> tuple[torch.Tensor, ...]:
    """Of each level: height, width, where it begins in the table, and stride."""
    high, wide = ([one.shape[axis] for one in pyramid] for axis in (1, 2))
    begins = [0, *accumulate(rows * columns for rows, columns in zip(high, wide, strict=True))][:-1]
    whole = [torch.tensor(one, device=rois.device) for one in (high, wide, begins)]
    return (*whole, torch.tensor(strides, device=rois.device, dtype=rois.dtype))


def _along(first: torch.Tensor, last: torch.Tensor, length: torch.Tensor, size: int, samples: int) -> Along:
    """Spans [n, r] on an axis of `length` [n, r] features -> [n, r, size, 2 * samples] of features in each cell."""
    parts = (torch.arange(size * samples, device=first.device, dtype=first.dtype) + 0.5) / (size * samples)
    at = first[..., None] + (last - first)[..., None] * parts
    inside = (at >= -1) & (at <= length[..., None])
    last_one = length[..., None] - 1
    at = at.clamp(min=0).minimum(last_one.to(at.dtype))
    low = at.floor().long()
    share = at - low
    places = torch.stack([low, (low + 1).minimum(last_one)], -1)
    weights = torch.stack([1 - share, share], -1) * inside[..., None] / samples
    shape = *first.shape, size, 2 * samples
    return places.reshape(shape), weights.reshape(shape)
