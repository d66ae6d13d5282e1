"""The campaign record of imported runs: what the files say of a plan, and which files they were."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from uuid import uuid4

import numpy as np

from harness.energy.series import NS_PER_S
from harness.files.untrusted import open_beneath
from harness.importers import blocks
from harness.importers.base import Imported, ImportedRun
from harness.records import IMPORTED, CampaignRecord, PlannedRun, PlanRecord, Purpose

LONGEST_WORDS = 150  # of a run's name


def campaign_record(imported: Imported, format_name: str) -> CampaignRecord:
    created = datetime.now(UTC).isoformat(timespec="seconds")
    channels = {channel.name: channel for run in imported.runs for channel in run.channels}
    files = {str(path.relative_to(imported.root)): _sha256(path) for path in imported.files}
    return CampaignRecord(
        campaign_id=f"{created[:10]}-{format_name}-{imported.root.name}",
        created=created,
        plan=_plan(imported.runs),
        order=tuple(_order(imported.runs)),
        isolation=IMPORTED,
        machine={"imported_from": format_name, "folder": imported.root.name, "files": files},
        channels=tuple(channels.values()),
        unavailable=(),
        findings=(*imported.findings, *blocks.findings(_measured(imported.runs))),
        identity=uuid4().hex,
        tasks={run.treatment.workload: imported.task for run in imported.runs} if imported.task else {},
    )


def _plan(runs: Sequence[ImportedRun]) -> PlanRecord:
    """What the files say of a plan: its treatments and repetitions, and how often they were read."""
    measured = _measured(runs)
    return PlanRecord(
        profile=IMPORTED,
        treatments=tuple({run.treatment.model_dump_json(): run.treatment for run in measured}.values()),
        repetitions=max(run.repetition for run in measured),
        sample_period_s=_period_s(measured),
        expected_run_s=float(np.median([run.duration_ns for run in measured])) / NS_PER_S,
    )


def _measured(runs: Sequence[ImportedRun]) -> list[ImportedRun]:
    """All of them where none is: profiles alone are a campaign, too."""
    return [run for run in runs if run.purpose == Purpose.MEASURE] or list(runs)


def _period_s(runs: Sequence[ImportedRun]) -> float:
    steps = [np.diff(one.t_ns) for run in runs for one in run.series if len(one.t_ns) > 1]
    return float(np.median(np.concatenate(steps))) / NS_PER_S if steps else 0.0


def _order(runs: Sequence[ImportedRun]) -> Iterator[PlannedRun]:
    """As in the files; a block is a repetition."""
    for position, run in zip(count(1), runs):
        one = run.treatment
        yield PlannedRun(
            run_id=_run_id(position, run),
            block=run.repetition,
            position=position,
            repetition=run.repetition,
            treatment=one,
            purpose=run.purpose,
        )


def _run_id(position: int, run: ImportedRun) -> str:
    """A plain folder's name, whatever the files call their runs."""
    one = run.treatment
    settings = "".join(f"-{name}{value}" for name, value in one.settings.items())
    words = re.sub(r"[^\w.+=-]", "_", f"{one.workload}-{one.framework}-{one.stage}{settings}")
    return f"{position:04d}-{words[:LONGEST_WORDS]}-{run.repetition}"


def _sha256(path: Path) -> str:
    with os.fdopen(open_beneath(path.parent, path.name), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
