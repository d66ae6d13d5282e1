"""When an adaptive campaign may stop: repeated intervals whose error is held over all looks together (rule R34).

After every look the interval of a ratio is that of a t-test with the critical value of `boundaries`: wider than that
of a fixed campaign, and valid however often one looks. Source of repeated intervals: Jennison and Turnbull 1989,
J. R. Stat. Soc. B 51:305.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import scipy

from harness.analysis.boundaries import SPENDING, critical_t
from harness.analysis.compare import Ratio
from harness.analysis.intervals import mean_and_error
from harness.analysis.pairs import ALL_ALIKE, NO_SPREAD
from harness.analysis.verdict import MARGIN, Flags, Floats, Verdict, judge, log_margin
from harness.errors import UsageError
from harness.suggest import unknown

METHOD = "group-sequential t-test on paired log differences, exact boundaries, Lan-DeMets spending"
FIRST_LOOK = 3  # blocks; two leave one degree of freedom
LEAST_ALPHA = 1e-7  # 5 % shared out over more ratios than any campaign has
TOO_FEW = "too few blocks for the first look"


@dataclass(frozen=True)
class Schedule:
    """`looks`: after how many complete blocks one looks, rising; the last ends the campaign.

    `alpha`: the probability over all looks together of an interval that misses the truth, and of `equivalent` at the
    edge of the margin. `spending`: a name of SPENDING. Stored with the campaign, before its first run.
    Raises: UsageError.
    """

    looks: tuple[int, ...]
    alpha: float = 0.05
    spending: str = "pocock"

    def __post_init__(self) -> None:
        if not self.looks or self.looks[0] < 2 or list(self.looks) != sorted(set(self.looks)):
            raise UsageError(f"looks are rising numbers of blocks from 2 on, not {list(self.looks)}")
        if not LEAST_ALPHA <= self.alpha < 0.5:
            raise UsageError(f"alpha lies between {LEAST_ALPHA:g} and 0.5, not {self.alpha:g}")
        if self.spending not in SPENDING:
            raise UsageError(unknown("spending", self.spending, SPENDING))

    @property
    def method(self) -> str:
        return f"{METHOD} ({self.spending})"


def every_block(most: int, first: int = FIRST_LOOK, alpha: float = 0.05) -> Schedule:
    """Looks after every block from the `first` to the last possible one."""
    return Schedule(tuple(range(first, most + 1)), alpha)


class Decision(StrEnum):
    """Why a campaign stops, for one ratio."""

    GO_ON = "go on"
    VERDICT = "verdict reached"
    PRECISE = "interval within the margin"
    LAST = "last look"


@dataclass(frozen=True)
class Look:
    """The look that decided, else the latest one: its adjusted ratio stands, whatever later blocks say."""

    ratio: Ratio
    decision: Decision


def follow(
    differences: Floats,
    schedule: Schedule,
    margin: float = MARGIN,
    measured: Floats | None = None,
    resolution: float = 0.0,
) -> Look:
    """`differences`: log(treatment / reference) of the complete blocks so far, in their order, at least one.

    Stops at the first look with a verdict other than inconclusive, or whose interval reaches no further than the
    margin to each side of the ratio. `measured`, `resolution`: as in harness.analysis.pairs.
    """
    if len(differences) < schedule.looks[0]:
        mean = float(np.exp(differences.mean()))
        return Look(Ratio(mean, None, None, len(differences), margin, reason=TOO_FEW), Decision.GO_ON)
    path = walk(differences, schedule, margin, measured, resolution)
    at = int(path.first)
    ratio = _ratio(path, at, schedule.looks[at], margin)
    return Look(ratio, _decision(ratio, path.stops[at], at + 1 == len(schedule.looks)))


def _ratio(path: Path, at: int, blocks: int, margin: float) -> Ratio:
    low, mean, high = (float(np.exp(one[at])) for one in (path.low, path.mean, path.high))
    if np.isnan(low):
        return Ratio(mean, None, None, blocks, margin, reason=ALL_ALIKE)
    equivalent, scatter, measured = bool(path.equivalent[at]), float(path.scatter[at]), path.measured
    return Ratio(
        mean,
        low,
        high,
        blocks,
        margin,
        equivalent,
        scatter,
        None if measured is None else float(measured[at]),
    )


def _decision(ratio: Ratio, stops: bool, last: bool) -> Decision:
    if ratio.verdict is not Verdict.INCONCLUSIVE:
        return Decision.VERDICT
    if stops:
        return Decision.PRECISE
    return Decision.LAST if last else Decision.GO_ON


@dataclass(frozen=True)
class Path:
    """What each look showed, on logarithms: arrays of shape (..., looks so far)."""

    mean: Floats
    low: Floats
    high: Floats
    equivalent: Flags
    verdicts: npt.NDArray[np.str_]
    stops: Flags
    scatter: Floats
    measured: Floats | None

    @property
    def first(self) -> npt.NDArray[np.intp]:
        """Index of the look that stops; of the latest one where none does."""
        latest = self.stops.shape[-1] - 1
        return np.asarray(np.where(self.stops.any(-1), self.stops.argmax(-1), latest), dtype=np.intp)


def walk(
    differences: Floats,
    schedule: Schedule,
    margin: float = MARGIN,
    measured: Floats | None = None,
    resolution: float = 0.0,
) -> Path:
    """`differences`: shape (..., blocks), one campaign or many; the looks at which there are enough blocks.

    `measured`: of the same shape, the standard uncertainty that measuring leaves in each. Blocks that are all alike
    prove nothing: their intervals are nan.
    """
    mean, error = means_and_errors(differences, schedule, resolution)
    uncertain = None if measured is None else _of_means(measured, schedule)
    both, single = (half_widths(error, schedule, sides, uncertain) for sides in (2, 1))
    shown = np.abs(mean) + single <= log_margin(margin)
    scatter = critical(schedule, 2)[: mean.shape[-1]] * error
    return Path(
        mean, mean - both, mean + both, shown, judge(mean - both, mean + both, shown),
        stopping(mean, both, shown, margin), scatter, None if uncertain is None else np.sqrt(both**2 - scatter**2),
    )  # fmt: skip


def means_and_errors(
    differences: Floats, schedule: Schedule, resolution: float = 0.0
) -> tuple[Floats, Floats]:
    """Of the blocks up to each look, shape (..., looks); the error is nan where less than a step spreads."""
    looks = [n for n in schedule.looks if n <= differences.shape[-1]]
    if not looks:
        empty = np.empty((*differences.shape[:-1], 0))
        return empty, empty
    parts = [mean_and_error(differences[..., :n]) for n in looks]
    mean, error = (np.stack(one, -1) for one in zip(*parts, strict=True))
    spread = np.stack([np.ptp(differences[..., :n], axis=-1) for n in looks], -1)
    return mean, np.where(spread <= max(NO_SPREAD, resolution), np.nan, error)


def _of_means(measured: Floats, schedule: Schedule) -> Floats:
    looks = np.array([n for n in schedule.looks if n <= measured.shape[-1]], dtype=np.intp)
    return np.asarray(np.sqrt(np.square(measured).cumsum(-1)[..., looks - 1]) / looks)


def half_widths(error: Floats, schedule: Schedule, sides: int, measured: Floats | None = None) -> Floats:
    """Of the intervals at each look: scatter and, in quadrature, what measuring leaves, at the same tail."""
    seen = error.shape[-1]
    t = critical(schedule, sides)[:seen]
    if measured is None:
        return np.asarray(t * error)
    tail = scipy.special.stdtr(
        np.array(schedule.looks[:seen]) - 1, -t
    )  # as scipy.stats.t.sf, without its care
    z = -scipy.special.ndtri(tail)
    return np.asarray(np.hypot(t * error, z * measured))


def stopping(mean: Floats, half: Floats, equivalent: Flags, margin: float) -> Flags:
    """Whether a look ends the campaign for this ratio: a verdict, or an interval within the margin to each side."""
    return np.asarray(equivalent | (np.abs(mean) > half) | (half <= log_margin(margin)))


def critical(schedule: Schedule, sides: int) -> Floats:
    """t by look."""
    return np.array(critical_t(schedule.looks, schedule.alpha, schedule.spending, sides))
