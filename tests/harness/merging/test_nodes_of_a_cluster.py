"""Campaigns that clusters carried out are merged as those of their nodes: nothing lost, nothing twice."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import merging, store
from harness.analysis.summary import analyse
from harness.cluster import nodes as of_cluster
from harness.cluster.nodes import Collected
from harness.cluster.records import BlockRecord
from harness.errors import CampaignError, UsageError
from harness.findings.codes import Code
from harness.records import SourceRecord
from reports.render import render
from tests.campaigns import MACHINE, build
from tests.harness.merging.nodes import PLAN, change, later, node, sums

TAKEN = {1: "n1", 2: "n2", 3: "n1", 4: "n2"}


def cluster(folder: Path, seed: int = 1, taken: Mapping[int, str] = TAKEN, **machine: Any) -> Path:
    """What a controller leaves of four blocks on two nodes of one image; `machine`: what is theirs."""
    facts = {**MACHINE, "machine_id": "c" * 32, **machine}
    built = build(folder, replace(PLAN, blocks=len(taken), seed=seed, machine=facts))
    later(folder, 10_000 * seed)
    blocks = [Collected(_by(block, name), built.record) for block, name in taken.items()]
    store.write_record(folder / store.CAMPAIGN_FILE, of_cluster.record_of(built.record, blocks))
    return folder


def _by(block: int, name: str) -> BlockRecord:
    return BlockRecord(block=block, job_id="1", node=name, booted_s=0.0, begin_ns=0, end_ns=1)


@pytest.fixture
def both(tmp_path: Path) -> list[Path]:
    """A cluster's campaign, and one of a machine without a scheduler."""
    return [cluster(tmp_path / "cluster"), node(tmp_path / "alone", 7)]


def test_each_run_is_there_once_as_it_was_under_the_node_that_made_it(
    both: list[Path], tmp_path: Path
) -> None:
    out = merging.merge(both, tmp_path / "all")
    there = sums(out / store.RUNS)
    given = [sums(one / store.RUNS) for one in both]
    assert Counter(there.values()) == Counter(digest for one in given for digest in one.values())
    campaign = store.load_campaign(out)
    assert (
        len({run.record.planned.run_id for run in campaign.runs}) == len(campaign.runs) == len(campaign.order)
    )
    whose = {(run.record.planned.block, run.source) for run in campaign.runs if run.record.planned.block}
    assert len({block for block, _ in whose}) == len(whose) == campaign.record.plan.repetitions == 6
    assert list(analyse(campaign).runs["node"].unique()) == [1, 2, 3]


def test_blocks_keep_their_runs_together_and_their_own_baseline(both: list[Path], tmp_path: Path) -> None:
    for block in TAKEN:
        store.baseline_path(both[0], block).write_bytes(f"1 {block}".encode())
    out = merging.merge(both, tmp_path / "all")
    sources = store.load_campaign(out).record.sources
    (second,) = (one for one in sources if one.node_name == "n2")
    assert second.own_blocks == (2, 4)
    for place, own in enumerate((2, 4), second.after + 1):
        assert store.baseline_path(out, place).read_bytes() == f"1 {own}".encode()
    for run in store.load_campaign(out).runs:
        stored = json.loads((run.folder / store.RUN_FILE).read_text())["planned"]["block"]
        source = sources[run.source - 1]
        assert source.numbered[run.record.planned.block - source.after - 1] == stored


def test_a_node_counts_once_over_two_campaigns_of_one_cluster(tmp_path: Path) -> None:
    given = [cluster(tmp_path / f"of-{seed}", seed) for seed in (1, 2)]
    sources = store.load_campaign(merging.merge(given, tmp_path / "all")).record.sources
    assert sorted((one.node_name, one.node) for one in sources) == [
        ("n1", 1),
        ("n1", 1),
        ("n2", 2),
        ("n2", 2),
    ]


