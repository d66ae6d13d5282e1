"""A run that is killed from outside is failed with the reason and made again; the campaign goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import docker
import psutil
import pytest
from docker.models.containers import Container

from harness.environments import sandbox
from harness.records import Outcome
from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = pytest.mark.unhurried
SIGKILL = "SIGKILL"


def each_is_repeated(victim: Victim, blows: Sequence[Callable[[], None]]) -> list[str]:
    """One blow for the first run of each block; the reasons of the runs that got them, all others being sound."""
    victim.begin()
    for number, blow in enumerate(blows):
        victim.until(victim.runs(2 * number))
        victim.until(victim.phase("train"))
        blow()
    assert victim.end() == 0, victim.told
    records = laws.complete(victim, {})
    assert [one.outcome for one in records] == [Outcome.FAILED, Outcome.OK] * len(blows)
    for struck, again in zip(records[::2], records[1::2], strict=True):
        assert again.planned.run_id == f"{struck.planned.run_id}-again-1"
        assert struck.reason in victim.said
    return [one.reason for one in records[::2]]


def test_a_worker_process_that_is_killed(campaign: Callable[..., Victim]) -> None:
    victim = campaign(blocks=1, epochs=20)
    (reason,) = each_is_repeated(victim, [lambda: worker(victim).kill()])
    assert SIGKILL in reason


@pytest.mark.engine
def test_containers_that_are_killed_and_removed(image: str, campaign: Callable[..., Victim]) -> None:
    """By the engine, by the kernel at their first process, and by whoever cleans up."""
    victim = campaign("docker", blocks=3, epochs=20)
    blows = (
        lambda: container(victim).kill(),
        lambda: psutil.Process(container(victim).attrs["State"]["Pid"]).kill(),
        lambda: container(victim).remove(force=True),
    )
    *killed, removed = each_is_repeated(victim, blows)
    assert all(SIGKILL in reason for reason in killed)
    assert (
        "removed" in removed or SIGKILL in removed
    )  # the engine kills it first, and the harness may see that


def worker(victim: Victim) -> psutil.Process:
    return next(one for one in victim.children if "suite.run" in one.cmdline())


def container(victim: Victim) -> Container:
    with closing(docker.from_env()) as engine:
        label = {"label": f"{sandbox.HARNESS_LABEL}={victim.harnesses[-1]}"}
        (found,) = engine.containers.list(filters=label)
        return found
