"""Metrics have names of their own: any that a worker may send."""

import pandas as pd
import pytest

from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.quality import epoch_quality, final_quality
from harness.analysis.run_rows import METRICS, PHASE_NUMBERS


@pytest.mark.parametrize(
    "name", ["bleu", "stage", "treatment", "settings", "value", "metric", "row", "n", "mean"]
)
def test_a_metric_may_be_called_as_a_column_is(name: str) -> None:
    runs = pd.DataFrame([{"run_id": one, **dict.fromkeys(GROUP, "x"), TREATMENT: "torch 1"} for one in "ab"])
    rows = [{"run_id": "a", "epoch": 1.0, name: 0.5}, {"run_id": "b", "epoch": 1.0, name: 0.7}]
    epochs = pd.DataFrame(rows, columns=["run_id", "epoch", *METRICS, name, *PHASE_NUMBERS])

    for quality in (epoch_quality(runs, epochs), final_quality(runs, epochs)):
        (told,) = quality.to_dict("records")
        assert (told["metric"], told["n"], told["low"], told["high"]) == (name, 2, 0.5, 0.7)
        assert told["mean"] == pytest.approx(0.6)
        assert told[TREATMENT] == "torch 1"
