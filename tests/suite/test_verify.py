"""The shape of a proof: as long as the run that it is of, within what a CPU does in seconds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.inventory import catalog
from suite.neural import NeuralSpec
from suite.verify import KINDS, MOST_STEPS, as_long_as

LEAST, OWN = KINDS["long"], KINDS["own"]


def spec(workload: str, **settings: int) -> NeuralSpec:
    one = catalog.workload(workload).spec.with_settings(settings)
    assert isinstance(one, NeuralSpec)
    return one


@pytest.mark.parametrize(
    ("workload", "settings", "samples", "epochs", "steps"),
    [
        ("mnist_mlp", {"epochs": 5, "batch_size": 32}, 1437, 5, 44),  # as the run
        ("mnist_mlp", {"epochs": 20, "batch_size": 32}, 1437, 5, 44),
        ("mnist_mlp", {"epochs": 10, "batch_size": 128}, 60_000, 2, MOST_STEPS // 2),
        ("mnist_mlp", {"epochs": 1, "batch_size": 128}, 256, 2, 35),  # never less than the least
        ("emotion_rnn", {"epochs": 3, "batch_size": 32}, 2048, 3, 64),
        ("mnist_cnn", {"epochs": 12, "batch_size": 32}, 1437, 2, 44),  # dear ones are short
        ("mnist_cnn", {"epochs": 3, "batch_size": 128}, 60_000, 2, 51),
    ],
)
def test_it_takes_the_epochs_and_steps_of_the_run_as_far_as_they_go(
    workload: str, settings: dict[str, int], samples: int, epochs: int, steps: int
) -> None:
    shape = as_long_as(LEAST, spec(workload, **settings), samples, "cpu")
    assert (shape.epochs, shape.steps) == (epochs, steps)
    assert (shape.dtype, shape.batch_size, shape.by_train) == (LEAST.dtype, LEAST.batch_size, True)


def test_on_a_gpu_whose_sums_have_no_fixed_order_it_is_short() -> None:
    for shape in (LEAST, OWN):
        assert as_long_as(shape, spec("mnist_mlp", epochs=20, batch_size=32), 1437, "cuda") == shape


@pytest.mark.parametrize(
    ("workload", "epochs", "proven"),
    [
        ("mnist_mlp", 1, 97),  # until it knows them by heart
        ("mnist_mlp", 110, 110),  # as the run
        ("mnist_mlp", 1000, MOST_STEPS // 2),
        ("mnist_cnn", 5, 5),
        ("mnist_cnn", 12, 6),  # dear ones are short
    ],
)
def test_with_the_run_s_own_batch_it_takes_all_epochs_but_of_few_steps(
    workload: str, epochs: int, proven: int
) -> None:
    shape = as_long_as(OWN, spec(workload, epochs=epochs, batch_size=32), 1437, "cpu")
    assert shape == replace(OWN, epochs=proven)


def test_in_float64_nothing_is_measured() -> None:
    exact = KINDS["exact"]
    assert as_long_as(exact, spec("mnist_mlp", epochs=20, batch_size=32), 1437, "cpu") == exact
