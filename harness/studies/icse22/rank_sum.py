"""The p and A12 of Tables 2 and 3: PyTorch's ten runs against TensorFlow's ten, in each quantity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
import scipy

from harness.analysis.effects import a12
from harness.energy.series import Floats
from harness.studies.base import PrintedCell, Remark, printed
from harness.studies.icse22.runs import FRAMEWORKS, MODELS, QUANTITIES
from harness.studies.matching import Printed, rule

TABLES = {"train": "2", "infer": "3"}
A12_DECIMALS = 1  # "1" among ".9" is 1.0
COLUMNS = ["stage", "model", "quantity", "p", "a12"]
# What the text leaves open of a rank-sum test, and the test of pairs that it names.
VARIANTS = {
    "rank-sum, normal approximation with continuity correction": ("asymptotic", True),
    "rank-sum, normal approximation without": ("asymptotic", False),
    "rank-sum, exact": ("exact", False),
}
SIGNED_RANK = "signed-rank of pairs"
RUNS = 10  # of each


def rank_sum_p(
    pytorch: Floats, tensorflow: Floats, method: str = "asymptotic", corrected: bool = True
) -> float:
    """Two-sided. By default as most tools compute it for ten against ten: the normal approximation, corrected."""
    return float(
        scipy.stats.mannwhitneyu(pytorch, tensorflow, method=method, use_continuity=corrected).pvalue
    )


def groups(runs: pd.DataFrame, quantity: str) -> tuple[Floats, Floats]:
    """PyTorch's values and TensorFlow's, in the order of their repetitions."""
    both = [np.asarray(runs[runs["framework"] == one][quantity], dtype=np.float64) for one in FRAMEWORKS]
    return both[0], both[1]


def comparisons(runs: pd.DataFrame) -> pd.DataFrame:
    """COLUMNS: p of the rank-sum test, a12 of PyTorch over TensorFlow; where both have runs."""
    rows = []
    for (stage, model), inside in runs.groupby(["stage", "model"]):
        for quantity in QUANTITIES:
            pytorch, tensorflow = groups(inside, quantity)
            if len(pytorch) and len(tensorflow):
                p, share = rank_sum_p(pytorch, tensorflow), a12(pytorch, tensorflow)
                rows.append((stage, model, quantity, p, share))
    return pd.DataFrame(rows, columns=COLUMNS)


def cells(runs: pd.DataFrame) -> Iterator[PrintedCell]:
    known = {tuple(row[:3]): row[3:] for row in printed("icse22_tests.csv").to_numpy().tolist()}
    for stage, model, quantity, p, share in comparisons(runs).itertuples(index=False):
        table, row = TABLES[stage], MODELS.get(model, model)
        texts = known.get((stage, model, quantity))
        p_printed, share_printed = map(Printed.of, texts) if texts else (None, None)
        yield PrintedCell(table, row, f"p {quantity}", p_printed, p, "")
        yield PrintedCell(
            table, row, f"A12 {quantity}", share_printed, share, "", folded=True, decimals=A12_DECIMALS
        )


def which_test(runs: pd.DataFrame) -> Iterator[Remark]:
    """How many of the printed p each test gives."""
    known = printed("icse22_tests.csv")
    given = dict.fromkeys([*VARIANTS, SIGNED_RANK], 0)
    of = 0
    for stage, model, quantity, p, _ in known.to_numpy():
        inside = runs[(runs["stage"] == stage) & (runs["model"] == model)]
        pytorch, tensorflow = groups(inside, quantity)
        if not len(pytorch) or len(pytorch) != len(tensorflow):
            continue
        of += 1
        for name, found in _every_p(pytorch, tensorflow).items():
            given[name] += rule(Printed.of(p), found) is not None
    if of:
        counts = "; ".join(f"{name}: {number}" for name, number in given.items())
        yield Remark("which-test", f"of {of} printed p, each test gives: {counts}")


def _every_p(pytorch: Floats, tensorflow: Floats) -> dict[str, float]:
    found = {name: rank_sum_p(pytorch, tensorflow, *how) for name, how in VARIANTS.items()}
    return {**found, SIGNED_RANK: float(scipy.stats.wilcoxon(pytorch, tensorflow).pvalue)}


def of_other_runs(runs: pd.DataFrame) -> Iterator[Remark]:
    """A printed p and A12 that the files do not give may still belong together: then they are of other runs."""
    found = {tuple(row[:3]): row[3:] for row in comparisons(runs).to_numpy().tolist()}
    for stage, model, quantity, p, share in printed("icse22_tests.csv").to_numpy():
        if (stage, model, quantity) not in found:
            continue
        p_ours, share_ours = found[stage, model, quantity]
        p_printed, share_printed = Printed.of(p), Printed.of(share).with_decimals(A12_DECIMALS)
        if rule(p_printed, p_ours) or rule(share_printed, share_ours, folded=True):
            continue
        sizes = {
            len(group)
            for group in groups(runs[(runs["stage"] == stage) & (runs["model"] == model)], quantity)
        }
        wins = _both(p_printed, share_printed) if sizes == {RUNS} else []
        together = (
            f"they belong together: ten runs of which {wins[0]} to {wins[-1]} of 100 pairs are dearer give both, so "
            "they are of other runs"
            if wins
            else "no ten runs of each without ties are known to give both"
        )
        yield Remark(
            "test-from-other-runs",
            f"{MODELS[model]} {quantity}: p {p} and A12 {share} are printed, the files give {p_ours:.2g} and "
            f"{share_ours:.3g}; {together}",
        )


def _both(p: Printed, share: Printed) -> list[int]:
    """How many of the hundred pairs of ten and ten may be dearer, for both printed values to follow."""
    found = []
    for wins in range(50, 101):
        first: Floats = 10.0 * np.arange(10, dtype=np.float64)
        second = _with_wins(wins)
        if rule(p, rank_sum_p(first, second)) and rule(share, wins / 100):
            found.append(wins)
    return found


def _with_wins(wins: int) -> Floats:
    """Ten values, none of them a multiple of ten, above which `wins` of the hundred pairs with 0, 10, ... 90 lie."""
    whole, rest = divmod(wins, 10)
    levels = [10 * (10 - whole) - 5.0] * 10
    for one in range(rest):
        levels[one] -= 10
    values: Floats = np.array(levels, dtype=np.float64) + 1e-3 * np.arange(10)
    return values
