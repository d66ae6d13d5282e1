"""The appendix (statistics of each framework, tests of each pair) and Tables 3 to 5 (changes of the medians)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from harness.studies.base import PrintedCell, printed
from harness.studies.matching import Printed
from harness.studies.schep25.method import METRICS, PAIRS, Cleaned, compare, describe

APPENDIX, CHANGES = "appendix", "3-5"
MOMENTS = ("mean", "std")  # what a simulation holds
PRINTED_PERCENT = 0.005


def cells_of(cleaned: Mapping[str, Cleaned], simulated: bool) -> Iterator[PrintedCell]:
    """Every printed number beside ours; from simulated runs, only the moments of time and energy are compared."""
    statistics = {
        (fw, metric): describe(values) for fw, one in cleaned.items() for metric, values in one.items()
    }
    for framework, metric, statistic, published in printed("schep25_summary.csv").to_numpy():
        ours = statistics[framework, metric][statistic]
        held = statistic in MOMENTS and metric in ("time_s", "energy_j")
        unit = METRICS[metric] if statistic != "shapiro_p" else ""
        yield PrintedCell(
            APPENDIX,
            framework,
            f"{metric} {statistic}",
            Printed.of(published),
            ours,
            unit,
            compared=held or not simulated,
        )
    yield from _comparisons(cleaned, simulated)


def _comparisons(cleaned: Mapping[str, Cleaned], simulated: bool) -> Iterator[PrintedCell]:
    found = {
        (*pair, metric): compare(*(cleaned[one][metric] for one in pair))
        for pair in PAIRS
        for metric in METRICS
    }
    for first, second, metric, statistic, published, _ in printed("schep25_comparisons.csv").to_numpy():
        one = found[first, second, metric]
        row, number = f"{first} and {second}", Printed.of(published)
        if statistic == "p":
            yield PrintedCell(APPENDIX, row, f"{metric} p", number, one.test.p, "", compared=not simulated)
        elif statistic == "change_percent":
            yield PrintedCell(CHANGES, row, metric, number, one.change_percent, "%", compared=not simulated)
        else:
            ours = getattr(one, statistic)
            yield PrintedCell(
                APPENDIX, row, f"{metric} {statistic}", number, ours, METRICS[metric], compared=not simulated
            )
