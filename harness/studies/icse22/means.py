"""Tables 2 (training) and 3 (inference): the means; and the shares that the abstract gives."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.analysis.effects import ICSE22
from harness.studies.base import PrintedCell, printed
from harness.studies.icse22.rank_sum import TABLES, comparisons
from harness.studies.icse22.runs import FRAMEWORKS, MODELS, QUANTITIES
from harness.studies.matching import Printed

LEVEL = 0.05


def cells(runs: pd.DataFrame) -> Iterator[PrintedCell]:
    """Of the stages that the files hold; every printed mean has its cell, also where no file is left of it."""
    known = _printed_means()
    for stage, table in TABLES.items():
        inside = runs[runs["stage"] == stage]
        for model, title in MODELS.items():
            if len(inside):
                yield from _means(
                    table, title, inside[inside["model"] == model], known.get((stage, model), {})
                )
    yield from _claims(runs)


def _printed_means() -> dict[tuple[str, str], dict[tuple[str, str], Printed]]:
    """By stage and model, then by framework and quantity."""
    found: dict[tuple[str, str], dict[tuple[str, str], Printed]] = {}
    for stage, model, framework, quantity, published in printed("icse22_means.csv").to_numpy():
        found.setdefault((stage, model), {})[framework, quantity] = Printed.of(published)
    return found


def _means(
    table: str, title: str, runs: pd.DataFrame, known: dict[tuple[str, str], Printed]
) -> Iterator[PrintedCell]:
    for framework, name in FRAMEWORKS.items():
        of_one = runs[runs["framework"] == framework]
        for quantity in QUANTITIES:
            ours = float(of_one[quantity].mean()) if len(of_one) else None
            published = known.get((framework, quantity))
            yield PrintedCell(table, f"{title} {name}", quantity, published, ours, unit(quantity))
        printed_j, ours_j = known.get((framework, "gpu_j")), _gpu_over_time(of_one)
        yield PrintedCell(table, f"{title} {name}", "gpu_j, ours", printed_j, ours_j, "J", compared=False)


def _gpu_over_time(runs: pd.DataFrame) -> float | None:
    """The readings were a little more than a second apart: their mean power x the run's time."""
    return float((runs["gpu_j"] / runs["readings"] * runs["run_time_s"]).mean()) if len(runs) else None


def unit(quantity: str) -> str:
    return "J" if quantity.endswith("_j") else "s"


def _claims(runs: pd.DataFrame) -> Iterator[PrintedCell]:
    """The shares that the abstract gives; only from the whole artifact, since they are shares of all cases."""
    found = comparisons(runs)
    if len(found) != len(TABLES) * len(MODELS) * len(QUANTITIES):
        return
    claims = printed("icse22_claims.csv").set_index("claim")["published"]
    large = found["a12"].sub(0.5).abs() >= ICSE22[-1] - 0.5
    training, inference = found["stage"] == "train", found["stage"] == "infer"
    shares = {
        "cases with a significant difference": (found["p"] < LEVEL).mean(),
        "training cases with a large effect": large[training].mean(),
        "inference cases in which PyTorch costs less with a large effect": (large & (found["a12"] < 0.5))[
            inference
        ].mean(),
    }
    for claim, share in shares.items():
        yield PrintedCell("abstract", claim, "share", Printed.of(claims[claim]), 100 * float(share), "%")
