"""Two treatments in one quantity, block by block: what a ratio is told from (rule R31)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from harness.analysis.verdict import Floats
from harness.series import COVERAGE

NO_SPREAD = 1e-12  # of logarithms: what rounding alone may leave of equal values
ONE_BLOCK = "one block: an interval needs two"
UNSPREAD = "no-spread"  # the code of what withholds a verdict
ALL_ALIKE = f"{UNSPREAD}: every block has the same ratio, so nothing says how sure it is"
BELOW_RESOLUTION = (
    f"{UNSPREAD}: the blocks differ by less than a step of the meter, so nothing says how sure it is"
)


@dataclass(frozen=True)
class Pair:
    """Of the blocks with both values, in their order; arrays of one length.

    `differences`: log(treatment / reference). `measured`: the standard uncertainty that measuring alone leaves in each
    (harness.series), None where that of some run is unknown. `resolution`: what one step of the values changes.
    """

    differences: Floats
    blocks: tuple[int, ...]
    measured: Floats | None = None
    resolution: float = 0.0

    @property
    def mean_measured(self) -> float | None:
        """Of the mean difference: what measuring leaves is independent from run to run."""
        if self.measured is None:
            return None
        return float(np.sqrt(np.square(self.measured).sum())) / len(self.measured)

    @property
    def unspread(self) -> str:
        """Why the spread of the differences is no measure of how sure their mean is; empty where it is one."""
        return unspread(self.differences, self.resolution)

    def without(self, place: int) -> Pair:
        """All blocks but one, by its place."""
        measured = None if self.measured is None else np.delete(self.measured, place)
        blocks = self.blocks[:place] + self.blocks[place + 1 :]
        return Pair(np.delete(self.differences, place), blocks, measured, self.resolution)


def unspread(differences: Floats, resolution: float = 0.0) -> str:
    """See Pair.unspread."""
    if len(differences) < 2:
        return ONE_BLOCK
    spread = float(np.ptp(differences))
    if spread <= NO_SPREAD:
        return ALL_ALIKE
    return BELOW_RESOLUTION if spread < resolution else ""


def log_differences(treatment: pd.Series, reference: pd.Series) -> Floats | None:
    """log(treatment / reference) of the blocks with both values, in the blocks' order; both indexed by block.

    None without a common block, or where a value is not positive.
    """
    found = _pair(treatment, reference)
    return None if found is None else found.differences


def pair_of(
    treatment: pd.DataFrame,
    reference: pd.DataFrame,
    quantity: str,
    uncertainty: tuple[str, str] | None = None,
    resolution: tuple[str, str] | None = None,
) -> Pair | None:
    """Both are frames of runs (RUN_COLUMNS). None without a common block, or where a value is not positive.

    `uncertainty`: columns of a half-width of 95 % and of what it belongs to; `resolution`: likewise of a step.
    """
    found = _pair(by_block(treatment, quantity), by_block(reference, quantity))
    if found is None:
        return None
    sides = (treatment, reference)
    errors = [_relative(runs, uncertainty, found.blocks) for runs in sides] if uncertainty else []
    steps = [_relative(runs, resolution, found.blocks) for runs in sides] if resolution else []
    return Pair(
        found.differences,
        found.blocks,
        np.hypot(*errors) / COVERAGE if errors and all(np.isfinite(one).all() for one in errors) else None,
        float(np.nansum([np.nanmax(one) for one in steps if np.isfinite(one).any()])),
    )


def _pair(treatment: pd.Series, reference: pd.Series) -> Pair | None:
    blocks = treatment.index.intersection(reference.index).sort_values()
    one, other = (series.reindex(blocks).to_numpy(dtype=np.float64) for series in (treatment, reference))
    if not len(blocks) or (one <= 0).any() or (other <= 0).any():
        return None
    return Pair(np.log(one / other), tuple(map(int, blocks)))


def _relative(runs: pd.DataFrame, columns: tuple[str, str], blocks: tuple[int, ...]) -> Floats:
    """A column over another, by block; nan where unknown. Several runs of a block have the root of the mean square."""
    if columns[0] not in runs:
        return np.full(len(blocks), np.nan)
    shares = (runs[columns[0]] / runs[columns[1]]).astype("float64") ** 2
    means = _means(shares, runs["block"]).reindex(list(blocks))
    return np.asarray(np.sqrt(means.to_numpy(dtype=np.float64)))


def by_block(runs: pd.DataFrame, quantity: str) -> pd.Series:
    """One value per block, indexed by block: the replicate is a run (rule R30), and a block holds one of each.

    Geometric over the runs of a block; null where one of them is not positive.
    """
    known = runs.dropna(subset=[quantity])
    values = known[quantity].astype("float64")
    logs = values.where(values > 0).transform(np.log)
    return _means(logs, known["block"]).transform(np.exp).rename(quantity)


def _means(values: pd.Series, blocks: pd.Series) -> pd.Series:
    """By block; null where one value is."""
    if blocks.is_unique:  # as it nearly always is, and a hundred times faster
        return values.set_axis(blocks)
    return values.groupby(blocks).agg(lambda one: one.mean(skipna=False))
