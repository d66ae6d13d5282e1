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

from harness.analysis.boundaries import SPENDING, critical_t
from harness.analysis.compare import Ratio
from harness.analysis.intervals import mean_and_error
from harness.analysis.verdict import MARGIN, Flags, Floats, Verdict, judge, log_margin
from harness.errors import UsageError
from harness.suggest import unknown

METHOD = "group-sequential t-test on paired log differences, exact boundaries, Lan-DeMets spending"
FIRST_LOOK = 3  # blocks; two leave one degree of freedom


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
        if not 0 < self.alpha < 0.5:
            raise UsageError(f"alpha lies between 0 and 0.5, not {self.alpha:g}")
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


def follow(differences: Floats, schedule: Schedule, margin: float = MARGIN) -> Look:
    """`differences`: log(treatment / reference) of the complete blocks so far, in their order, at least one.

    Stops at the first look with a verdict other than inconclusive, or whose interval reaches no further than the
    margin to each side of the ratio.
    """
    path = walk(differences, schedule, margin)
    seen = path.stops.shape[-1]
    if not seen:
        return Look(
            Ratio(float(np.exp(differences.mean())), None, None, len(differences), margin), Decision.GO_ON
        )
    at = int(path.first)
    low, mean, high = (float(np.exp(one[at])) for one in (path.low, path.mean, path.high))
    ratio = Ratio(mean, low, high, schedule.looks[at], margin, bool(path.equivalent[at]))
    return Look(ratio, _decision(ratio, path.stops[at], at + 1 == len(schedule.looks)))


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

    @property
    def first(self) -> npt.NDArray[np.intp]:
        """Index of the look that stops; of the latest one where none does."""
        latest = self.stops.shape[-1] - 1
        return np.asarray(np.where(self.stops.any(-1), self.stops.argmax(-1), latest), dtype=np.intp)


def walk(differences: Floats, schedule: Schedule, margin: float = MARGIN) -> Path:
    """`differences`: shape (..., blocks), one campaign or many; the looks at which there are enough blocks."""
    looks = [n for n in schedule.looks if n <= differences.shape[-1]]
    edge, empty = log_margin(margin), np.empty((*differences.shape[:-1], 0))
    parts = [mean_and_error(differences[..., :n]) for n in looks]
    mean, error = (np.stack(one, -1) for one in zip(*parts, strict=True)) if parts else (empty, empty)
    half = _critical(schedule, sides=2)[: len(looks)] * error
    reach = _critical(schedule, sides=1)[: len(looks)] * error
    shown = np.abs(mean) + reach < edge
    verdicts = judge(mean - half, mean + half, shown)
    stops = (verdicts != Verdict.INCONCLUSIVE) | (half <= edge)
    return Path(mean, mean - half, mean + half, shown, verdicts, stops)


def _critical(schedule: Schedule, sides: int) -> Floats:
    return np.array(critical_t(schedule.looks, schedule.alpha, schedule.spending, sides))
