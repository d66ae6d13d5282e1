"""Masks in bits, and answers in whole numbers."""

import numpy as np
import pytest

from suite.detection.answers import BOX_UNIT, MASK_UNIT, SCORE_UNIT, answers
from suite.detection.masks import PACKED_BYTES, packed, unpacked


def test_a_mask_is_eight_pixels_a_byte_row_by_row():
    mask = np.zeros((2, 56, 56), bool)
    mask[1, 0, 0] = mask[1, 0, 9] = mask[1, 1, 7] = True
    bits = packed(mask)
    assert bits.shape == (2, PACKED_BYTES) and bits.dtype == np.uint8
    assert bits[1, [0, 1, 7]].tolist() == [0x80, 0x40, 0x01] and bits.sum() == 0xC1
    several = np.random.default_rng(0).uniform(size=(3, 2, 56, 56)) < 0.5
    assert (unpacked(packed(several)) == several).all()


def test_answers_are_whole_numbers_and_nothing_is_all_zeros():
    boxes = np.array([[[1.03, 2.0, 3.5, 4.97], [5, 5, 6, 6.0]]])
    told = answers(boxes, np.array([[0.5, 0.9]]), np.array([[3, 0]]), np.full((1, 2, 28, 28), 0.5))
    assert told["boxes"].tolist() == [[[16, 32, 56, 80], [0, 0, 0, 0]]]
    assert told["scores"].tolist() == [[SCORE_UNIT // 2, 0]] and told["classes"].tolist() == [[3, 0]]
    assert told["masks"][0, :, 0, 0].tolist() == [128, 0]
    assert {name: one.dtype for name, one in told.items()} == {
        "boxes": np.int32,
        "scores": np.int32,
        "classes": np.int32,
        "masks": np.uint8,
    }


def test_what_rounding_has_pushed_beyond_is_brought_back():
    told = answers(
        np.array([[[-0.1, 3, 4, 2.9]]]),
        np.array([[1.0000001]]),
        np.array([[1]]),
        np.full((1, 1, 28, 28), 1.1),
    )
    assert told["boxes"].tolist() == [[[0, 3 * BOX_UNIT, 4 * BOX_UNIT, 3 * BOX_UNIT]]]
    assert told["scores"].item() == SCORE_UNIT and told["masks"].max() == MASK_UNIT
    assert told["scores"].item() == pytest.approx(1 << 20)
