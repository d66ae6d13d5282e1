"""Whether a domain that covers others, as psys covers its packages, shows at least their energy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.energy.plausible import usual_period_s
from harness.energy.series import NS_PER_S, Floats, Ints, Series, seconds
from harness.findings.codes import Code
from harness.records import Finding

COVERED = 0.9  # of what lies inside: the two sensors differ by a few per cent
STRETCH_S = 1.0


@dataclass(frozen=True)
class _Excess:
    """A stretch in which the parts grew by more than the whole."""

    begin_ns: int
    end_ns: int
    parts_j: float
    whole_j: float


def part_exceeds_whole(series: Sequence[Series], begin_ns: int, end_ns: int) -> Iterable[Finding]:
    """Held against each other over every second of the run; where a meter says what its channel covers."""
    for whole in series:
        parts = [one for one in series if _inside(one, whole)]
        worst = max(
            _excesses(whole, parts, begin_ns, end_ns), key=lambda one: one.parts_j - one.whole_j, default=None
        )
        if worst:
            power_w = worst.parts_j / seconds(worst.begin_ns, worst.end_ns)
            yield Finding.of(
                Code.PART_EXCEEDS_WHOLE,
                f"{whole.channel.name} grew by {worst.whole_j:.4g} J while {', '.join(whole.channel.covers)}, "
                f"which it covers, grew by {worst.parts_j:.4g} J ({power_w:.4g} W), "
                f"{seconds(begin_ns, worst.begin_ns):.2f} to {seconds(begin_ns, worst.end_ns):.2f} s into the run",
            )


def _inside(one: Series, whole: Series) -> bool:
    covered = one.channel.domain in whole.channel.covers and one.channel.meter == whole.channel.meter
    return covered and one.channel.boundary and len(one.t_ns) > 1


def _excesses(whole: Series, parts: Sequence[Series], begin_ns: int, end_ns: int) -> Iterator[_Excess]:
    """The whole has two updates of each more at either end: either may show late what the other shows at once."""
    if not parts or len(whole.t_ns) < 2:
        return
    late_s = 2 * (usual_period_s(whole) + max(map(usual_period_s, parts)))
    late_ns = round(late_s * NS_PER_S)
    first_ns = max(begin_ns, int(whole.t_ns[0]) + late_ns, *(int(one.t_ns[0]) for one in parts))
    last_ns = min(end_ns, int(whole.t_ns[-1]) - late_ns, *(int(one.t_ns[-1]) for one in parts))
    if last_ns <= first_ns:
        return
    count = max(1, int(seconds(first_ns, last_ns) / max(STRETCH_S, late_s)))
    borders = np.linspace(first_ns, last_ns, count + 1).round().astype(np.int64)
    parts_j = np.sum([np.diff(_at(one, borders)) for one in parts], axis=0)
    whole_j = _at(whole, borders[1:] + late_ns) - _at(whole, borders[:-1] - late_ns)
    allowed_j = whole_j + 2 * (whole.channel.resolution or 0.0)
    for stretch in np.flatnonzero(COVERED * parts_j > allowed_j):
        span = int(borders[stretch]), int(borders[stretch + 1])
        yield _Excess(*span, float(parts_j[stretch]), float(whole_j[stretch]))


def _at(series: Series, t_ns: Ints) -> Floats:
    return np.interp(t_ns, series.t_ns, series.values)
