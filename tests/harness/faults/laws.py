"""What holds after every blow: no orphan, no lost run, nothing half-written among the runs, and a way on."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import docker
import psutil

from harness import store
from harness.campaign import lock, schedule
from harness.environments import sandbox
from harness.environments.process import HOME_PREFIX, MARK
from harness.records import Outcome, RunRecord
from harness.sampling import reading
from tests.harness.faults.victim import Victim

ENDS_WITHIN_S = 10.0  # of processes whose harness has been killed
Runs = dict[str, str]


def whole_runs(folder: Path) -> Runs:
    """What readers see of a campaign, each run with a hash over all of its files. Nothing there is half a run."""
    found = {}
    for run in sorted((folder / store.RUNS).iterdir()):
        record = store.load_run(run).record
        if (run / store.SAMPLES_FILE).exists():
            reading.read(run / store.SAMPLES_FILE, record.channels)
        content = b"".join(path.read_bytes() for path in sorted(run.iterdir()))
        found[run.name] = hashlib.sha256(content).hexdigest()
    return found


def hold(victim: Victim, before: Runs, *, swept: bool = True) -> Runs:
    """The laws after a blow; the whole runs. `swept`: containers and homes are gone too, not only processes.

    A harness that was killed cannot clean up; the next one does it.
    """
    assert victim.process.poll() is not None
    _within(ENDS_WITHIN_S, lambda: list(processes(victim)))
    if swept:
        assert list(victim.temporary.glob(f"{HOME_PREFIX}*")) == []
        left = containers(victim), cgroups(victim)
        assert not any(left), f"left behind: {left}, by harnesses {victim.harnesses}"
    if not (victim.folder / store.CAMPAIGN_FILE).exists():
        store.require_new(victim.folder)  # nothing there, or what a campaign may begin over
        return {}
    now = whole_runs(victim.folder)
    assert before.items() <= now.items(), "a completed run was lost or changed"
    assert not lock.is_held(victim.folder)
    return now


def go_on_to_the_end(victim: Victim, before: Runs) -> list[RunRecord]:
    """--resume ends with the full plan; the records in the order of their runs."""
    victim.begin()
    assert victim.end() == 0, victim.told
    return complete(victim, before)


def complete(victim: Victim, before: Runs) -> list[RunRecord]:
    """Every planned run counts."""
    found = carried_out(victim, before)
    record = store.load_campaign(victim.folder).record
    assert schedule.settled(record.order, store.outcomes(victim.folder), record.plan.retries)
    return found


def carried_out(victim: Victim, before: Runs) -> list[RunRecord]:
    """Nothing of the plan is left to do, and the exit code says whether every run counts.

    One that was struck in each of its repetitions does not, and says why.
    """
    hold(victim, before)
    record, outcomes = store.load_campaign(victim.folder).record, store.outcomes(victim.folder)
    assert schedule.next_run(record.order, outcomes, record.plan.retries) is None
    settled = schedule.settled(record.order, outcomes, record.plan.retries)
    assert victim.end() == (0 if settled else 1), victim.told
    assert all(bool(one.reason) == (one.outcome is not Outcome.OK) for one in records(victim))
    assert list((victim.folder / store.UNFINISHED).iterdir()) == []
    assert (victim.folder / "report.html").exists()
    return records(victim)


def records(victim: Victim) -> list[RunRecord]:
    return [run.record for run in store.load_campaign(victim.folder).runs]


def one_line(victim: Victim) -> str:
    """What the campaign said when it could not go on: one line, and exit code 2."""
    assert victim.end() == 2, victim.told
    assert victim.complained.count("\n") == 1, victim.complained
    assert victim.complained.startswith("suite: ")
    return victim.complained


def processes(victim: Victim) -> Iterator[psutil.Process]:
    """Workers and samplers by what they were born with: the run's folder, the campaign's lock."""
    for process in psutil.process_iter():
        try:
            variables, place = process.environ(), Path(process.cwd())
            ours = variables.get("JOULEMARK_LOCK") == victim.lock or (
                MARK in variables and place.is_relative_to(victim.folder)
            )
            if ours and process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except psutil.Error:
            continue


def containers(victim: Victim) -> list[str]:
    """Those that its harnesses have left, by their label."""
    if victim.environment != "docker":
        return []
    with closing(client(victim)) as engine:
        found = engine.containers.list(
            all=True, filters={"label": sandbox.HARNESS_LABEL}, ignore_removed=True
        )
        ours = [one for one in found if one.labels[sandbox.HARNESS_LABEL] in victim.harnesses]
        return [f"{one.name} {one.status} of {one.labels[sandbox.HARNESS_LABEL]}" for one in ours]


def cgroups(victim: Victim) -> list[Path]:
    """Of all runs that its harnesses started."""
    marks = tuple(mark.replace(":", "-") for mark in victim.harnesses)
    names = f"{sandbox.CGROUP_OF_ALL}/*/"
    found = [*sandbox.CGROUPS.glob(names), *sandbox.CGROUPS.glob(f"*/{names}")]
    return [place for place in found if place.name.startswith(marks)]


def client(victim: Victim) -> docker.DockerClient:
    """Of the engine on which the campaign runs."""
    address = victim.variables.get("DOCKER_HOST")
    return docker.DockerClient(base_url=address) if address else docker.from_env()


def _within(limit_s: float, left: Callable[[], list[psutil.Process]]) -> None:
    end_s = time.monotonic() + limit_s
    while found := left():
        assert time.monotonic() < end_s, f"left behind: {found}"
        time.sleep(0.05)
