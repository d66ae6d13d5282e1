"""The Docker engine is killed (-9) during a run: the campaign waits for it, and goes on when it is back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from harness.environments.bases import LOCAL_BASE
from harness.environments.container import ENGINE_LEFT
from harness.records import Outcome
from tests.harness.environments.own_engine import OwnEngine
from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]
AWAY_S = 0.5
IMPATIENT = """
from harness.campaign import execution
from harness.environments import engine
execution.EXIT_TIMEOUT_S = engine.RETURNS_WITHIN_S = 2.0
"""


@pytest.fixture(scope="module")
def second(image: str) -> Iterator[OwnEngine]:
    """It may be killed: the machine's own engine serves others too."""
    with OwnEngine() as one:
        one.take(image, LOCAL_BASE)
        yield one


def on(engine: OwnEngine) -> dict[str, str]:
    return {"DOCKER_HOST": engine.address}


@pytest.mark.parametrize("live_restore", [False, True])
def test_an_engine_that_comes_back(
    live_restore: bool, second: OwnEngine, campaign: Callable[..., Victim]
) -> None:
    """Without live restore the container goes with it, with live restore the run does not even notice."""
    victim = campaign("docker", variables=on(second), blocks=1, epochs=20)
    second.kill()
    second.start(*["--live-restore"] * live_restore)
    victim.begin()
    victim.until(victim.phase("train"))
    second.kill()
    time.sleep(AWAY_S)
    second.start(*["--live-restore"] * live_restore)
    assert victim.end() == 0, victim.told
    outcomes = {record.planned.run_id: record.reason for record in laws.complete(victim, {})}
    first = next(iter(outcomes))
    assert outcomes[first] == ("" if live_restore else ENGINE_LEFT)
    assert len(outcomes) == (1 if live_restore else 2)


def test_an_engine_that_stays_away(second: OwnEngine, campaign: Callable[..., Victim]) -> None:
    """No run is burned for it: the campaign ends with one line, and goes on once there is an engine again."""
    victim = campaign("docker", variables=on(second), retries=0, patch=IMPATIENT)
    victim.begin()
    victim.until(victim.runs(1))
    victim.until(victim.phase("train"))
    second.kill()
    assert victim.end() == 2, victim.told
    assert victim.complained.splitlines()[-1].startswith(
        "suite: the Docker engine has not answered for 2 s; start it"
    )
    assert "Traceback" not in victim.complained
    second.start()
    seen = laws.hold(victim, {}, swept=False)
    assert len(seen) == 1
    assert [record.outcome for record in laws.go_on_to_the_end(victim, seen)] == [Outcome.OK, Outcome.OK]


def test_an_engine_that_dies_while_an_environment_is_prepared(
    second: OwnEngine, campaign: Callable[..., Victim]
) -> None:
    """One line, nothing of a campaign, and the same command does once there is an engine again."""
    dies = (
        "import os\nfrom harness.environments import images\nfind = images.ensure_image\n"
        f"def ensure(*words, **more):\n    found = find(*words, **more)\n    os.kill({second.process.pid}, 9)\n"
        "    return found\nimages.ensure_image = ensure"
    )
    victim = campaign("docker", variables=on(second), blocks=1, patch=dies)
    victim.begin()
    assert "sklearn" in laws.one_line(victim)
    assert laws.hold(victim, {}, swept=False) == {}
    second.kill()
    second.start()
    victim.patch = ""
    assert len(laws.go_on_to_the_end(victim, {})) == 1


def test_an_engine_that_dies_while_a_container_is_removed(
    second: OwnEngine, campaign: Callable[..., Victim]
) -> None:
    """It stayed on the machine until the next campaign; it is gone when this one has ended."""
    refuses = (
        "from harness.environments.container import ContainerJob\n"
        "from requests.exceptions import ConnectionError\n"
        "def refuse(job):\n    raise ConnectionError('the engine died')\n"
        "ContainerJob._end_and_remove = refuse"
    )
    victim = campaign("docker", variables=on(second), blocks=1, patch=refuses)
    victim.begin()
    assert victim.end() == 0, victim.told
    assert "is left behind" in victim.complained
    assert len(laws.complete(victim, {})) == 1
