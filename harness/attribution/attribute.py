"""Whose joules a run's are: of each kind of thing seen on its stack, with intervals and what stays unknown; pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from harness.attribution.given import give_out
from harness.attribution.looks import StackLooks
from harness.attribution.powers import Intervals, powers_w
from harness.attribution.resolved import groups
from harness.attribution.seen_phases import SeenPhases
from harness.energy.series import COVERAGE, NS_PER_S, Floats, Ints

REDRAWN = 100  # bootstrap
NO_PHASES = SeenPhases()
FEWEST = 2  # looks, of which one cannot tell how long it stands for


@dataclass(frozen=True)
class Shares:
    """Joules and the half-widths of their 95 % intervals, both of the same shape."""

    joules: Floats
    half_widths_j: Floats


@dataclass(frozen=True)
class Attribution:
    """Joules of kinds and the half-widths of their 95 % intervals [kinds]; of the looks inside what was read [n].

    Kinds of the same `group` [kinds] cannot be told apart. joules.sum() + idle_j + nobody_j is all that was read.
    `groups` [groups], `phases` [phases] and `in_phases` [phases, kinds] part the same joules otherwise.
    """

    joules: Floats
    half_widths_j: Floats
    groups: Shares
    phases: Shares
    in_phases: Shares
    seconds: Floats
    group: Ints
    of_looks_j: Floats
    idle_j: float
    nobody_j: float

    @property
    def total_j(self) -> float:
        return float(self.joules.sum()) + self.idle_j + self.nobody_j


def attribute(
    read: Intervals,
    looks: StackLooks,
    *,
    idle_w: float = 0.0,
    meter_share: float = 0.0,
    redrawn: int = REDRAWN,
    phases: SeenPhases = NO_PHASES,
) -> Attribution:
    """`meter_share`: the half-width of the run's whole energy, over that energy: what the meter itself leaves unsure.

    Kinds of one group share theirs as if they had the same power. `phases`: of the run, as SeenPhases.names has them.
    """
    idle_w = _at_most_read(idle_w, read)
    active = replace(read, joules=read.joules - idle_w * read.seconds)
    inside = looks.between(read.borders_ns[0], read.borders_ns[-1])
    if len(inside.t_ns) < FEWEST:
        inside = looks.between(0, 0)
    group = groups(active, inside)
    given = give_out(active, inside, _powers_w(active, inside, group))
    generator, at = np.random.default_rng(0), phases.at(inside.t_ns)
    count = len(phases.names)
    drawn = (inside.redrawn(generator, at) for _ in range(redrawn))
    several = np.array([_parted(active, one, group, its, count) for one, its in drawn])
    found = inside.parted(given.joules, at, count)
    of_kinds, of_phases, of_both = (
        _shares(found.sum(axis), several.sum(tuple(one + 1 for one in axis)), meter_share)
        for axis in ((0,), (1,), ())
    )
    return Attribution(
        joules=of_kinds.joules,
        half_widths_j=of_kinds.half_widths_j,
        groups=_of_groups(found.sum(0), several.sum(1), group, meter_share),
        phases=of_phases,
        in_phases=of_both,
        seconds=inside.seconds_of_kinds,
        group=group,
        of_looks_j=given.joules,
        idle_j=idle_w * float(np.diff(read.borders_ns[[0, -1]])[0]) / NS_PER_S,
        nobody_j=given.nobody_j,
    )


def _at_most_read(idle_w: float, read: Intervals) -> float:
    """A baseline of a busier machine than the run's own: at rest it cannot have used more than all."""
    seconds = float(read.seconds.sum())
    return min(idle_w, float(read.joules.sum()) / seconds) if seconds > 0 else idle_w


def _shares(joules: Floats, several: Floats, meter_share: float) -> Shares:
    """`several`: the same as they might have been, one after the other."""
    return Shares(joules, np.hypot(COVERAGE * several.std(axis=0), meter_share * joules))


def _of_groups(joules: Floats, several: Floats, group: Ints, meter_share: float) -> Shares:
    """Of joules of kinds [kinds], [redrawn, kinds]."""
    member = np.eye(int(group.max(initial=0)) + 1)[group]
    return _shares(joules @ member, several @ member, meter_share)


def _parted(active: Intervals, looks: StackLooks, group: Ints, at: Ints, phases: int) -> Floats:
    """[phases, kinds]."""
    return looks.parted(give_out(active, looks, _powers_w(active, looks, group)).joules, at, phases)


def _powers_w(active: Intervals, looks: StackLooks, group: Ints) -> Floats:
    """[kinds]."""
    return powers_w(active, replace(looks, kind=group[looks.kind], kinds=int(group.max(initial=0)) + 1))[
        group
    ]
