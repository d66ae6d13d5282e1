"""Campaigns that stop as soon as their ratios are known, with the error of looking again and again under control."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from harness.analysis.compare import Ratio, mixed
from harness.analysis.groups import Group, grouped, groups_of, name_of
from harness.analysis.judging import Judge, Judgement, judge
from harness.analysis.multiplicity import ALL_LOOKS, SIMULTANEOUS
from harness.analysis.pairs import Pair
from harness.analysis.quantities import leads
from harness.analysis.quantity import Quantity
from harness.analysis.reference import fitting
from harness.analysis.robust import Checks, own_alpha, sign_flip_interval
from harness.analysis.sequential import (
    FIRST_LOOK,
    Decision,
    Look,
    Schedule,
    critical,
    every_block,
    follow,
)
from harness.analysis.simultaneous import ALPHA
from harness.analysis.tables import Tables, measured
from harness.analysis.unbiased import median_unbiased
from harness.analysis.verdict import MARGIN, log_margin
from harness.errors import UsageError
from harness.records import DecidedRatio, Opening, StopRecord, Treatment, Until
from harness.records.plan import MOST_LOOKS
from harness.records.planned import Work
from harness.store import Campaign

FEWEST_BLOCKS = FIRST_LOOK
USUAL_MARGIN = MARGIN


OPENING_SHARE = 0.5  # of the error, for the work that shall tell something before all others


def declare(
    treatments: Iterable[Treatment],
    margin: float,
    most: int,
    reference: str | None = None,
    opening: Work | None = None,
) -> Until:
    """The rule of a campaign to come, of at most so many blocks. `reference` as the report's; None: the first one.

    Its error of 5 % is spent over all ratios that decide (Bonferroni), and over the looks of each: in equal parts, but
    that the ratios of the `opening` have half of it where they are fewer than half.
    Raises: UsageError for a margin or a reference that cannot be, or where no two treatments do the same work.
    """
    treatments = list(treatments)
    ratios = {one.work: len(leads()) * (len(one.treatments) - 1) for one in grouped(treatments)}
    if not any(ratios.values()):
        raise UsageError(
            "--until compares treatments of the same work: name a second framework, or a second version"
        )
    if most > MOST_LOOKS:
        raise UsageError(f"-r {most}: at most {MOST_LOOKS} blocks where each is looked at")
    names = tuple(dict.fromkeys(name_of(one) for one in treatments))
    alpha, own = _shared_out(ratios, opening)
    schedule = every_block(most, alpha=alpha)
    return Until(
        margin=margin,
        quantities=tuple(one.name for one in leads()),
        reference=names[0] if reference is None else fitting(reference, names),
        method=schedule.method,
        looks=schedule.looks,
        alpha=schedule.alpha,
        spending=schedule.spending,
        opening=own,
    )


def _shared_out(ratios: Mapping[Work, int], opening: Work | None) -> tuple[float, Opening | None]:
    """The error of a ratio, and of one of the opening's, from how many ratios each work has."""
    every, first = sum(ratios.values()), ratios.get(opening, 0) if opening else 0
    if opening is None or not 0 < first < OPENING_SHARE * every:
        return ALPHA / every, None
    own = Opening(work=opening, alpha=ALPHA * OPENING_SHARE / first)
    return ALPHA * (1 - OPENING_SHARE) / (every - first), own


def schedule_of(until: Until, work: Work) -> Schedule:
    return Schedule(until.looks, until.alpha_of(work), until.spending)


def margin(until: Until | None, asked: float | None) -> float:
    """The margin of a campaign's verdicts. Raises: UsageError for one that cannot be, or that was not declared."""
    if until is None:
        chosen = MARGIN if asked is None else asked
        log_margin(chosen)
        return chosen
    if asked not in (None, until.margin):
        raise UsageError(
            f"the campaign declared a margin of {until.margin:.3g} before its first run; it stands"
        )
    return until.margin


def judge_of(until: Until | None, errors: str, margin: float) -> Callable[[Work], Judge]:
    """How a work's ratios are told; where a campaign might have stopped earlier, by intervals adjusted for its looks.

    Its errors were shared out before the first run. Raises: UsageError for another way to hold them.
    """
    if until is None:
        alike = judge(errors, margin)
        return lambda work: alike
    if errors != SIMULTANEOUS:
        raise UsageError("the campaign declared how errors are held before its first run; it stands")
    return lambda work: partial(_judged, schedule=schedule_of(until, work), margin=margin)


