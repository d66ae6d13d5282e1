"""The harness is killed (-9): what it leaves ends by itself, or goes when the campaign goes on."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest

from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = pytest.mark.unhurried
KILLS = 12
LONGEST_S = 4.5  # until a kill: the start of the program, a baseline, a run or two


def killed(victim: Victim, moment: Callable[[], bool], before: laws.Runs) -> laws.Runs:
    victim.begin()
    victim.until(moment)
    victim.kill()
    return laws.hold(victim, before, swept=False)


def test_a_kill_in_each_step_of_a_campaign(campaign: Callable[..., Victim]) -> None:
    victim = campaign()
    killed(victim, victim.baseline, {})
    seen = killed(victim, victim.runs(1), {})
    assert len(seen) == 1
    for moment in (victim.cool_down, victim.startup, victim.phase("import"), victim.phase("train")):
        assert killed(victim, moment, seen) == seen
    assert len(laws.go_on_to_the_end(victim, seen)) == 2


@pytest.mark.engine
def test_a_dozen_random_kills_over_containers(image: str, campaign: Callable[..., Victim]) -> None:
    victim, draw = campaign("docker", blocks=4), random.Random(2022)
    seen: laws.Runs = {}
    for _ in range(KILLS):
        victim.begin()
        time.sleep(draw.uniform(0.0, LONGEST_S))
        victim.kill()
        seen = laws.hold(victim, seen, swept=False)
    assert len(laws.go_on_to_the_end(victim, seen)) == 4
