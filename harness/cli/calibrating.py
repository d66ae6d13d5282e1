"""What `suite calibrate` does: measures one treatment against itself, keeps what that tells, and tells it."""

from __future__ import annotations

import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from harness import meters, store
from harness.calibration import deriving, on_disk
from harness.calibration.noise import FALSE
from harness.calibration.records import Calibration, Noise
from harness.campaign import preparation
from harness.campaign.planned import PlannedCampaign
from harness.cli import meters_told, provenance_told, screen
from harness.cli.carrying_out import Manner, carry_out
from harness.environments.choose import Choice, choose
from harness.errors import UsageError
from harness.host import machine
from harness.planning import null_campaign, plan, planner
from harness.planning.plan import Selection
from harness.records import Plan
from reports import resolution
from reports.formats import plural
from reports.resolution import percent
from suite.task import TRAIN

EXIT_NOT_KEPT = 1
MEANING = (
    "noise: standard deviation of log(A / B) within blocks; resolves: found in 80 % of campaigns of so many blocks,",
    "at most so where the noise is what its 95 % interval allows; false, relabelled: better or worse where A and B are",
    "drawn anew in each block, of which 5 % is promised; a mood that outlasts a block shows in drift and lag 1 alone",
)


def calibrate(form: str, output: Path | None, **asked: Any) -> int:
    """0 where every run counts and the calibration is kept, else EXIT_NOT_KEPT."""
    if form == "json":
        screen.leave_stdout_to_machines()
    on_disk.require_place()
    choice = choose(asked["environment"], asked["device"])
    campaign = _prepare(_plan(asked, choice), choice, output)
    if carry_out(campaign, Manner(fail_fast=True), resumed=False) != 0:
        screen.say("not calibrated: a run does not count, and without it nothing is kept")
        return EXIT_NOT_KEPT
    measured = store.load_campaign(campaign.folder)
    found = deriving.of(measured, machine.describe())
    place = on_disk.save(found)
    if form == "json":
        click.echo(found.calibration.model_dump_json(indent=1))
    else:
        _tell(found.calibration)
        provenance_told.say([measured])
    screen.say(f"kept in {place}")
    return 0


def _plan(asked: dict[str, Any], choice: Choice) -> Plan:
    """Raises: UsageError for names that are not there, and for what does not run here."""
    versions = planner.parse_frameworks([asked["framework"]])
    wanted = Selection((asked["workload"],), tuple(versions), (TRAIN,))
    request = planner.PlanRequest(
        asked["profile"], wanted, asked["seed"], asked["blocks"], versions, boundary=asked["boundary"]
    )
    made = planner.make_plan(request, choice)
    if len(made.treatments) != 1:
        several = f"profile {made.profile} makes {len(made.treatments)} of it"
        why = several if made.treatments else made.skipped[0].reason
        raise UsageError(f"a calibration measures one treatment: {why}")
    return null_campaign.twice(made)


def _prepare(null: Plan, choice: Choice, output: Path | None) -> PlannedCampaign:
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = output or Path("results") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-calibrate"
    runs, treatment = len(plan.order(null)), null.treatments[0]
    store.require_new(folder)
    machine.require_space(folder, runs)
    screen.say(f"{treatment.label} against itself: {null.repetitions} blocks, {runs} runs")
    found = meters.find_all(meters.configuration(null.power_model, null.boundary))
    meters_told.print_meters(found, null.boundary)
    preparation.datasets(null, screen.say)
    ready = preparation.environments(null, choice, [treatment.framework], screen.say)
    return PlannedCampaign(folder, null, ready.environments, found)


def _tell(one: Calibration) -> None:
    rows = [_cells(noise) for noise in one.noise]
    titles = (
        "quantity", "noise", f"resolves in {one.blocks}", "A against B", "false, relabelled", "drift", "lag 1",
    )  # fmt: skip
    screen.print_columns(dict(zip(titles, map(list, zip(*rows, strict=True)), strict=True)))
    false = sum(noise.verdict in FALSE for noise in one.noise)
    screen.say(
        f"{false} of {plural(len(one.noise), 'verdict')} of A against B are false, for nothing differs"
    )
    for line in MEANING:
        screen.say(line)
    screen.say(f"this machine resolves {resolution.smallest_differences(one, one.blocks)}")


def _cells(one: Noise) -> tuple[str, ...]:
    return (
        one.quantity, percent(one.sd), f"{percent(one.resolves)}, at most {percent(one.resolves_at_most)}",
        one.verdict, f"{percent(one.false_verdicts / one.relabelled)} of {one.relabelled}",
        _correlation(one.drift_rho), _correlation(one.lag1),
    )  # fmt: skip


def _correlation(value: float | None) -> str:
    return "unknown" if value is None else f"{value:+.2f}"
