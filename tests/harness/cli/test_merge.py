"""suite merge: what it says, what it refuses in one line, and that every command reads what it made."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.campaign import lock
from tests.harness.cli.conftest import Answer
from tests.harness.merging.nodes import PLAN, node, nodes, sums

Suite = Callable[..., Answer]


@pytest.fixture
def merged(tmp_path: Path, suite: Suite) -> Path:
    answer = suite("merge", *nodes(tmp_path, 3), "-o", tmp_path / "all")
    assert answer.code == 0, answer.err
    return tmp_path / "all"


def test_it_says_what_became_of_each_campaign(tmp_path: Path, suite: Suite) -> None:
    given = [node(tmp_path / "a", 1), node(tmp_path / "b", 2, kernel="6.9.0")]
    said = suite("merge", *given, "-o", tmp_path / "all").out
    assert "node 1, blocks 1 to 2" in said and "node 2, blocks 3 to 4" in said
    assert "nodes-differ: kernel: node 1: 6.8.0; node 2: 6.9.0" in said and str(tmp_path / "all") in said


@pytest.mark.unhurried
def test_every_command_reads_it(merged: Path, suite: Suite, tmp_path: Path) -> None:
    before = sums(merged)
    assert "merged of 3 campaigns: nodes 3, sessions 3" in suite("status", merged).out
    compared = suite("compare", merged, "--format", "json")
    assert {row["over"] for row in json.loads(compared.out)} == {"nodes"}
    assert "nodes" in suite("compare", merged).out
    assert suite("statistics", merged).code == 0
    gate = suite("gate", merged, "--reference", "torch", "--max-increase", "80%")
    assert gate.code == 0, gate.out + gate.err
    assert suite("report", merged, "-o", tmp_path / "report.html").code == 0
    assert suite("export", merged, "-o", tmp_path / "tables").code == 0
    own = pd.read_csv(tmp_path / "tables" / "nodes.csv")
    assert sorted(own["number"].unique()) == [1, 2, 3]
    runs = pd.read_csv(tmp_path / "tables" / "runs.csv")
    assert sorted(runs["node"].unique()) == [1, 2, 3] and runs["run_id"].is_unique
    assert {**sums(merged)} == before


@pytest.mark.unhurried
def test_a_bundle_of_it_makes_the_same_report_again(merged: Path, suite: Suite, tmp_path: Path) -> None:
    assert suite("export", merged, "--format", "bundle", "-o", tmp_path / "out").code == 0
    answer = suite("report", tmp_path / "out" / "all.tar.gz", "-o", tmp_path / "again.html")
    assert answer.code == 0 and "the same bytes" in answer.out


@pytest.mark.unhurried
def test_what_identifies_its_machines_can_be_left_out(merged: Path, suite: Suite, tmp_path: Path) -> None:
    answer = suite("export", merged, "--anonymous", "--format", "bundle", "-o", tmp_path / "out")
    assert answer.code == 0, answer.err
    assert suite("report", tmp_path / "out" / "all.tar.gz", "-o", tmp_path / "again.html").code == 0
    import tarfile

    with tarfile.open(tmp_path / "out" / "all.tar.gz") as bundle:
        texts = [bundle.extractfile(one).read() for one in bundle if one.name.endswith((".json", ".html"))]
    assert texts and not any(f"{number:032x}".encode() in text for text in texts for number in (1, 2, 3))


def test_a_gate_between_two_merged_campaigns_takes_nodes_as_replicates(
    merged: Path, suite: Suite, tmp_path: Path
) -> None:
    later = [node(tmp_path / f"later{number}", number + 10) for number in (1, 2, 3)]
    assert suite("merge", *later, "-o", tmp_path / "new").code == 0
    answer = suite("compare", merged, tmp_path / "new", "--across-machines", "--format", "json")
    rows = json.loads(answer.out)
    assert {row["method"] for row in rows} == {"sessions: 3 against 3"}


def test_it_never_goes_on(merged: Path, refused: Callable[..., str]) -> None:
    assert "go on with each campaign on its own machine" in refused("run", "--resume", merged)


def test_mistakes_are_one_line_and_nothing_is_written(tmp_path: Path, refused: Callable[..., str]) -> None:
    one, two = nodes(tmp_path, 2)
    out = tmp_path / "all"
    assert "nothing does not exist" in refused("merge", one, tmp_path / "nothing", "-o", out)
    assert "hold the same runs" in refused("merge", one, one, "-o", out)
    assert "at least two" in refused("merge", one, "-o", out)
    other = node(tmp_path / "other", 3, type(PLAN)(**{**vars(PLAN), "plan_seed": 7}))
    assert "the plan's seed (1, 7)" in refused("merge", one, other, "-o", out)
    with lock.hold(two):
        assert "is being carried out" in refused("merge", one, two, "-o", out)
    assert "exists already" in refused("merge", one, two, "-o", one)
    assert not out.exists()
