"""What the machine of a campaign can resolve, by its calibration, in words; and which claims lie below that.

All of it comes from what is kept with the campaign: the same words wherever, and whenever, they are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

from harness.analysis.plain_texts import records
from harness.analysis.quantities import leads
from harness.analysis.verdict import Verdict
from harness.calibration import on_disk
from harness.calibration.noise import resolved
from harness.calibration.records import Calibration, Noise
from harness.devices import is_gpu
from harness.findings.codes import Code
from harness.planning import null_campaign
from harness.records import IMPORTED
from harness.store import Campaign
from reports.formats import THIN, listed, number, plural

NEVER, NULL = "not calibrated: run suite calibrate", "a null campaign: one treatment measured against itself"
ELSEWHERE = "not calibrated: other tools measured it"
OLD = timedelta(days=90)
CLAIMS = (Verdict.BETTER, Verdict.WORSE)


@dataclass(frozen=True)
class Resolution:
    """`calibration` is None where none counts; `words` say what it tells, or why there is none."""

    calibration: Calibration | None
    words: str

    def smallest(self, quantity: str, blocks: float) -> float | None:
        """The smallest difference, as a share, that so many blocks find in 80 % of campaigns; None if nobody knows."""
        noise = _noise(self.calibration, quantity) if self.calibration else None
        return None if noise is None or pd.isna(blocks) else resolved(noise.sd, int(blocks))

    def note(self, row: dict[Any, Any]) -> str:
        """Beside a ratio whose verdict claims a difference that the machine cannot be relied on to see; else empty."""
        if row["verdict"] not in CLAIMS or pd.isna(row["ratio"]):
            return ""
        smallest = self.smallest(row["quantity"], row["blocks"])
        if smallest is None or abs(np.log(row["ratio"])) >= -np.log1p(-min(smallest, 1 - 1e-9)):
            return ""
        return f"below the {percent(smallest)} that this machine resolves in {plural(int(row['blocks']), 'block')}"


def of(campaign: Campaign) -> Resolution:
    """Raises: UnsafeFile where the calibration beside a campaign is a link."""
    kept = on_disk.of_campaign(campaign.folder)
    if null_campaign.is_null(campaign.record.plan):
        return Resolution(None, NULL)
    if campaign.record.isolation == IMPORTED:
        return Resolution(None, ELSEWHERE)
    if kept.calibration and any(
        f.code == Code.NEW_MACHINE for run in campaign.unprofiled for f in run.record.findings
    ):
        return Resolution(None, f"{NEVER} (the campaign went on on another machine)")
    if kept.calibration is None:
        return Resolution(None, f"{NEVER} ({kept.reason})" if kept.reason else NEVER)
    return Resolution(kept.calibration, _told(kept.calibration, campaign))


def coarsest(several: Sequence[Resolution]) -> Resolution:
    """Of campaigns that are compared: nothing finer than the one that resolves least, nothing if one is not known."""
    unknown = [one for one in several if one.calibration is None]
    return unknown[0] if unknown else max(several, key=_greatest_sd)


def coarsest_of(*campaigns: Campaign) -> Resolution:
    return coarsest([of(one) for one in campaigns])


def _greatest_sd(one: Resolution) -> float:
    noise = one.calibration.noise if one.calibration else ()
    names = [lead.name for lead in leads()]
    return max((each.sd for each in noise if each.quantity in names), default=0.0)


def noted(rows: pd.DataFrame, resolution: Resolution) -> pd.DataFrame:
    """Rows of COST_COLUMNS with `resolves`, a share, and a `note`, empty where the claim stands."""
    several = records(rows)
    smallest = [resolution.smallest(row["quantity"], row["blocks"]) for row in several]
    return rows.assign(
        resolves=pd.Series(smallest, rows.index, dtype="float64"),
        note=[resolution.note(row) for row in several],
    )


def before(one: Calibration, blocks: int, created: datetime, suite_sha256: str, here: tuple[str, str]) -> str:
    """In a campaign of so many blocks. `here`: its profile and isolation, told apart where they differ."""
    asides = ", ".join((*_made_with(one, here), *_cautions(one, created, suite_sha256)))
    return f"this machine resolves {smallest_differences(one, blocks)} (calibrated {one.created:%Y-%m-%d}, {asides})"


def smallest_differences(one: Calibration, blocks: int) -> str:
    """E.g. 1.4 % of energy and 0.9 % of time in 10 blocks; the others are in the calibration's own table."""
    if blocks < 2:
        return "nothing in a single block"
    several = ((lead, noise) for lead in leads() if (noise := _noise(one, lead.name)))
    shares = [f"{percent(resolved(n.sd, blocks))} of {lead.words}" for lead, n in several]
    return f"{listed(shares) or 'nothing that is known'} in {blocks} blocks"


def typeset(words: str) -> str:
    """As a sentence of a page; empty words stay empty."""
    return f"{words[0].upper()}{words[1:]}.".replace(" %", f"{THIN}%") if words else ""


def percent(share: float) -> str:
    """Two significant digits: a spread from ten blocks is known to a quarter of itself."""
    return f"{number(100 * share, 2)} %"


def _told(one: Calibration, campaign: Campaign) -> str:
    record = campaign.record
    blocks = campaign.stop.blocks if campaign.stop else record.plan.repetitions
    here = (record.plan.profile, record.isolation)
    return before(one, blocks, _time(record.created), record.suite_sha256, here)


def _time(created: str) -> datetime:
    """Of a stranger's record anything may be said: what is no time is long after, so that all before it is old."""
    try:
        found = datetime.fromisoformat(created)
    except ValueError:
        return datetime.max.replace(tzinfo=UTC)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _made_with(one: Calibration, here: tuple[str, str]) -> Iterator[str]:
    work, (profile, isolation) = one.treatment, here
    device = f" on {work.device}" if is_gpu(work.device) else ""
    yield f"{work.workload} on {work.framework} {work.version}".strip() + device
    if one.profile != profile:
        yield f"profile {one.profile}"
    if one.isolation != isolation:
        yield one.isolation


def _cautions(one: Calibration, created: datetime, suite_sha256: str) -> Iterator[str]:
    age = created - one.created
    if age > OLD:
        yield f"OLD: {age.days} days before this campaign"
    if one.suite_sha256 != suite_sha256:
        yield "OLD: the workloads have changed since"


def _noise(one: Calibration, quantity: str) -> Noise | None:
    return next((each for each in one.noise if each.quantity == quantity), None)


def lines(several: Iterable[Resolution]) -> list[str]:
    """What each says, once."""
    return list(dict.fromkeys(one.words for one in several))
