"""A new campaign for a cluster: planned once, here; what its nodes are, their own records will tell."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import uuid4

from harness import store, version
from harness.calibration.on_disk import CALIBRATION_FILE
from harness.calibration.records import KeptCalibration
from harness.campaign import pretrained_states
from harness.cluster.places import ASKED_FILE, Places
from harness.cluster.records import ClusterRecord
from harness.datasets import prepared
from harness.environments.recipe import suite_sha256
from harness.inventory import tasks
from harness.planning.plan import order
from harness.records import CampaignRecord, Finding, Plan

RESOLVES = "carried out on several nodes: what each resolves, nobody has calibrated"


def record_of(folder: Path, plan: Plan, isolation: str, findings: tuple[Finding, ...]) -> CampaignRecord:
    """What campaign.json says before any node has begun: no machine, no channels, no environments."""
    names = sorted({one.dataset for one in plan.treatments})
    return CampaignRecord(
        campaign_id=folder.absolute().name,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        plan=plan,
        order=order(plan),
        isolation=isolation,
        machine={},
        channels=(),
        unavailable=(),
        findings=findings,
        suite_sha256=suite_sha256(),
        made_by=version.told(),
        identity=uuid4().hex,
        tasks=tasks.to_keep(plan.treatments),
        datasets={name: sha256 for name in names if (sha256 := prepared.content_sha256(name))},
    )


def create(
    folder: Path, record: CampaignRecord, asked: ClusterRecord, weight_files: Mapping[str, Path]
) -> CampaignRecord:
    """By the holder of its lock: the record as it is stored. Raises: CampaignError where it cannot be written."""
    assert isinstance(record.plan, Plan)
    weights = partial(pretrained_states.write, plan=record.plan, files=weight_files)
    store.create_campaign(folder, record, lambda states: weights(states))
    store.write_record(folder / CALIBRATION_FILE, KeptCalibration(calibration=None, reason=RESOLVES))
    places = Places(folder)
    places.make()
    store.write_record(places.folder / ASKED_FILE, asked)
    return record.model_copy(update={"weights": pretrained_states.kept(folder / store.STATES, record.plan)})
