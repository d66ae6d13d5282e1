"""A hot machine is waited for, a machine at rest is not, and a wait that ends in vain is told."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from harness.campaign import cool_down
from harness.campaign.cool_down import Look, Rest
from harness.meters.base import Stamped
from harness.records import ChannelKind, CoolDown
from harness.sampling.client import Sampler
from tests.campaigns import channel
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.sampling.test_client import POWER_MODEL

RULE = CoolDown(at_least_s=4.0, at_most_s=60.0)
REST = Rest(50.0, {"nvml/gpu-0/temperature": 40.0})
COUNTER = channel("rapl/package-0", "rapl", "J", "cpu_package", boundary=True, wraps_at=1000.0)
GAUGE = channel("nvml/gpu-0/power", "nvml", "W", "gpu", kind=ChannelKind.GAUGE, boundary=True)


class Machine:
    """Draws so many watts in each look's interval, at so many degrees; sleeping moves its clock."""

    def __init__(self, watts: Sequence[float], degrees: Sequence[float] = (40.0,)) -> None:
        self.now_s, self.energy_j, self.slept_s = 0.0, 990.0, 0.0
        self._watts = itertools.chain(watts, itertools.repeat(watts[-1]))
        self._degrees: Iterator[float] = itertools.chain(degrees, itertools.repeat(degrees[-1]))

    def look(self) -> Look:
        readings = {COUNTER.name: self.energy_j % 1000.0, "nvml/gpu-0/temperature": next(self._degrees)}
        return int(self.now_s * 1e9), readings

    def sleep(self, duration_s: float) -> None:
        self.now_s += duration_s
        self.slept_s += duration_s
        self.energy_j += next(self._watts) * duration_s


def waited(machine: Machine, rest: Rest | None = REST, rule: CoolDown = RULE) -> tuple[float, list[str]]:
    found = [one.code for one in cool_down.wait(machine.look, [COUNTER], rest, rule, machine.sleep)]
    return machine.slept_s, found


def test_a_machine_at_rest_waits_for_the_least_time_only() -> None:
    assert waited(Machine([50.0])) == (4.0, [])
    assert waited(Machine([30.0], [20.0])) == (4.0, [])  # cooler than at rest is at rest


def test_power_and_heat_are_waited_for_through_the_counters_wraps() -> None:
    assert waited(Machine([200.0, 150.0, 53.0, 52.0, 50.0])) == (10.0, [])  # 53 W are beyond 5 %
    assert waited(Machine([50.0], [60.0, 50.0, 44.0, 43.5, 42.9])) == (10.0, [])
    assert waited(Machine([50.0, 90.0, 50.0])) == (8.0, []), "the rest must be unbroken"


def test_a_machine_that_stays_hot_is_told_and_measured_all_the_same() -> None:
    slept_s, found = waited(Machine([90.0]))
    assert (slept_s, found) == (60.0, ["cool-down-timed-out"])


@pytest.mark.parametrize(("rest", "rule"), [(None, RULE), (REST, CoolDown(at_most_s=0))])
def test_without_a_baseline_or_a_rule_nothing_is_waited_for(rest: Rest | None, rule: CoolDown) -> None:
    assert waited(Machine([90.0]), rest, rule) == (0.0, [])


def test_power_is_the_sum_over_the_boundary_or_unknown() -> None:
    before = 0, {COUNTER.name: 990.0, GAUGE.name: 300.0}
    after = 2 * 10**9, {COUNTER.name: 10.0, GAUGE.name: 100.0}
    assert cool_down.power_between(before, after, [COUNTER, GAUGE]) == pytest.approx(10 + 200)
    assert cool_down.power_between(before, (2 * 10**9, {COUNTER.name: 10.0}), [COUNTER, GAUGE]) is None
    assert not cool_down.at_rest(None, {}, REST, RULE)


def test_a_late_answer_counts_at_its_own_time_and_a_counter_only_once_it_moves() -> None:
    before = 0, {COUNTER.name: Stamped(100.0, -(10**9))}
    after = 2 * 10**9, {COUNTER.name: Stamped(160.0, 2 * 10**9)}
    assert cool_down.power_between(before, after, [COUNTER]) == pytest.approx(20.0)
    assert cool_down.power_between(before, before, [COUNTER]) is None
    still = 2 * 10**9, {COUNTER.name: Stamped(100.0, 2 * 10**9)}
    assert cool_down.power_between(before, still, [COUNTER]) is None


def test_a_meter_that_is_slower_than_the_looks_tells_of_all_the_time_since() -> None:
    """Its counter moves once in 6 s: at rest after the second move, though most looks show no growth at all."""
    machine = Machine([50.0])
    counted = Machine([50.0])

    def look() -> Look:
        counted.energy_j = 990.0 + 50.0 * (machine.now_s // 6 * 6)
        return int(machine.now_s * 1e9), counted.look()[1]

    assert list(cool_down.wait(look, [COUNTER], REST, RULE, machine.sleep)) == []
    assert machine.slept_s == 6.0
    machine.now_s = machine.slept_s = 0.0
    hot = list(cool_down.wait(look, [COUNTER], Rest(10.0, {}), RULE, machine.sleep))
    assert [one.code for one in hot] == ["cool-down-timed-out"]


def test_the_sampler_looks_between_recordings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "powercap"))
    zones = [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]
    with PowercapTree(tmp_path / "powercap", zones), Sampler(POWER_MODEL, 0.1) as sampler:
        package = COUNTER.model_copy(update={"wraps_at": 262_143.0})
        found = list(
            cool_down.wait(sampler.look, [package], Rest(50.0, {}), CoolDown(at_least_s=1, at_most_s=5))
        )
        assert found == []
        hot = list(
            cool_down.wait(sampler.look, [package], Rest(20.0, {}), CoolDown(at_least_s=1, at_most_s=2))
        )
        assert [one.code for one in hot] == ["cool-down-timed-out"]
