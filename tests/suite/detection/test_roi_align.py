"""Features under boxes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from suite.detection.roi_align import fpn_levels, roi_align


def plane(height, width):
    """Channels: the x and the y of each feature's centre, in features."""
    y, x = np.mgrid[:height, :width] + 0.5
    return np.stack([x, y], -1)


@given(st.integers(0, 1000), st.integers(1, 4), st.integers(1, 3))
def test_of_a_plane_each_cell_has_the_value_at_its_middle(seed, size, samples):
    generator = np.random.default_rng(seed)
    near, scale = generator.uniform(0.5, 5, (3, 2)), 0.25
    rois = np.concatenate([near, near + generator.uniform(0, 3.5, (3, 2))], 1)
    found = roi_align(plane(9, 10), rois / scale, size, scale, samples)
    middle = (np.arange(size) + 0.5) / size
    x = rois[:, [0]] + (rois[:, [2]] - rois[:, [0]]) * middle
    y = rois[:, [1]] + (rois[:, [3]] - rois[:, [1]]) * middle
    np.testing.assert_allclose(found[..., 0], np.broadcast_to(x[:, np.newaxis, :], (3, size, size)))
    np.testing.assert_allclose(found[..., 1], np.broadcast_to(y[:, :, np.newaxis], (3, size, size)))


def test_a_cell_upon_a_feature_is_that_feature():
    features = np.random.default_rng(0).normal(size=(5, 6, 3))
    [found] = roi_align(features, np.array([[16, 8, 48, 40.0]]), 4, 1 / 8, 1)
    np.testing.assert_allclose(found, features[1:5, 2:6])


def test_the_published_table_is_met():
    """Of the numbers 0 to 24 in rows of five, with the half of a feature: that of the test of Detectron2's layer."""
    [found] = roi_align(np.arange(25.0).reshape(5, 5, 1), np.array([[1, 1, 3, 3.0]]), 4, 1.0, 1)
    published = [[4.5, 5, 5.5, 6], [7, 7.5, 8, 8.5], [9.5, 10, 10.5, 11], [12, 12.5, 13, 13.5]]
    np.testing.assert_allclose(found[..., 0], published, atol=1e-9)


def test_beyond_the_outermost_centres_features_stay_as_they_are_and_further_out_there_is_nothing():
    ones = np.ones((4, 4, 1))
    at = lambda x: roi_align(ones, np.array([[x, 2, x, 2.0]]), 1, 1.0, 1).item()  # noqa: E731
    assert [at(x) for x in (-0.6, -0.4, 0, 4, 4.4, 4.6)] == [0, 1, 1, 1, 1, 0]


@pytest.mark.parametrize(
    ("side", "level"), [(1, 2), (55, 2), (111.9, 2), (112, 3), (223.9, 3), (224, 4), (448, 5), (4000, 5)]
)
def test_a_box_comes_from_the_level_of_its_size(side, level):
    boxes = np.array([[3, 4, 3 + side, 4 + side], [0, 0, 2 * side, side / 2]])
    assert fpn_levels(boxes, 2, 5)[0] == level == min(max(np.floor(4 + np.log2(side / 224)), 2), 5)
