"""Which kinds a meter can tell apart: those that alternate faster than it updates are one to it; pure."""

from __future__ import annotations

import numpy as np

from harness.attribution.looks import StackLooks
from harness.attribution.powers import FAR, NEARBY, Intervals, around_w
from harness.energy.series import Floats, Ints

OWN = 0.7  # of an interval in which a kind is: with less, on average, it shares its intervals with others
SURE = 3.0  # standard errors
STRAIGHT = 0.5  # of the fall that a straight line would have from the neighbouring intervals to the next ones
NEXT = 2.0  # intervals away, on average: the neighbours' neighbours


def groups(intervals: Intervals, looks: StackLooks) -> Ints:
    """The number of the group of each kind [kinds]: kinds of one group cannot be told apart."""
    group = np.arange(looks.kinds)
    while (found := _worst(intervals, looks, group)) is not None:
        group = np.where(group == found[0], found[1], group)
    return np.unique(group, return_inverse=True)[1]


def _worst(intervals: Intervals, looks: StackLooks, group: Ints) -> tuple[int, int] | None:
    """The group that can least be told apart, and the one that it is mixed with most."""
    together = StackLooks(looks.t_ns, group[looks.kind], looks.kinds)
    mixed = mixing(intervals, together)
    own = np.where(mixed.any(axis=1), _told_apart(intervals, together, mixed), 1.0)
    worst = int(own.argmin())
    others = np.where(np.arange(looks.kinds) == worst, 0.0, mixed[worst])
    return (worst, int(others.argmax())) if own[worst] < OWN and others.any() else None


def mixing(intervals: Intervals, looks: StackLooks) -> Floats:
    """Of the time in which kind i is, with whom it shares its intervals: [kinds, kinds], rows of sum 1 or 0."""
    if intervals.is_faster_than(looks):
        return _followed(looks)
    shares = looks.shares(intervals.borders_ns)
    return _of_rows((shares * intervals.seconds[:, None]).T @ shares)


def _followed(looks: StackLooks) -> Floats:
    """By what the looks before and after saw: of a faster meter it tells only who comes with whom."""
    joint = np.zeros((looks.kinds, looks.kinds))
    np.add.at(joint, (looks.kind[:-1], looks.kind[1:]), 1)
    return _of_rows(joint + joint.T)


def _of_rows(joint: Floats) -> Floats:
    sums = joint.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(joint, sums, out=np.zeros_like(joint), where=sums > 0))


def _told_apart(intervals: Intervals, looks: StackLooks, mixed: Floats) -> Floats:
    """[kinds]: the share of its time in which a kind is for itself; 1 of what a fast meter sees come and go."""
    lasting = np.diagonal(_followed(looks))
    if intervals.is_faster_than(looks):
        return np.where(_comes_and_goes(intervals, looks), 1.0, lasting)
    return np.minimum(np.diagonal(mixed), lasting)


def _comes_and_goes(intervals: Intervals, looks: StackLooks) -> np.ndarray:
    """[kinds]: whether its power falls or rises along a line on the way from a look, surely and not by chance."""
    own, beside, farther = (around_w(intervals, looks, away) for away in (0, 1, 2))
    first, scatter = _of_kinds(looks, own - beside)
    second, _ = _of_kinds(looks, beside - farther)
    straight = second * (FAR - NEARBY) / (NEXT - FAR) * np.sign(first)
    return (np.abs(first) > SURE * scatter) & (straight >= STRAIGHT * np.abs(first))


def _of_kinds(looks: StackLooks, values: Floats) -> tuple[Floats, Floats]:
    """The mean of each kind, and its standard error: [kinds]."""
    count = np.maximum(1, np.bincount(looks.kind, minlength=looks.kinds))
    mean = looks.sums(values) / count
    return mean, np.sqrt(looks.sums((values - mean[looks.kind]) ** 2)) / count
