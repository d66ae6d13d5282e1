"""The time that the user gives a campaign: `--budget`, what fits into it, and what it left undone."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass

from harness import store
from harness.campaign import remaining
from harness.campaign.planned import PlannedCampaign
from harness.cli import screen, turns_told
from harness.cli.duration import words
from harness.errors import UsageError

REPORTING_SHARE, MOST_REPORTING_S = 0.05, 120.0  # of a budget, for what comes after the last run


@dataclass(frozen=True)
class Budget:
    """From the command's beginning, so with its environments and proofs, to the report."""

    seconds: float
    began_s: float

    @property
    def ends_s(self) -> float:
        """CLOCK_MONOTONIC, of the last run."""
        return self.began_s + self.seconds - min(REPORTING_SHARE * self.seconds, MOST_REPORTING_S)

    def tell_what_fits(self, campaign: PlannedCampaign) -> None:
        """By what runs took so far, else by the plan's own word. Raises: UsageError where nothing is left for runs."""
        began = (campaign.folder / store.CAMPAIGN_FILE).exists()
        made = [run.record for run in store.load_campaign(campaign.folder).runs] if began else []
        now_s = time.monotonic()
        whole_s = remaining.of_campaign(campaign.plan, campaign.order, made, now_s).eta(now_s).seconds
        if (left_s := self.ends_s - now_s) <= 0:
            raise UsageError(
                f"the budget of {words(self.seconds)} was spent on what comes before the first run, "
                f"{words(now_s - self.began_s)}: say it again, as that is kept, or give more"
            )
        if campaign.plan.turns:
            turns_told.tell_what_fits(campaign, made, self.seconds, left_s)
            return
        share = "all of them" if whole_s <= left_s else f"about {left_s / whole_s:.0%} of them"
        screen.say(
            f"budget {words(self.seconds)}: the runs to come take about {words(whole_s)}, "
            f"the {words(left_s)} left for them are enough for {share}"
        )

    def tell_what_is_left(self, campaign: PlannedCampaign) -> None:
        order = store.load_campaign(campaign.folder).order  # fewer where all answers were there before
        if missing := store.missing(campaign.folder, order):
            again = f"suite run --resume {shlex.quote(str(campaign.folder))} --budget {words(self.seconds)}"
            made = len(order) - len(missing)
            screen.say(f"the budget is spent: {made} of {len(order)} runs are made; go on: {again}")
