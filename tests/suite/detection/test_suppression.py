"""Which boxes are left, and in which order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from suite.detection.boxes import iou
from suite.detection.suppression import NONE, nms, nms_by_class

BOXES = np.array([[0, 0, 4, 4], [0, 0, 4, 3], [10, 0, 12, 2], [0, 0, 4, 2.0]])


def test_the_best_of_overlapping_boxes_is_left_and_the_rest_is_padding():
    assert nms(BOXES, np.array([0.5, 0.9, 0.1, 0.3]), 0.6, 4).tolist() == [1, 2, NONE, NONE]


def test_what_is_taken_away_takes_nothing_away():
    # 0 overlaps 1 by 3/4, 1 overlaps 3 by 2/3, 0 overlaps 3 by 1/2.
    assert nms(BOXES, np.array([0.9, 0.8, 0.1, 0.7]), 0.6, 4).tolist() == [0, 3, 2, NONE]


def test_an_overlap_of_just_the_threshold_takes_nothing_away():
    assert nms(BOXES[[0, 3]], np.array([0.9, 0.8]), 0.5, 2).tolist() == [0, 1]
    assert nms(BOXES[[0, 3]], np.array([0.9, 0.8]), np.nextafter(0.5, 0), 2).tolist() == [0, NONE]


def test_of_equal_scores_the_first_box_comes_first():
    assert nms(BOXES, np.full(4, 0.5), 0.6, 4).tolist() == [0, 2, 3, NONE]


def test_classes_do_not_take_boxes_from_each_other_and_share_the_places():
    scores, classes = np.array([0.6, 0.9, 0.8, 0.7]), np.array([1, 2, 1, 2])
    assert nms_by_class(BOXES, scores, classes, 0.6, 4).tolist() == [1, 2, 0, NONE]
    assert nms_by_class(BOXES, scores, classes, 0.6, 2).tolist() == [1, 2]


def test_padded_candidates_and_none_at_all_leave_nothing():
    assert nms(BOXES, np.array([-np.inf, 0.1, -np.inf, -np.inf]), 0.6, 2).tolist() == [1, NONE]
    assert nms(BOXES[:0], np.zeros(0), 0.6, 2).tolist() == [NONE, NONE]


@given(st.permutations(range(6)), st.floats(0, 1))
def test_disjoint_boxes_are_all_left_by_their_scores(order, threshold):
    boxes = np.array([[3.0 * place, 0, 3 * place + 2, 2] for place in range(6)])
    found = nms(boxes, np.array(order) / 10, threshold, 6)
    assert found.tolist() == np.argsort(np.negative(order)).tolist()


@given(st.integers(0, 1000), st.floats(0, 1))
def test_what_is_left_overlaps_no_more_and_whatever_went_overlaps_a_better_one(seed, threshold):
    generator = np.random.default_rng(seed)
    corners, scores = generator.uniform(0, 10, (20, 4)), generator.permutation(20) / 20
    boxes = np.sort(corners.reshape(20, 2, 2), 1).reshape(20, 4)
    kept = nms(boxes, scores, threshold, 20)
    kept = kept[kept != NONE]
    between = iou(boxes[kept], boxes)
    assert (np.triu(between[:, kept], 1) <= threshold).all()
    gone = np.setdiff1d(np.arange(20), kept)
    better = scores[kept][:, np.newaxis] > scores[gone]
    assert ((between[:, gone] > threshold) & better).any(0).all()
