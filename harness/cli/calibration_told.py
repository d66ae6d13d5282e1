"""What this machine resolves, beside what is claimed on it: before a campaign, and with ratios and gates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from harness.analysis.groups import TREATMENT
from harness.calibration import on_disk
from harness.cli import screen
from harness.environments.recipe import suite_sha256
from harness.errors import CampaignError, UnsafeFile
from harness.records import Channel, Plan
from harness.store import Campaign
from reports import resolution
from reports.resolution import Resolution, percent


def say_before(plan: Plan, channels: tuple[Channel, ...], isolation: str) -> None:
    """What counts here; a damaged file of calibrations is named, and the campaign goes on without."""
    try:
        on_disk.load()
    except (CampaignError, UnsafeFile) as error:
        screen.say(f"note: {error}")
    kept = on_disk.found(plan, channels, isolation)
    if kept.calibration is None:
        screen.say(f"{resolution.NEVER} ({kept.reason})" if kept.reason else resolution.NEVER)
        return
    here, now = (plan.profile, isolation), datetime.now(UTC)
    screen.say(resolution.before(kept.calibration, plan.repetitions, now, suite_sha256(), here))


@dataclass(frozen=True)
class CalibrationTold:
    """Of the campaigns that a command compares."""

    several: tuple[Resolution, ...]

    @classmethod
    def of(cls, campaigns: Iterable[Campaign]) -> CalibrationTold:
        return cls(tuple(map(resolution.of, campaigns)))

    def noted(self, rows: pd.DataFrame) -> pd.DataFrame:
        """The rows with `resolves` and `note`."""
        return resolution.noted(rows, resolution.coarsest(self.several))

    def say(self, rows: pd.DataFrame, limit: float | None = None) -> None:
        for line in self.lines(rows, limit):
            screen.say(line)

    def lines(self, rows: pd.DataFrame, limit: float | None = None) -> list[str]:
        """What resolves, then every claim that lies below it; of a gate, whether its `limit` does."""
        noted = self.noted(rows)
        return [*resolution.lines(self.several), *dict.fromkeys((*_notes(noted), *_of_limit(noted, limit)))]


def _notes(rows: pd.DataFrame) -> Iterator[str]:
    for row in rows[rows["note"] != ""].to_dict("records"):
        yield f"note: {row['workload']} {row[TREATMENT]}, {row['quantity']}: {row['verdict']} is {row['note']}"


def _of_limit(rows: pd.DataFrame, limit: float | None) -> Iterator[str]:
    if limit is None:
        return
    for row in rows[rows["resolves"] > limit].to_dict("records"):
        yield _coarse(row, limit)


def _coarse(row: dict[Any, Any], limit: float) -> str:
    return (
        f"note: {row['quantity']}: a limit of {percent(limit)} is finer than the {percent(row['resolves'])} that this "
        f"machine resolves in {row['blocks']:.0f} blocks"
    )
