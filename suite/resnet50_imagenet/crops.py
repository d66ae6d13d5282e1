"""Crops of records: where each is cut, and whether it is mirrored, follows from the record and the epoch alone.

A view is a number, record + MOST_RECORDS * epoch, as the steps of a training are told them. Epoch 0 has the crop in the
middle, by which answers are judged; any later one of its own. So all frameworks, and all runs, see the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from suite.spec import Arrays

MOST_RECORDS = 1 << 21
MOST_EPOCHS = (1 << 31) // MOST_RECORDS - 1  # devices number views in 32 bits
SEED = 20_151_210
PIXEL = np.dtype("V3")  # three bytes: mirrored three times as fast as one by one


def views(records: np.ndarray, epoch: int) -> np.ndarray:
    return records + MOST_RECORDS * epoch


def of_views(several: Any) -> tuple[Any, Any]:
    """Their records and epochs, of any library's whole numbers."""
    return several % MOST_RECORDS, several // MOST_RECORDS


def cut(records: Any, several: np.ndarray, side: int) -> np.ndarray:
    """Views [n] of records uint8 [all, height, width, 3], wherever those lie -> uint8 [n, side, side, 3]."""
    crops = np.empty((len(several), side, side), PIXEL)
    for crop, record, epoch in zip(crops, *of_views(several), strict=True):
        pixels = records[record].view(PIXEL)[..., 0]
        top, left, mirrored = place(record, epoch, pixels.shape[0] - side, pixels.shape[1] - side)
        cropped = pixels[top : top + side, left : left + side]
        crop[:] = cropped[:, ::-1] if mirrored else cropped
    return crops.view(np.uint8).reshape(len(several), side, side, PIXEL.itemsize)


def place(record: int, epoch: int, rows: int, columns: int) -> tuple[int, int, bool]:
    """Top, from 0 to `rows`, left, and whether it is mirrored."""
    if not epoch:
        return rows // 2, columns // 2, False
    top, left, mirrored = np.random.default_rng([SEED, record, epoch]).integers(0, [rows + 1, columns + 1, 2])
    return int(top), int(left), bool(mirrored)


def cut_all(data: Arrays, epochs: int, side: int) -> np.ndarray:
    """Every record's views of epochs 0 to `epochs`: uint8 [n, 1 + epochs, side, side, 3]."""
    records = np.arange(len(data["x"]))
    crops = np.empty((len(records), 1 + epochs, side, side, PIXEL.itemsize), np.uint8)
    for epoch in range(1 + epochs):
        crops[:, epoch] = cut(data["x"], views(records, epoch), side)
    return crops
