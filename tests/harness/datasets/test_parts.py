"""What every workload relies on is checked of every data set."""

from __future__ import annotations

import numpy as np
import pytest

from harness.datasets import parts
from harness.datasets.base import Array
from harness.errors import DataError


def split(samples: int = 4, shape: tuple[int, ...] = (2, 2), dtype: str = "u1", top: int = 2) -> parts.Split:
    return np.zeros((samples, *shape), dtype), np.linspace(0, top, samples).astype(np.uint8)


def check(train: parts.Split, test: parts.Split) -> dict[str, Array]:
    return parts.checked("tiny", train, test, (2, 2), 3)


def test_the_four_parts_have_labels_of_one_type() -> None:
    found = check(split(4), split(3))
    assert {part: array.shape for part, array in found.items()} == {
        "train_x": (4, 2, 2),
        "train_y": (4,),
        "test_x": (3, 2, 2),
        "test_y": (3,),
    }
    assert found["train_y"].dtype == found["test_y"].dtype == np.int64


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (split(shape=(2, 3)), "holds examples of 2x3 uint8, not of 2x2 uint8"),
        (split(shape=()), "holds examples of one value uint8"),
        (split(dtype="f4"), "holds examples of 2x2 float32"),
        (split(top=3), "has labels from 0 to 3, not from 0 to 2"),
        ((split(4)[0], split(3)[1]), r"has 4 examples and labels of shape \(3,\)"),
        ((split(4)[0], split(4)[1][:, np.newaxis]), r"has 4 examples and labels of shape \(4, 1\)"),
        ((split(0)[0], np.zeros(0, np.uint8)), "has 0 examples"),
        ((split(1)[0], np.array([-1])), "has labels from -1 to -1"),
    ],
)
def test_wrong_shapes_types_and_labels_are_named_with_their_split(wrong: parts.Split, words: str) -> None:
    with pytest.raises(DataError, match=f"tiny: the training split {words}"):
        check(wrong, split())
    with pytest.raises(DataError, match=f"tiny: the test split {words}"):
        check(split(), wrong)
