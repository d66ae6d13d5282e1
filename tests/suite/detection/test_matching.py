"""Which anchor is to find which truth."""

import numpy as np

from suite.detection.matching import BACKGROUND, IGNORED, crowded, match

ALL = np.array([True, True])


def test_an_anchor_takes_the_truth_that_it_overlaps_most_if_by_enough():
    iou = np.array([[0.1, 0.5, 0.6, 0.7], [0.2, 0.4, 0.3, 0.9]])
    assert match(iou, ALL, 0.4, 0.6, force_best=False).tolist() == [BACKGROUND, IGNORED, 0, 1]


def test_the_lower_bound_is_ignored_and_the_upper_one_is_enough():
    iou = np.array([[0.3, 0.7, np.nextafter(0.3, 0), np.nextafter(0.7, 0)]])
    assert match(iou, ALL[:1], 0.3, 0.7, force_best=False).tolist() == [IGNORED, 0, BACKGROUND, IGNORED]


def test_each_truth_keeps_its_best_anchor_whatever_another_overlaps_there():
    iou = np.array([[0.9, 0.8, 0.1], [0.0, 0.2, 0.05]])
    assert match(iou, ALL, 0.5, 0.5, force_best=True).tolist() == [0, 1, BACKGROUND]


def test_of_truths_that_claim_the_same_anchor_and_of_equal_ones_the_first_wins():
    iou = np.array([[0.2, 0.3], [0.2, 0.4]])
    assert match(iou, ALL, 0.5, 0.5, force_best=True).tolist() == [BACKGROUND, 0]
    assert match(np.full((2, 2), 0.6), ALL, 0.5, 0.5, force_best=False).tolist() == [0, 0]


def test_one_of_several_equally_good_anchors_is_forced_or_all_of_them():
    iou = np.array([[0.2, 0.1, 0.2]])
    assert match(iou, ALL[:1], 0.5, 0.5, True).tolist() == [0, BACKGROUND, BACKGROUND]
    assert match(iou, ALL[:1], 0.5, 0.5, True, all_ties=True).tolist() == [0, BACKGROUND, 0]


def test_padding_is_nobodys_truth_and_claims_no_anchor():
    iou = np.array([[0.6, 0.1], [0.9, 0.4]])
    assert match(iou, np.array([True, False]), 0.5, 0.5, True).tolist() == [0, BACKGROUND]
    assert match(iou, np.array([False, False]), 0.5, 0.5, True).tolist() == [BACKGROUND] * 2
    assert match(iou[:0], ALL[:0], 0.5, 0.5, True).tolist() == [BACKGROUND] * 2


def test_a_truth_that_overlaps_nothing_has_no_anchor():
    iou = np.zeros((2, 3))
    for ties in (False, True):
        assert match(iou, ALL, 0.5, 0.5, True, all_ties=ties).tolist() == [BACKGROUND] * 3


def test_what_lies_in_a_crowd_is_no_background_but_may_be_found():
    boxes = np.array([[0, 0, 10, 10], [20, 0, 30, 10.0]])
    anchors = np.array([[1, 1, 3, 3], [9, 0, 11, 10], [20, 0, 30, 9], [24, 0, 60, 10.0]])
    inside = crowded(boxes, np.array([True, False]), anchors, 0.5)
    assert inside.tolist() == [True, True, False, False]
    iou = np.array([[0.6, 0.1, 0.1, 0.1]])
    for force_best in (False, True):
        found = match(iou, ALL[:1], 0.5, 0.5, force_best, ignored=inside)
        assert found.tolist() == [0, IGNORED, BACKGROUND, BACKGROUND]
