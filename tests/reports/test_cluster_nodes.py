"""The section of nodes of a campaign that a cluster carried out as one plan: whose blocks were whose, by name."""

from __future__ import annotations

import pytest

from harness import store
from harness.cluster import nodes
from harness.cluster.nodes import Collected
from harness.cluster.records import BlockRecord
from harness.store import Campaign
from reports.render import render
from tests import campaigns
from tests.campaigns import Recipe

NAMES = {1: "gpu-a", 2: "gpu-b", 3: "gpu-a", 4: "gpu-b", 5: "<b>c</b>", 6: "<b>c</b>"}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Six blocks on three nodes, of which the last has a name that no node can have."""
    built = campaigns.build(tmp_path_factory.mktemp("c") / "campaign", Recipe(blocks=6))
    several = [Collected(_by(block), built.record) for block in NAMES]
    told = nodes.record_of(built.record, several)
    named = [one.model_copy(update={"node_name": NAMES[one.taken[0]]}) for one in told.sources]
    store.write_record(built.folder / store.CAMPAIGN_FILE, told.model_copy(update={"sources": tuple(named)}))
    return store.load_campaign(built.folder)


def _by(block: int) -> BlockRecord:
    name = f"n{list(dict.fromkeys(NAMES.values())).index(NAMES[block])}"
    return BlockRecord(block=block, job_id="1", node=name, booted_s=0.0, begin_ns=0, end_ns=1)


def test_every_run_has_its_node(campaign: Campaign) -> None:
    assert {(run.record.planned.block, run.source) for run in campaign.runs} == {
        (1, 1), (2, 2), (3, 1), (4, 2), (5, 3), (6, 3),
    }  # fmt: skip


def test_the_report_tells_ratios_over_nodes_and_who_did_what(campaign: Campaign) -> None:
    html = render(campaign)
    assert "Carried out on a cluster: 3 nodes, 3 sessions" in html
    assert "Every ratio on this page is told over nodes" in html
    assert "Which node did what" in html
    assert "gpu-a" in html
    assert "1, 3" in html


def test_a_node_s_name_is_shown_as_text(campaign: Campaign) -> None:
    html = render(campaign)
    assert "<b>c</b>" not in html
    assert "&lt;b&gt;c&lt;/b&gt;" in html