def _judged(pairs: Sequence[Pair], comparisons: int, schedule: Schedule, margin: float) -> list[Judgement]:
    family = max(1, round(ALPHA / schedule.alpha))
    found = []
    for pair in pairs:
        look = follow(pair.differences, schedule, margin, pair.measured, pair.resolution)
        ratio = _unbiased(pair, look, schedule, margin)
        found.append(Judgement(ratio, _checks(pair, ratio, schedule), ALL_LOOKS, family))
    return found


def _unbiased(pair: Pair, look: Look, schedule: Schedule, margin: float) -> Ratio:
    """Once it has stopped: the plain mean of a campaign that stops early lies too far from 1."""
    ratio = look.ratio
    if look.decision is Decision.GO_ON or ratio.low is None:
        return ratio
    deviation = float(pair.differences[: ratio.blocks].std(ddof=1))
    mean = median_unbiased(float(np.log(ratio.ratio)), deviation, ratio.blocks, schedule, margin)
    return replace(ratio, ratio=float(np.exp(mean)))


def _checks(pair: Pair, ratio: Ratio, schedule: Schedule) -> Checks:
    """Signs alone; which block a look rests on has no answer, as the campaign would have stopped elsewhere."""
    if ratio.low is None:
        return Checks()
    t = float(critical(schedule, 2)[schedule.looks.index(ratio.blocks)])
    alpha = own_alpha(t, ratio.blocks)
    return Checks(*sign_flip_interval(pair.differences[: ratio.blocks], alpha))


def stop(campaign: Campaign, read: Tables, blocks: int) -> StopRecord | None:
    """Why a campaign may stop after so many complete blocks; None while a wanted ratio is open.

    Wanted is every ratio of a treatment to its group's reference in a quantity that both have in some block.
    """
    until = campaign.record.plan.until
    if until is None or blocks not in until.looks:
        return None
    runs = measured(read.runs)
    found = tuple(_ratios(runs[runs["block"] <= blocks], groups_of(campaign), until))
    return StopRecord(blocks=blocks, ratios=found) if decided(found) else None


def decided(ratios: Sequence[DecidedRatio]) -> bool:
    """Whether there are any, and none is open."""
    return bool(ratios) and all(one.decision != Decision.GO_ON for one in ratios)


def ratios(campaign: Campaign, read: Tables, work: Work | None = None) -> tuple[DecidedRatio, ...]:
    """As they stand by what is stored, each at its latest look or the one that decided it; of one work, or of all.

    Works that have their blocks at different times are looked at by themselves: the error is spent ratio by ratio.
    """
    until = campaign.record.plan.until
    if until is None:
        return ()
    groups = [one for one in groups_of(campaign) if work in (None, one.work)]
    return tuple(_ratios(measured(read.runs), groups, until))


def _ratios(runs: pd.DataFrame, groups: Iterable[Group], until: Until) -> Iterator[DecidedRatio]:
    names = runs["framework"] + " " + runs["version"]
    for group in groups:
        reference = until.reference if until.reference in group.treatments else group.treatments[0]
        inside = group.select(runs)
        others = (name for name in group.treatments if name != reference)
        for treatment in others:
            pair = [inside[names[inside.index] == one] for one in (treatment, reference)]
            names_of = {**group.key, "treatment": treatment, "reference": reference}
            for quantity in leads():
                if quantity.name in until.quantities:
                    yield from _ratio(pair, quantity, until, group.work, names_of)


def _ratio(
    runs: list[pd.DataFrame], quantity: Quantity, until: Until, work: Work, names: dict[str, str]
) -> Iterator[DecidedRatio]:
    if quantity.energy and mixed(pd.concat(runs)):
        return
    pair = quantity.pair(*runs)
    if pair is None:
        return
    schedule = schedule_of(until, work)
    look = follow(pair.differences, schedule, until.margin, pair.measured, pair.resolution)
    ratio = _unbiased(pair, look, schedule, until.margin)
    yield DecidedRatio(
        **names,
        quantity=quantity.name,
        decision=look.decision,
        verdict=ratio.verdict,
        blocks=ratio.blocks,
        ratio=ratio.ratio,
        low=ratio.low,
        high=ratio.high,
    )
