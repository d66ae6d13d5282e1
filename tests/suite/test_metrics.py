"""The suite's own metrics agree with scikit-learn's."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from suite.metrics import classification, confusion

CLASSES = 4
labels = st.lists(
    st.tuples(st.integers(0, CLASSES - 1), st.integers(0, CLASSES - 1)), min_size=1, max_size=40
)


@given(labels)
def test_agrees_with_scikit_learn(pairs):
    truth, predicted = np.array(pairs).T
    values = classification(truth, np.eye(CLASSES)[predicted])
    averaged = _reference(truth, predicted)
    assert values == pytest.approx(averaged, abs=1e-12)


@given(labels)
def test_rows_of_the_confusion_matrix_are_true_classes(pairs):
    truth, predicted = np.array(pairs).T
    expected = reference.confusion_matrix(truth, predicted, labels=range(CLASSES))
    assert np.array_equal(confusion(truth, predicted, CLASSES), expected)


def test_small_integer_labels_do_not_overflow():
    truth = np.array([9, 9, 0], dtype=np.uint8)
    assert classification(truth, np.eye(30)[[9, 9, 0]])["accuracy"] == 1.0


def test_a_perfect_prediction_of_half_of_the_classes_halves_the_macro_averages():
    values = classification(np.array([0, 1]), np.eye(4)[[0, 1]])
    assert values == {"accuracy": 1.0, "precision": 0.5, "recall": 0.5, "f1": 0.5}


def _reference(truth, predicted):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision, recall, f1, _ = reference.precision_recall_fscore_support(
            truth, predicted, labels=range(CLASSES), average="macro", zero_division=0
        )
    accuracy = reference.accuracy_score(truth, predicted)
    return {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": f1}
