"""Campaigns that stop as soon as their ratios are known, with the error of looking again and again under control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import pandas as pd

from harness.analysis.compare import Estimate, by_block, log_differences, mixed, ratio_of
from harness.analysis.groups import Group, grouped, groups_of, name_of
from harness.analysis.reference import fitting
from harness.analysis.sequential import Decision, Schedule, every_block, follow
from harness.analysis.tables import measured, tables
from harness.analysis.verdict import MARGIN, log_margin
from harness.errors import UsageError
from harness.records import DecidedRatio, StopRecord, Treatment, Until
from harness.store import Campaign

ENERGY, TIME = "energy_j", "duration_s"


def declare(treatments: Iterable[Treatment], margin: float, most: int, reference: str | None = None) -> Until:
    """The rule of a campaign to come, of at most so many blocks. `reference` as the report's; None: the first one.

    Raises: UsageError for a margin or a reference that cannot be, or where no two treatments do the same work.
    """
    treatments = list(treatments)
    if not any(len(group.treatments) > 1 for group in grouped(treatments)):
        raise UsageError(
            "--until compares treatments of the same work: name a second framework, or a second version"
        )
    names = tuple(dict.fromkeys(name_of(one) for one in treatments))
    schedule = every_block(most)
    return Until(
        margin=margin,
        quantities=(ENERGY, TIME),
        reference=names[0] if reference is None else fitting(reference, names),
        method=schedule.method,
        looks=schedule.looks,
        alpha=schedule.alpha,
        spending=schedule.spending,
    )


def schedule_of(until: Until) -> Schedule:
    return Schedule(until.looks, until.alpha, until.spending)


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


def estimate(until: Until | None, margin: float) -> Estimate:
    """How ratios are told: of a campaign that might have stopped earlier, with intervals adjusted for its looks."""
    if until is None:
        return partial(ratio_of, margin=margin)
    schedule = schedule_of(until)
    return lambda differences: follow(differences, schedule, margin).ratio


def stop(campaign: Campaign, blocks: int) -> StopRecord | None:
    """Why a campaign may stop after so many complete blocks; None while a wanted ratio is open.

    Wanted is every ratio of a treatment to its group's reference in a quantity that both have in some block.
    """
    until = campaign.record.plan.until
    if until is None or blocks not in until.looks:
        return None
    runs = measured(tables(campaign).runs)
    found = tuple(_ratios(runs[runs["block"] <= blocks], groups_of(campaign), until))
    undecided = [one for one in found if one.decision == Decision.GO_ON]
    return StopRecord(blocks=blocks, ratios=found) if found and not undecided else None


def _ratios(runs: pd.DataFrame, groups: Iterable[Group], until: Until) -> Iterator[DecidedRatio]:
    names = runs["framework"] + " " + runs["version"]
    for group in groups:
        reference = until.reference if until.reference in group.treatments else group.treatments[0]
        inside = group.select(runs)
        others = (name for name in group.treatments if name != reference)
        for treatment in others:
            pair = [inside[names[inside.index] == one] for one in (treatment, reference)]
            for quantity in until.quantities:
                yield from _ratio(
                    pair, quantity, until, {**group.key, "treatment": treatment, "reference": reference}
                )


def _ratio(
    pair: list[pd.DataFrame], quantity: str, until: Until, names: dict[str, str]
) -> Iterator[DecidedRatio]:
    if quantity == ENERGY and mixed(pd.concat(pair)):
        return
    differences = log_differences(*(by_block(runs, quantity) for runs in pair))
    if differences is None:
        return
    look = follow(differences, schedule_of(until), until.margin)
    yield DecidedRatio(
        **names,
        quantity=quantity,
        decision=look.decision,
        verdict=look.ratio.verdict,
        blocks=look.ratio.blocks,
        ratio=look.ratio.ratio,
        low=look.ratio.low,
        high=look.ratio.high,
    )
