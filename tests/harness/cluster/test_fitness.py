"""When a node gets no work: what nothing can do without, what the other nodes have, and work that takes too long."""

from __future__ import annotations

from harness.cluster import fitness
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
