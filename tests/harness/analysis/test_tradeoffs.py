"""Cost of a target and Pareto front, against searching by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.tradeoffs import cost_to_target, pareto_front
from suite.task import Direction

EPOCHS = pd.DataFrame({
    "run_id": ["a"] * 3 + ["b"] * 3,
    "epoch": [1.0, 2, 3, 1, 2, 3],
    "accuracy": [0.5, 0.9, 0.8, 0.4, 0.5, 0.6],
    "loss": [0.9, 0.4, 0.5, 1.0, 0.9, 0.2],
    "energy_j": [10.0, 20, 30, 5, None, 5],
    "duration_s": [1.0, 2, 3, 1, 1, 1],
})  # fmt: skip


def test_the_cost_of_a_target_is_that_of_all_epochs_up_to_the_first_that_reaches_it() -> None:
    found = cost_to_target(EPOCHS, "accuracy", 0.8).set_index("run_id")
    assert found.loc["a", ["epoch", "energy_j", "duration_s", "reason"]].tolist() == [2, 30, 3, ""]
    assert found.loc["b", ["epoch", "energy_j", "duration_s"]].isna().all()
    assert found.loc["b", "reason"] == "accuracy 0.8 was never reached in 3 epochs"


def test_an_unknown_epoch_makes_the_sum_unknown_and_never_less() -> None:
    row = cost_to_target(EPOCHS, "loss", 0.2, Direction.LOWER).set_index("run_id").loc["b"]
    assert row["epoch"] == 3 and np.isnan(row["energy_j"]) and row["duration_s"] == 3


def by_hand(run: pd.DataFrame, target: float) -> list[float]:
    """Epoch, energy and time up to the first that reaches the target; nan where none does."""
    sums = [0.0, 0.0]
    for row in run.sort_values("epoch").to_dict("records"):
        sums = [so_far + row[name] for so_far, name in zip(sums, ("energy_j", "duration_s"), strict=True)]
        if row["loss"] <= target:
            return [row["epoch"], *sums]
    return [np.nan] * 3


JOULES = st.sampled_from([1.0, 2.0, 4.0, np.nan])
TOLD = st.tuples(st.sampled_from("abc"), st.integers(0, 4).map(float) | st.just(np.nan), JOULES)


@settings(max_examples=40)
@given(st.lists(TOLD, min_size=1, max_size=20), st.integers(0, 4))
def test_every_run_costs_what_summing_by_hand_gives(
    told: list[tuple[str, float, float]], target: int
) -> None:
    frame = pd.DataFrame(told, columns=["run_id", "loss", "energy_j"])
    frame = frame.assign(epoch=frame.groupby("run_id").cumcount() + 1.0, duration_s=1.0)
    found = cost_to_target(frame.sample(frac=1, random_state=1), "loss", target, Direction.LOWER)
    for name, run in frame.groupby("run_id"):
        row = found.set_index("run_id").loc[name]
        numbers = row[["epoch", "energy_j", "duration_s"]].to_numpy(dtype=float)
        np.testing.assert_array_equal(numbers, by_hand(run, target))
        assert bool(row["reason"]) == np.isnan(row["epoch"])


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12))
def test_the_front_is_what_no_other_row_beats(rows: list[tuple[int, int, int]]) -> None:
    frame = pd.DataFrame(rows, columns=["energy_j", "duration_s", "accuracy"])

    def beats(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
        return one != other and one[0] <= other[0] and one[1] <= other[1] and one[2] >= other[2]

    expected = [not any(beats(other, row) for other in rows) for row in rows]
    assert pareto_front(frame, ["energy_j", "duration_s"], ["accuracy"]).tolist() == expected


def test_a_row_with_an_unknown_value_is_not_judged_and_beats_nobody() -> None:
    frame = pd.DataFrame({"energy_j": [1.0, 2.0], "accuracy": [None, 0.9]}, index=["x", "y"])
    found = pareto_front(frame, ["energy_j"], ["accuracy"])
    assert pd.isna(found["x"]) and found["y"]


def test_a_target_that_is_just_met_is_reached() -> None:
    higher = cost_to_target(EPOCHS, "accuracy", 0.9).set_index("run_id")
    lower = cost_to_target(EPOCHS, "loss", 0.4, Direction.LOWER).set_index("run_id")
    assert higher.loc["a", "epoch"] == lower.loc["a", "epoch"] == 2
