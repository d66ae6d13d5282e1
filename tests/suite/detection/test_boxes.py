"""Boxes: what they share, and what a network says of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from suite.detection.boxes import LARGEST_GROWTH, areas, clipped, covered, decode, encode, intersections, iou

WEIGHTS = (10.0, 10.0, 5.0, 5.0)
ANY = arrays(np.float64, (3, 4), elements=st.floats(-100, 100))


def proper(corners):
    """Boxes at least half a pixel wide and high."""
    near, far = np.minimum(corners[:, :2], corners[:, 2:]), np.maximum(corners[:, :2], corners[:, 2:])
    return np.concatenate([near, far + 0.5], 1)


def test_an_area_counts_no_pixel_twice_and_none_more():
    boxes = np.array([[0, 0, 2, 3], [1, 1, 1, 5], [3, 3, 1, 9.0]])
    assert areas(boxes).tolist() == [6, 0, 0]


def test_iou_of_boxes_known_by_hand():
    one = np.array([[0, 0, 2, 2], [5, 5, 5, 5.0]])
    other = np.array([[1, 0, 3, 2], [0, 0, 2, 2], [2, 0, 4, 2], [5, 5, 5, 5.0]])
    assert iou(one, other) == pytest.approx(np.array([[1 / 3, 1, 0, 0], [0, 0, 0, 0]]))
    assert intersections(one, other)[0].tolist() == [2, 4, 0, 0]
    assert covered(one, other)[0].tolist() == [0.5, 1, 0, 0]


@given(ANY, ANY)
def test_iou_is_symmetric_within_0_and_1_and_1_of_a_box_with_itself(one, other):
    one, other = proper(one), proper(other)
    found = iou(one, other)
    assert (found >= 0).all() and (found <= 1).all()
    np.testing.assert_allclose(found, iou(other, one).T, rtol=1e-12)
    np.testing.assert_allclose(np.diag(iou(one, one)), 1)


def test_iou_takes_samples_side_by_side_and_keeps_their_precision():
    one, other = np.random.default_rng(0).uniform(0, 9, (2, 5, 3, 4)).astype(np.float32)
    several = iou(one, other)
    assert several.shape == (5, 3, 3) and several.dtype == np.float32
    assert (several[2] == iou(one[2], other[2])).all()


@given(ANY, ANY)
def test_what_is_decoded_is_what_was_encoded(boxes, anchors):
    boxes, anchors = proper(boxes), proper(anchors)
    growth = np.log((boxes[:, 2:] - boxes[:, :2]) / (anchors[:, 2:] - anchors[:, :2]))
    found = decode(encode(boxes, anchors, WEIGHTS), anchors, WEIGHTS)
    kept = (growth < LARGEST_GROWTH).all(1)
    np.testing.assert_allclose(found[kept], boxes[kept], atol=1e-9)


def test_deltas_known_by_hand():
    box, anchor = np.array([[10, 20, 30, 60.0]]), np.array([[0, 0, 10, 10.0]])
    assert encode(box, anchor, (1, 1, 1, 1))[0] == pytest.approx([1.5, 3.5, np.log(2), np.log(4)])
    assert encode(box, anchor, WEIGHTS)[0] == pytest.approx([15, 35, 5 * np.log(2), 5 * np.log(4)])


def test_a_box_grows_no_more_than_1000_over_16_times():
    [found] = decode(np.array([[0, 0, 1e9, 1e9]]), np.array([[0, 0, 16, 16.0]]), (1, 1, 1, 1))
    assert found[2:] - found[:2] == pytest.approx([1000, 1000])


def test_padding_has_finite_deltas():
    nothing, anchor = np.zeros((1, 4)), np.array([[0, 0, 8, 8.0]])
    assert np.isfinite(encode(nothing, anchor, WEIGHTS)).all()
    assert np.isfinite(encode(anchor, nothing, WEIGHTS)).all()


def test_boxes_end_where_the_image_does_each_in_its_own():
    boxes = np.array([[[-1, -2, 50, 60], [5, 6, 7, 8]]] * 2, np.float32)
    heights, widths = np.array([[30], [8]]), np.array([[40], [6]])
    found = clipped(boxes, heights, widths)
    assert found.tolist() == [[[0, 0, 40, 30], [5, 6, 7, 8]], [[0, 0, 6, 8], [5, 6, 6, 8]]]
    assert found.dtype == np.float32
    assert clipped(boxes[0], 30, 40).tolist() == found[0].tolist()
