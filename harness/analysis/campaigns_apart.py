"""The profiled runs of one campaign against those of another one: of the same work, by the same framework."""

from __future__ import annotations

from collections.abc import Sequence

from harness.analysis import same_measurement
from harness.analysis.profile_pairs import ProfiledPair, pair_of
from harness.analysis.profiled import ProfiledRun, Profiles, name_with_mode
from harness.errors import UsageError
from harness.inventory.specs import EXECUTION
from harness.store import Campaign

HERE, THERE = "this campaign", "the other one"


def apart(ours: Profiles, theirs: Profiles) -> Sequence[ProfiledPair]:
    """Each profiled run here, the first of its name, against its like there, which may be of another version.

    Raises: UsageError where a campaign has no run whose functions are told, or no work is common to both.
    """
    campaign, other = ours.campaign, theirs.campaign
    for one in (ours, theirs):
        _require_told(one)
    _require_same_data(campaign, other)
    found = [
        pair_of((theirs, like), (ours, run), (f"{like.name} ({THERE})", f"{run.name} ({HERE})"))
        for run in _firsts(ours)
        if (like := _like(run, _firsts(theirs)))
    ]
    if not found:
        raise UsageError(
            f"{campaign.folder.name} and {other.folder.name} were profiled at different work: functions are held "
            "against each other for the same workload, stage, data set and settings by the same framework"
        )
    return found


def _require_told(profiles: Profiles) -> None:
    if not profiles.told:
        why = next((f"; {one.reason}" for one in profiles.runs), ": suite profile looks at them")
        raise UsageError(f"no run of {profiles.campaign.folder.name} tells its functions by joules{why}")


def _require_same_data(campaign: Campaign, other: Campaign) -> None:
    if differ := list(same_measurement.other_data(other.record, campaign.record)):
        raise UsageError(
            f"{campaign.folder.name} and {other.folder.name} had other data by the same name: {', '.join(differ)}"
        )


def _firsts(profiles: Profiles) -> list[ProfiledRun]:
    """Of each work the first run of a name."""
    named = {(one.work, one.name): one for one in reversed(profiles.told)}
    return list(reversed(named.values()))


def _like(run: ProfiledRun, others: Sequence[ProfiledRun]) -> ProfiledRun | None:
    """Of the same name, else the only one of its framework and mode; of several versions nobody knows which."""
    same = [one for one in others if one.work == run.work and _how(one) == _how(run)]
    named = [one for one in same if one.name == run.name]
    return next(iter(named or (same if len(same) == 1 else [])), None)


def _how(run: ProfiledRun) -> str:
    """Framework, mode and which frames were seen, whatever the version."""
    settings = {name: run.planned.settings[name] for name in EXECUTION if name in run.planned.settings}
    name = name_with_mode(run.planned.model_copy(update={"version": "", "settings": settings}))
    return f"{name} {run.tool}"
