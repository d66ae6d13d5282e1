"""Everything that must stand before the first run of a new campaign, under the user's eyes."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from harness import meters, store
from harness.campaign import preparation, pretrained_states
from harness.campaign.planned import PlannedCampaign
from harness.cli import calibration_told, meters_told, proof_first, screen
from harness.conformance import certificate
from harness.environments.choose import Choice
from harness.findings.codes import Code
from harness.host import machine
from harness.inventory import catalog
from harness.planning import notices, planner
from harness.planning.plan import fewest_runs
from harness.records import Finding, Plan

C = TypeVar("C", bound=PlannedCampaign)


def notices_of(plan: Plan, choice: Choice, verify: bool) -> tuple[Finding, ...]:
    """What is said aloud on the screen and in the report; what will be proven needs no word."""
    workloads = catalog.workloads()
    preferred = {name: one.profile(plan.profile).datasets[0] for name, one in workloads.items()}
    found = list(notices.missing_data(plan, preferred))
    found.extend(notices.scaled_down(plan, {name: one.spec for name, one in workloads.items()}))
    found.extend(certificate.unprovable(plan.treatments))
    if not verify:
        found.extend(proof_first.findings(plan, choice.kind))
    if choice.notice:
        found.append(Finding.of(Code.NO_DOCKER, choice.notice))
    return tuple(found)


def require_place(folder: Path, plan: Plan) -> None:
    """Raises: CampaignError for a folder that holds something, MissingPrerequisite for a disk that is too full."""
    store.require_new(folder)
    machine.require_space(folder, fewest_runs(plan))


def prepare(
    kind: Callable[..., C],
    folder: Path,
    request: planner.PlanRequest,
    choice: Choice,
    plan: Plan,
    findings: tuple[Finding, ...],
    verify: bool,
) -> C:
    """What cannot be prepared is left out of the plan."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    require_place(folder, plan)
    found = meters.find_all(meters.configuration(plan.power_model, plan.boundary))
    meters_told.print_meters(found, plan.boundary)
    files = planner.weight_files(request)
    findings += tuple(pretrained_states.findings(plan, files))
    for finding in findings:
        screen.say(f"note: {finding.message} ({finding.advice})")
    preparation.datasets(plan, screen.say)
    ready = preparation.environments(plan, choice, request.selection.frameworks, screen.say)
    plan = planner.make_plan(request, choice, ready.skipped)
    if verify and not plan.turns:  # those are proven when their turn comes
        proof_first.ensure(plan, ready.environments, folder)
    calibration_told.say_before(plan, found.channels, choice.kind)
    return kind(folder, plan, ready.environments, found, findings, weight_files=files)
