"""Boxes to begin with."""

import numpy as np
import pytest

from suite.detection.anchors import default_boxes, grid_anchors


def test_ssd300_has_8732_default_boxes_of_which_none_is_larger_than_the_image():
    boxes = default_boxes()
    assert boxes.shape == (8732, 4) and boxes.dtype == np.float64
    assert (boxes[:, 2:] - boxes[:, :2]).max() == 300


def test_a_place_has_its_shapes_side_by_side_and_places_go_along_the_rows():
    boxes = default_boxes()
    centres, sizes = (boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]
    root = np.sqrt(2)
    between = np.sqrt(21 * 45)
    expected = [[21, 21], [between, between], [21 * root, 21 / root], [21 / root, 21 * root]]
    np.testing.assert_allclose(sizes[:4], expected)
    np.testing.assert_allclose(centres[[0, 3, 4, 4 * 38]], [[4, 4], [4, 4], [12, 4], [4, 12]])


def test_a_smaller_image_has_fewer_default_boxes():
    boxes = default_boxes(32, maps=(2, 1), steps=(16, 32), sizes=(8, 16, 40), ratios=((), (2,)))
    assert boxes.shape == (2 * 2 * 2 + 4, 4)
    np.testing.assert_allclose(boxes[0], [4, 4, 12, 12])
    np.testing.assert_allclose(boxes[-4], [8, 8, 24, 24])


def test_anchors_of_an_rpn_are_whole_pixels_around_the_first_pixel_of_a_feature():
    boxes = grid_anchors(2, 3, 16, sizes=(32, 64), ratios=(0.5, 1.0, 2.0))
    assert boxes.shape == (2 * 3 * 6, 4)
    assert boxes[:6].tolist() == [
        [-23, -11, 23, 11],
        [-45, -23, 45, 23],
        [-16, -16, 16, 16],
        [-32, -32, 32, 32],
        [-11, -23, 11, 23],
        [-23, -45, 23, 45],
    ]
    assert (boxes[6] - boxes[0]).tolist() == [16, 0, 16, 0]
    assert (boxes[18] - boxes[0]).tolist() == [0, 16, 0, 16]


def test_each_map_says_all_of_its_numbers():
    with pytest.raises(ValueError, match="argument 2"):
        default_boxes(maps=(38, 19))
