"""The two published results, and the same runs integrated over the timed run alone."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.studies.base import PrintedCell, printed
from harness.studies.matching import Printed
from harness.studies.smc_mlperf_training40.rule import result

S_PER_MIN = 60.0


def cells(runs: pd.DataFrame) -> Iterator[PrintedCell]:
    """Of the meters whose folder is there."""
    for meter, column, text in printed("smc_mlperf_training40.csv").to_numpy():
        of_one, published = runs[runs["meter"] == meter], Printed.of(text)
        if of_one.empty:
            continue
        if column == "time":
            seconds = result(of_one, "time_s")
            minutes = None if seconds is None else seconds / S_PER_MIN
            yield PrintedCell("result", meter, "time", published, minutes, "min")
            continue
        yield PrintedCell("result", meter, "energy", published, result(of_one, "rule_j"), "J")
        integral = result(of_one, "integral_j")
        yield PrintedCell("result", meter, "energy, ours", published, integral, "J", compared=False)
