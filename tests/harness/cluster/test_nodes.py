"""Which node did what, as a campaign's record tells it: a node counts once, other hardware does not take part."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cluster import nodes
from harness.cluster.nodes import Collected
from harness.cluster.records import BlockRecord
from harness.findings.codes import Code
from harness.records import CampaignRecord
from harness.records.source import by_block, of_block
from tests import campaigns

BOOTED_S = 1_700_000_000.0


def record(**machine: Any) -> CampaignRecord:
    recipe = campaigns.Recipe(blocks=6, machine={**campaigns.MACHINE, **machine})
    return campaigns.campaign_record(recipe, np.random.default_rng(1))


PLANNED = record().model_copy(update={"machine": {}, "channels": ()})


def block(number: int, node: str, booted_s: float = BOOTED_S, **machine: Any) -> Collected:
    by = BlockRecord(block=number, job_id=str(number), node=node, booted_s=booted_s, begin_ns=0, end_ns=1)
    return Collected(by, record(**machine))


@given(st.lists(st.sampled_from(["n1", "n2", "n3"]), min_size=1, max_size=6))
def test_each_block_is_of_one_source_and_each_node_has_one_number(names: list[str]) -> None:
    found = nodes.record_of(PLANNED, [block(n, name) for n, name in enumerate(names)]).sources
    assert sorted(each for one in found for each in one.taken) == list(range(len(names)))
    for number, name in enumerate(names):
        source = found[of_block(number, found) - 1]
        assert source.node_name == name
        assert by_block(found)[number] == of_block(number, found)
    assert len({one.node for one in found}) == len(set(names))


def test_nodes_of_one_image_are_two_though_their_machine_id_is_one() -> None:
    found = nodes.record_of(PLANNED, [block(1, "n1"), block(2, "n2")]).sources
    assert [one.node for one in found] == [1, 2]


def test_a_node_that_was_started_anew_or_set_otherwise_is_another_session() -> None:
    several = [
        block(1, "n1"),
        block(2, "n1", BOOTED_S + 3600),
        block(3, "n1", settings={"smt": "off"}),
        block(4, "n1"),
    ]
    found = nodes.record_of(PLANNED, several).sources
    assert [one.taken for one in found] == [(1, 4), (2,), (3,)]
    assert {one.node for one in found} == {1}
    assert [one.session for one in found] == [1, 2, 3]


def test_the_record_keeps_its_plan_and_tells_what_all_nodes_share() -> None:
    found = nodes.record_of(PLANNED, [block(1, "n1", kernel="6.8"), block(2, "n2", kernel="6.9")])
    assert (found.plan, found.order) == (PLANNED.plan, PLANNED.order)
    assert found.machine["cpu_model"] == campaigns.MACHINE["cpu_model"]
    assert found.machine["kernel"] is None
    (told,) = [one for one in found.findings if one.code == Code.NODES_DIFFER]
    assert "node n1: 6.8; node n2: 6.9" in told.message


def test_telling_it_again_says_nothing_twice() -> None:
    several = [block(1, "n1", kernel="6.8"), block(2, "n2", kernel="6.9")]
    once = nodes.record_of(PLANNED, several)
    assert nodes.record_of(once, several) == once


def test_before_any_block_nothing_is_known() -> None:
    assert nodes.record_of(PLANNED, []) == PLANNED


def test_the_same_node_may_take_part() -> None:
    assert nodes.why_other(record(), record(machine_id="f" * 32, kernel="6.9")) == ""


@pytest.mark.parametrize(
    ("name", "value"), [("cpu_model", "Another CPU"), ("logical_cpus", 16), ("memory_bytes", 32_000_000_000)]
)
def test_other_hardware_may_not(name: str, value: object) -> None:
    assert name in nodes.why_other(record(), record(**{name: value}))


def test_other_energy_channels_may_not() -> None:
    other = campaigns.campaign_record(
        replace(campaigns.Recipe(blocks=6), meter="estimate"), np.random.default_rng(1)
    )
    assert "energy channels" in nodes.why_other(record(), other)


def test_other_workloads_may_not() -> None:
    other = record().model_copy(update={"suite_sha256": "00" * 32})
    assert "the workloads in suite/" in nodes.why_other(record(), other)
