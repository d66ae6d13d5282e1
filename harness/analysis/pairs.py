"""Two treatments in one quantity, block by block: what a ratio is told from (rule R31)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np
import pandas as pd

from harness.analysis.replicates import BLOCKS, SINGLE, Replicates
from harness.analysis.verdict import Floats
from harness.energy.series import COVERAGE, Ints
from harness.findings.codes import Code

NO_SPREAD = 1e-12  # of logarithms: what rounding alone may leave of equal values
ONE_OF = "one {}: an interval needs two"
ONE_BLOCK = ONE_OF.format(SINGLE[BLOCKS])
ALL_ALIKE = f"{Code.NO_SPREAD}: every block has the same ratio, so nothing says how sure it is"
BELOW_RESOLUTION = (
    f"{Code.NO_SPREAD}: the blocks differ by less than a step of the meter, so nothing says how sure it is"
)


@dataclass(frozen=True)
class Pair:
    """Of the blocks with both values, in their order; arrays of one length.

    Of a merged campaign, of its nodes or sessions, by their numbers (`kind`: harness.analysis.replicates).
    `differences`: log(treatment / reference). `measured`: the standard uncertainty that measuring alone leaves in each
    (harness.energy.series), None where that of some run is unknown. `resolution`: what one step of the values changes.
    """

    differences: Floats
    blocks: tuple[int, ...]
    measured: Floats | None = None
    resolution: float = 0.0
    kind: str = BLOCKS

    @property
    def mean_measured(self) -> float | None:
        """Of the mean difference: what measuring leaves is independent from run to run."""
        if self.measured is None:
            return None
        return float(np.sqrt(np.square(self.measured).sum())) / len(self.measured)

    @property
    def unspread(self) -> str:
        """Why the spread of the differences is no measure of how sure their mean is; empty where it is one."""
        return unspread(self.differences, self.resolution, self.kind)

    def without(self, place: int) -> Pair:
        """All blocks but one, by its place."""
        measured = None if self.measured is None else np.delete(self.measured, place)
        blocks = self.blocks[:place] + self.blocks[place + 1 :]
        return Pair(np.delete(self.differences, place), blocks, measured, self.resolution, self.kind)

    def over(self, several: Replicates | None) -> Pair:
        """Of the nodes or sessions in which these blocks ran; itself where there are none."""
        if several is None:
            return self
        measured = None if self.measured is None else several.in_quadrature(self.measured)
        numbers, means = tuple(several.numbers.tolist()), several.means(self.differences)
        return Pair(means, numbers, measured, self.resolution, several.kind)


def unspread(differences: Floats, resolution: float = 0.0, kind: str = BLOCKS) -> str:
    """See Pair.unspread."""
    if len(differences) < 2:
        return ONE_OF.format(SINGLE[kind])
    spread = float(np.ptp(differences))
    if spread <= NO_SPREAD:
        return ALL_ALIKE
    return BELOW_RESOLUTION if spread < resolution else ""


@dataclass(frozen=True)
class BlockLogs:
    """Of one treatment: logarithms by block, rising; several runs of a block are their mean. nan: not positive.

    `measured`, `step`: of each, as shares; nan where unknown. `replicates`: of a merged campaign, where each ran.
    """

    blocks: Ints
    logs: Floats
    measured: Floats
    step: Floats
    replicates: Replicates | None = None

    def over(self, reference: BlockLogs) -> Pair | None:
        """Against another treatment's; None without a common block, or where a value is not positive."""
        found = self.by_block(reference)
        return None if found is None else found[0].over(found[1])

    def by_block(self, reference: BlockLogs) -> tuple[Pair, Replicates | None] | None:
        """The same block by block, and where these ran."""
        blocks, mine, other = np.intersect1d(
            self.blocks, reference.blocks, assume_unique=True, return_indices=True
        )
        differences = self.logs[mine] - reference.logs[other]
        if not len(blocks) or np.isnan(differences).any():
            return None
        pair = Pair(
            differences,
            tuple(blocks.tolist()),
            _together(self.measured[mine], reference.measured[other]),
            _largest(self.step[mine]) + _largest(reference.step[other]),
        )
        return pair, None if self.replicates is None else self.replicates.take(mine)

    @property
    def alone(self) -> Pair | None:
        """By itself, as if against 1; None without a block, or where a value is not positive."""
        if not len(self.blocks) or np.isnan(self.logs).any():
            return None
        pair = Pair(self.logs, tuple(self.blocks.tolist()), _together(self.measured), _largest(self.step))
        return pair.over(self.replicates)


def block_logs(
    runs: pd.DataFrame,
    quantity: str,
    uncertainty: tuple[str, str] | None = None,
    resolution: tuple[str, str] | None = None,
) -> BlockLogs:
    """`runs` are of one treatment (RUN_COLUMNS).

    `uncertainty`: columns of a half-width of 95 % and of what it belongs to; `resolution`: likewise of a step.
    """
    values = runs[quantity].to_numpy(dtype=np.float64)
    known = ~np.isnan(values)
    blocks, first, groups = np.unique(runs["block"].to_numpy()[known], return_index=True, return_inverse=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(values > 0, np.log(values), np.nan)[known]
    shares = [_share(runs, columns)[known] for columns in (uncertainty, resolution)]
    squares = [np.sqrt(_mean(one**2, groups, len(blocks))) for one in shares]
    return BlockLogs(
        blocks.astype(np.int64),
        _mean(logs, groups, len(blocks)),
        squares[0] / COVERAGE,
        squares[1],
        Replicates.among(runs, np.flatnonzero(known)[first]),
    )


def _share(runs: pd.DataFrame, columns: tuple[str, str] | None) -> Floats:
    if columns is None or columns[0] not in runs:
        return np.full(len(runs), np.nan)
    one, other = (runs[name].to_numpy(dtype=np.float64) for name in columns)
    return np.asarray(np.divide(one, other, out=np.full(len(runs), np.nan), where=other > 0))


def _mean(values: Floats, groups: Ints, count: int) -> Floats:
    """Of each group; nan where one value is."""
    return np.asarray(
        np.bincount(groups, values, count) / np.maximum(np.bincount(groups, minlength=count), 1)
    )


def _together(*several: Floats) -> Floats | None:
    """In quadrature; what is unknown of some is taken for the largest that is known, and None if nothing is."""
    every = np.stack(several)
    if np.isnan(every).all():
        return None
    return np.asarray(reduce(np.hypot, np.where(np.isnan(every), np.nanmax(every), every)))


def _largest(steps: Floats) -> float:
    known = steps[~np.isnan(steps)]
    return float(known.max()) if len(known) else 0.0


def by_block(runs: pd.DataFrame, quantity: str) -> pd.Series:
    """One value per block, indexed by block: the replicate is a run (rule R30), and a block holds one of each.

    Geometric over the runs of a block; null where one of them is not positive. Of a merged campaign, one per node or
    session.
    """
    found = block_logs(runs, quantity)
    if found.replicates is not None:
        values = np.exp(found.replicates.means(found.logs))
        numbers = pd.Index(found.replicates.numbers, name=SINGLE[found.replicates.kind])
        return pd.Series(values, numbers, name=quantity)
    return pd.Series(np.exp(found.logs), pd.Index(found.blocks, name="block"), name=quantity)
