"""Functions of stacks by the names that their users know."""

import numpy as np
import pytest

from harness.attribution.functions import OTHERS, folded, innermost, name_of


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ("relu (torch/nn/functional.py)", "torch.nn.functional.relu"),
        ("__init__ (numpy/__init__.py)", "numpy.__init__"),
        ("_find (<frozen importlib._bootstrap>)", "importlib._bootstrap._find"),
        ("<module> (suite/run.py)", "suite.run.<module>"),
        ("", "no Python function"),
    ],
)
def test_names_are_as_they_are_imported(frame, name):
    assert name_of(frame) == name


def test_what_is_seldom_seen_is_one_kind():
    stacks = ["a (x.py)"] * 150 + ["a (x.py);b (y.py)"] * 49 + ["c (z.py)"]
    found = innermost(range(200), stacks)
    assert found.names == ["x.a", "y.b", OTHERS]
    assert np.bincount(found.looks.kind).tolist() == [150, 49, 1]


def test_joules_of_equal_stacks_are_added():
    assert folded(["a (x.py);b (y.py)", "a (x.py)", "a (x.py);b (y.py)"], np.array([1.0, 2.0, 3.0])) == {
        "x.a;y.b": 4.0, "x.a": 2.0,
    }  # fmt: skip
