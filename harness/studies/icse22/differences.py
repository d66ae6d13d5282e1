"""Printed cells of ICSE 2022 that the raw files do not give, and what that says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from harness.studies.base import PrintedCell, Remark, disagreeing
from harness.studies.icse22.runs import FRAMEWORKS, MODELS


def differences(runs: pd.DataFrame, cells: Sequence[PrintedCell]) -> Iterator[Remark]:
    different = disagreeing(cells)
    for one in different:
        ours = "no file" if one.ours is None else f"{one.ours:.6g}"
        unit = f" {one.unit}" if one.unit else ""
        where = f"{one.table}, {one.row}, {one.column}"
        yield Remark(
            "cell-differs",
            f"{where}: printed {one.printed}{unit}, the files give {ours}{unit}",
        )
    yield from _other_runs(runs, {(one.row, one.column): one for one in different})


def _other_runs(runs: pd.DataFrame, different: dict[tuple[str, str], PrintedCell]) -> Iterator[Remark]:
    """Energy and time printed from other runs show in their quotient: a mean power that none of the files has."""
    for (model, framework), group in runs.groupby(["model", "framework"]):
        row = f"{MODELS.get(str(model), model)} {FRAMEWORKS.get(str(framework), framework)}"
        energy, time = different.get((row, "pkg_j")), different.get((row, "run_time_s"))
        if energy is None or time is None or not energy.published or not time.published:
            continue
        printed_w = energy.published.value / time.published.value
        powers_w = group["pkg_j"] / group["run_time_s"]
        if not powers_w.min() <= printed_w <= powers_w.max():
            yield Remark(
                "printed-from-other-runs",
                f"{row}: the printed package energy and time make {printed_w:.1f} W; the runs in the files drew "
                f"{powers_w.min():.1f} to {powers_w.max():.1f} W: the printed row is not of these runs",
            )
