"""When a node gets no work: what nothing can do without, what the other nodes have, and work that takes too long."""

from __future__ import annotations

from dataclasses import is_dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.cluster import fitness
from harness.cluster.places import Places
from harness.cluster.records import CheckRecord, NodeRecord
from harness.doctor import Check, Level


def check(name: str, level: Level) -> Check:
    return Check(name, level, f"{name} is {level}", "why")


def node(*missing: str) -> NodeRecord:
    checks = tuple(CheckRecord(name=name, level="missing", state="") for name in missing)
    return NodeRecord(node="n1", checks=checks)


def test_what_nothing_can_do_without_is_told() -> None:
    found = list(fitness.lacking([check("memory", Level.MISSING), check("swap", Level.WORSE)], []))
    assert found == ["memory: memory is missing"]


def test_a_node_need_not_have_what_the_others_lack_too() -> None:
    here = [check("energy", Level.MISSING), check("engine", Level.MISSING)]
    assert list(fitness.lacking(here, [])) == []
    assert list(fitness.lacking(here, [node("energy", "engine")])) == []
    assert list(fitness.lacking(here, [node("engine")])) == ["energy: energy is missing"]


def test_an_engine_that_does_not_answer_is_missed_by_containers_alone() -> None:
    checks = [check(name, Level.MISSING) for name in ("engine", "cuda in containers", "energy")]
    assert fitness.wanted(checks, {"docker"}) == checks
    for isolation in ("virtualenv", "interpreter", "apptainer"):
        assert [one.name for one in fitness.wanted(checks, {isolation})] == ["energy"]


def test_a_node_that_takes_much_longer_is_not_well() -> None:
    assert fitness.too_slow(1.0, []) == ""
    assert fitness.too_slow(1.0, [0.9, 1.0, 1.1]) == ""
    assert "2 s" in fitness.too_slow(2.0, [0.9, 1.0, 1.1])


def test_what_disturbs_for_a_moment_does_not_count() -> None:
    assert fitness.fastest(None, 2.0) == 2.0
    assert fitness.fastest(2.0, 1.0) == 1.0
    assert fitness.fastest(2.0, None) == 2.0


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A node whose checks are all well; what is waited for."""
    waited: list[float] = []
    monkeypatch.setattr(fitness, "every_check", lambda: iter(()))
    monkeypatch.setattr(fitness, "replace", _replaced)
    monkeypatch.setattr(fitness.disk, "nodes", lambda places: [NodeRecord(node="n1", control_s=1.0)])
    monkeypatch.setattr(fitness.disk, "reference", lambda places, record: record)
    monkeypatch.setattr(fitness, "why_other", lambda reference, here: "")
    monkeypatch.setattr(fitness, "carry_out_held", lambda campaign, observer: True)
    monkeypatch.setattr("harness.cluster.fitness.time.sleep", waited.append)
    return waited


def _replaced(one: Any, **changed: Any) -> Any:
    return replace(one, **changed) if is_dataclass(one) else one


def examined(monkeypatch: pytest.MonkeyPatch, *control_s: float) -> fitness.Examined:
    """A second node, whose control workload takes these seconds, one try after the other."""
    told = iter(control_s)
    monkeypatch.setattr(fitness, "_control_s", lambda folder: next(told))
    campaign: Any = SimpleNamespace(environments={}, folder=Path("a/b"), record=lambda: None)
    watcher: Any = None
    return fitness.examine(campaign, fitness.Examined("n2", 0.0), Places(Path("c")), watcher)


def test_a_node_that_is_slow_for_a_while_is_tried_again_and_later(
    slept: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert examined(monkeypatch, 2.0, 2.0, 2.0, 1.1).reason == ""
    assert slept == sorted(slept)
    assert sum(slept) > 10


def test_one_that_stays_slow_gets_no_work(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    found = examined(monkeypatch, *[2.0] * len(fitness.PAUSES_S))
    assert found.reason == "its control workload took 2 s, where the other nodes take 1 s"


def test_one_that_is_well_waits_for_nothing(slept: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    assert examined(monkeypatch, 1.0).reason == ""
    assert slept == [0.0]
