"""suite run --executor slurm, new or resumed, to its report."""

from __future__ import annotations

import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import store
from harness.campaign import lock, preparation, schedule
from harness.campaign import pretrained_states as weights
from harness.cli import screen
from harness.cli.carrying_out import conclude
from harness.cli.executing import OF_SLURM
from harness.cluster import beginning, disk, options, queue, work
from harness.cluster.controller import Controller
from harness.cluster.places import ASKED_FILE, Places
from harness.cluster.records import ClusterRecord
from harness.devices import AUTO, HOST
from harness.environments.choose import Choice, choose
from harness.environments.recipe import suite_sha256
from harness.errors import DISK_ERRORS, MissingPrerequisite, UsageError
from harness.host import machine
from harness.planning import planner
from harness.records import CampaignRecord, Finding, Plan
from reports.formats import plural

SHOWN = 12  # blocks that are named


@dataclass(frozen=True)
class ForNodes:
    """A plan that nodes will carry out, with what was asked of them."""

    plan: Plan
    choice: Choice
    findings: tuple[Finding, ...]
    verify: bool


def choice_of(given: dict[str, Any]) -> Choice:
    """Of the nodes' environments, which need not be this machine's: what they lack, they will tell.

    A GPU is asked for by --device, or by --gres. Raises: UsageError for a kind that there is not.
    """
    found = choose(given["environment"], HOST, given["allow_stale"])
    device = given["device"]
    if device == AUTO:
        device = "cuda" if (given["gres"] or "").startswith("gpu") else HOST
    return Choice(found.kind, found.python, found.notice, device, found.allow_stale)


def begin(folder: Path, request: planner.PlanRequest, of_nodes: ForNodes, given: dict[str, Any]) -> int:
    """Raises: UsageError and MissingPrerequisite before anything is written; nothing is left where no job was taken."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    store.require_new(folder)
    plan, choice = of_nodes.plan, of_nodes.choice
    record = beginning.record_of(folder, plan, choice.kind, ())
    asked = ClusterRecord(
        options=options.parse(given, plan, len(record.order)), isolation=choice.kind, device=choice.device,
        interpreter=choice.python, verify=of_nodes.verify,
    )  # fmt: skip
    queue.require()
    machine.require_space(folder, len(record.order))
    files = planner.weight_files(request)
    findings = of_nodes.findings + tuple(weights.findings(plan, files))
    for finding in findings:
        screen.say(f"note: {finding.message} ({finding.advice})")
    preparation.datasets(plan, screen.say)
    store.make_folder(folder)
    with lock.hold(folder):
        record = record.model_copy(update={"findings": findings})
        record = beginning.create(folder, record, asked, files)
        _say_what(asked, record)
        try:
            _carry_out(folder, record, asked)
        except UsageError:  # Slurm's own word
            if not disk.jobs(Places(folder)):
                shutil.rmtree(folder, ignore_errors=True)
            raise
    return _conclude(folder, plan)


def go_on(folder: Path, given: dict[str, Any]) -> int:
    """Submits what is missing; options of Slurm that are given take the place of those that were.

    Raises: UsageError where the campaign is none that can go on so, or the workloads have changed since.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    store.require_own_parts(folder)
    # Whole: no job computes for what nobody would read afterwards.
    record = store.load_campaign(folder).record
    places = Places(folder)
    asked = _asked_now(disk.asked(places), record, given)
    if record.suite_sha256 != suite_sha256():
        raise UsageError(
            f"{folder} cannot go on: the workloads in suite/ changed since; start a new campaign"
        )
    queue.require()
    with lock.hold(folder):
        store.write_record(places.folder / ASKED_FILE, asked)
        disk.forget_unfit(places)
        missing = store.missing(folder, record.order)
        screen.say(f"{len(record.order) - len(missing)} of {len(record.order)} runs are done")
        _say_what(asked, record)
        _carry_out(folder, record, asked)
    assert isinstance(record.plan, Plan)  # an imported campaign has no queue
    return _conclude(folder, record.plan)


def _asked_now(before: ClusterRecord, record: CampaignRecord, given: dict[str, Any]) -> ClusterRecord:
    """A program that a record names is run only if the user names it, too: the record may be a stranger's."""
    if not isinstance(record.plan, Plan):
        raise UsageError(
            "the campaign was imported: other tools measured it, and nobody here can go on with it"
        )
    if before.interpreter and given["environment"] != f"interpreter={before.interpreter}":
        named = f"interpreter={before.interpreter}"
        raise UsageError(
            f"the campaign says that it ran on {named}: if you trust it, add --environment {named}"
        )
    kept = before.options.model_dump()
    anew = {name: given[name] for name in OF_SLURM if given[name] is not None}
    words = {**kept, "time": str(kept["minutes"]), **anew}
    return before.model_copy(update={"options": options.parse(words, record.plan, len(record.order))})


def _carry_out(folder: Path, record: CampaignRecord, asked: ClusterRecord) -> None:
    try:
        Controller(Places(folder), record, asked, screen.say).carry_out()
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise MissingPrerequisite(
            f"cannot write to {folder}: {error.strerror}; its finished blocks are whole, and --resume goes on"
        ) from error


def _say_what(asked: ClusterRecord, record: CampaignRecord) -> None:
    count = len(work.blocks_of(record.order))
    place = f" in {asked.options.partition}" if asked.options.partition else ""
    at_once = min(count, asked.options.nodes)
    screen.say(
        f"Slurm{place}: {plural(count, 'block')} of {plural(len(record.order), 'run')}, {plural(at_once, 'node')} at "
        f"once, each job at most {plural(asked.options.minutes, 'minute')}; environments: {asked.isolation}"
    )


def _conclude(folder: Path, plan: Plan) -> int:
    campaign = store.load_campaign(folder)
    if missing := sorted({one.block for one in store.missing(folder, campaign.order)}):
        named = ", ".join(map(str, missing[:SHOWN])) + (" ..." if len(missing) > SHOWN else "")
        screen.say(
            f"missing: {plural(len(missing), 'block')} ({named}); suite run --resume {folder} submits them"
        )
    if not campaign.runs:
        return 1
    return conclude(folder, plan, schedule.settled(campaign.order, store.outcomes(folder), plan.retries))