def test_a_node_counts_once_also_where_a_campaign_used_no_other(tmp_path: Path) -> None:
    """Each more would make every interval too narrow."""
    both, alone = cluster(tmp_path / "both", 1), cluster(tmp_path / "alone", 2, {1: "n1", 2: "n1"})
    sources = store.load_campaign(merging.merge([both, alone], tmp_path / "all")).record.sources
    assert {(one.node_name, one.node) for one in sources} == {("n1", 1), ("n2", 2)}


def test_nodes_with_ids_of_their_own_are_known_by_them(tmp_path: Path) -> None:
    """So that a machine which measured alone, too, is none beside itself."""
    one = cluster(tmp_path / "cluster", taken={1: "n1", 2: "n1"}, machine_id=f"{7:032x}")
    out = merging.merge([one, node(tmp_path / "alone", 7)], tmp_path / "all")
    assert {each.node for each in store.load_campaign(out).record.sources} == {1}


def test_merging_in_steps_is_merging_at_once(tmp_path: Path, both: list[Path]) -> None:
    further = cluster(tmp_path / "further", 2)
    at_once = merging.merge([*both, further], tmp_path / "at-once" / "all")
    two = merging.merge(both, tmp_path / "two")
    assert sums(merging.merge([further, two], tmp_path / "in-steps" / "all")) == sums(at_once)


def test_the_records_of_what_was_merged_hold_by_their_sums(both: list[Path], tmp_path: Path) -> None:
    out = merging.merge(both, tmp_path / "all")
    for number in (1, 2):
        command = ["sha256sum", "--quiet", "--strict", "-c", out / store.SOURCES / str(number) / "SHA256SUMS"]
        subprocess.run(command, cwd=both[0], check=True)


def test_the_same_cluster_campaign_twice_is_refused(both: list[Path], tmp_path: Path) -> None:
    subprocess.run(["cp", "-r", both[0], tmp_path / "copy"], check=True)
    for other in (tmp_path / "copy", merging.merge(both, tmp_path / "before")):
        with pytest.raises(UsageError, match="hold the same runs"):
            merging.merge([both[0], other], tmp_path / "all")


def test_what_the_nodes_differ_in_is_said_once_and_of_all(tmp_path: Path, both: list[Path]) -> None:
    change(both[0], sources=[_unlike(one) for one in store.load_campaign(both[0]).record.sources])
    found = store.load_campaign(merging.merge(both, tmp_path / "all")).record.findings
    told = [
        one.message for one in found if one.code == Code.NODES_DIFFER and one.message.startswith("kernel")
    ]
    assert len(told) == 1


def _unlike(source: SourceRecord) -> dict[str, Any]:
    return source.model_copy(update={"machine": {**source.machine, "kernel": f"6.{source.node}"}}).model_dump(
        mode="json"
    )


def test_the_report_names_node_and_campaign(both: list[Path], tmp_path: Path) -> None:
    change(both[0], campaign_id="cluster")
    html = render(store.load_campaign(merging.merge(both, tmp_path / "all")))
    assert "cluster, n1" in html
    assert "cluster, n2" in html


def test_a_run_of_no_node_is_refused(both: list[Path], tmp_path: Path) -> None:
    sources = [one.model_dump(mode="json") for one in store.load_campaign(both[0]).record.sources]
    change(both[0], sources=sources[:1])
    with pytest.raises(UsageError, match="which node made it"):
        merging.merge(both, tmp_path / "all")


def test_blocks_that_a_merged_record_makes_up_are_refused(both: list[Path], tmp_path: Path) -> None:
    out = merging.merge(both, tmp_path / "all")
    sources = [one.model_dump(mode="json") for one in store.load_campaign(out).record.sources]
    sources[0]["own_blocks"] = [1, 4]
    change(out, sources=sources)
    store.load_campaign(out)
    with pytest.raises((UsageError, CampaignError), match="none of its nodes has"):
        merging.merge([out, node(tmp_path / "more", 9)], tmp_path / "again")


def test_an_anonymous_cluster_campaign_is_refused(both: list[Path], tmp_path: Path) -> None:
    change(both[0], machine__anonymous=True)
    with pytest.raises(UsageError, match="it is anonymous"):
        merging.merge(both, tmp_path / "all")
