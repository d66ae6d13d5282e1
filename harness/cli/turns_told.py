"""A campaign by turns in words: what its time is enough for, before it begins; what is known and open, once it ends."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from harness import store
from harness.analysis import adaptive
from harness.analysis.groups import grouped, own_words
from harness.analysis.tables import tables
from harness.campaign import remaining
from harness.campaign.planned import PlannedCampaign
from harness.cli import screen
from harness.cli.duration import words
from harness.records import Plan, PlannedRun, PlanRecord, Purpose, RunRecord, Treatment
from harness.records.planned import Work
from reports.formats import listed, plural

MORE = "+1h"


def first_turns(order: Iterable[PlannedRun]) -> list[PlannedRun]:
    """What shall be made of everything."""
    return [one for one in order if one.block <= 1]


def tell_what_fits(
    campaign: PlannedCampaign, made: Sequence[RunRecord], budget_s: float, left_s: float
) -> None:
    """By what runs took so far, else by what is known of others: without the proofs, which nobody can foretell."""
    plan, done = campaign.plan, {one.planned.run_id for one in made}
    to_come = [one for one in campaign.order if one.run_id not in done]
    foretold = remaining.of_campaign(plan, campaign.order, made, time.monotonic())
    reached, whole_s = [one for one in campaign.order if one.run_id in done], 0.0
    for one in to_come:
        whole_s += foretold.expected_s([one])
        if whole_s <= left_s:
            reached.append(one)
    screen.say(
        f"budget {words(budget_s)}, {words(left_s)} of it left for runs and proofs of equal work: enough for about "
        f"{len(reached) - len(done)} of {plural(len(to_come), 'run')}"
    )
    for line in _foretold(plan, reached):
        screen.say(line)


def _foretold(plan: Plan, reached: Sequence[PlannedRun]) -> Iterator[str]:
    assert plan.until is not None
    told, works = _titles(plan.treatments), list(dict.fromkeys(one.work for one in plan.treatments))
    blocks = _blocks(reached)
    seen = dict.fromkeys(work[0] for work in works if blocks.get(work))
    unseen = [name for name in dict.fromkeys(work[0] for work in works) if name not in seen]
    yield f"will be seen: {_all_of(list(seen), len(seen) + len(unseen), 'workload')}"
    if unseen:
        yield f"will not be: {listed(unseen)}"
    able = _compared(plan)
    looked = [told[work] for work in able if blocks.get(work, 0) >= plan.until.looks[0]]
    yield (
        f"answers are looked for, where the work is proven to be equal, in {len(looked)} of {len(able)} comparisons"
        f"{': ' + listed(looked) if looked and len(looked) < len(able) else ''}; the others stay open"
        if len(looked) < len(able)
        else f"answers are looked for in all {plural(len(able), 'comparison')}"
    )


def tell_what_is_open(folder: Path) -> None:
    campaign = store.load_campaign(folder)
    plan = campaign.record.plan
    told, able = _titles(plan.treatments), _compared(plan)
    blocks = _blocks(run.record.planned for run in campaign.runs)
    by_work: dict[Work, list[bool]] = {}
    for one in adaptive.ratios(campaign, tables(campaign)):
        by_work.setdefault(one.work, []).append(adaptive.decided([one]))
    known = [work for work in able if by_work.get(work) and all(by_work[work])]
    partly = [work for work in able if work not in known and blocks.get(work)]
    unseen = [work for work in told if not blocks.get(work)]
    screen.say(f"known to the end: {_all_of([told[one] for one in known], len(able), 'comparison')}")
    if partly:
        screen.say(f"open: {listed([told[one] for one in partly])}")
    if unseen:
        screen.say(f"not measured: {listed([told[one] for one in unseen])}")
    asked = {one.run_id for one in campaign.record.order if one.looked_at}
    if unlooked := len(asked - {run.record.planned.run_id for run in campaign.runs}):
        screen.say(f"not looked at by a profiler: {unlooked} of {plural(len(asked), 'run')}")
    if partly or unseen or unlooked:
        screen.say(f"go on: suite run --resume {shlex.quote(str(folder))} --budget {MORE}")


def _blocks(runs: Iterable[PlannedRun]) -> dict[Work, int]:
    found: dict[Work, int] = {}
    for one in runs:
        if one.purpose == Purpose.MEASURE:
            found[one.treatment.work] = max(one.block, found.get(one.treatment.work, 0))
    return found


def _compared(plan: PlanRecord) -> list[Work]:
    return [group.work for group in grouped(plan.treatments) if len(group.treatments) > 1]


def _titles(treatments: Sequence[Treatment]) -> dict[Work, str]:
    """Workload and stage, with what sets it apart where there are several such."""
    own = own_words(treatments)
    return {one.work: " ".join(filter(None, (one.workload, one.stage, own(one)))) for one in treatments}


def _all_of(names: Sequence[str], count: int, what: str) -> str:
    if len(names) == count:
        return f"all {plural(count, what)}"
    return f"{len(names)} of {plural(count, what)}" + (f": {listed(names)}" if names else "")
