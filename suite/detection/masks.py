"""Masks of objects [56, 56], each of its own box, in bits: a byte has eight pixels, the first in its highest."""

import numpy as np

MASK_SIDE = 56
PACKED_BYTES = MASK_SIDE * MASK_SIDE // 8


def packed(masks: np.ndarray) -> np.ndarray:
    """bool [..., 56, 56] -> uint8 [..., 392]."""
    return np.packbits(masks.reshape(*masks.shape[:-2], -1), axis=-1)


def unpacked(bits: np.ndarray) -> np.ndarray:
    """uint8 [..., 392] -> bool [..., 56, 56]."""
    return np.unpackbits(bits, axis=-1).astype(bool).reshape(*bits.shape[:-1], MASK_SIDE, MASK_SIDE)
