"""Four blocks on two nodes of a real Slurm, end to end: one plan, one campaign, each node known."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from harness import store
from harness.analysis.tables import tables
from harness.cluster import disk
from harness.cluster.places import Places
from tests.harness.cluster.real.conftest import Shell
from tests.slurm import Slurm, wait_for

pytestmark = [pytest.mark.slurm, pytest.mark.unhurried, pytest.mark.frameworks]


@pytest.fixture(scope="module")
def carried_out(
    slurm: Slurm, shell: Shell, plan: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    """The campaign's folder, and what the screen said; Ctrl-C broke it off once, as soon as a job ran."""
    folder = tmp_path_factory.mktemp("results") / "campaign"
    words = ("--all", "--profile", plan(blocks=4), "--environment", "virtualenv", "-o", folder)
    begun = shell.start("run", *words, "--executor", "slurm", "--partition", "main", "--time", "10")
    wait_for(lambda: any(one.node for one in disk.jobs(Places(folder))), 120.0, "a job runs")
    begun.send_signal(signal.SIGINT)
    said, _ = begun.communicate(timeout=120)
    assert begun.returncode == 130, said
    assert "cancelling" in said
    assert "Traceback" not in said
    assert slurm.ask("squeue", "--noheader") == ""
    assert slurm.processes() == []
    slurm.wait_till_idle()
    code, said = shell.suite("run", "--resume", folder)
    assert code == 0, said
    assert {one.node: one.reason for one in disk.nodes(Places(folder))} == {"n1": "", "n2": ""}
    return folder, said


def test_every_planned_run_is_there_once_and_ok(carried_out: tuple[Path, str]) -> None:
    read = store.load_campaign(carried_out[0])
    assert sorted(run.record.planned.run_id for run in read.runs) == [one.run_id for one in read.order]
    assert {run.record.outcome for run in read.runs} == {"ok"}
    assert [one.stem for one in sorted((read.folder / store.BASELINES).iterdir())] == [
        f"block-000{n}" for n in (1, 2, 3, 4)
    ]


def test_the_record_tells_each_node_and_which_blocks_it_took(carried_out: tuple[Path, str]) -> None:
    sources = store.load_campaign(carried_out[0]).record.sources
    assert {one.node_name for one in sources} == {"n1", "n2"}
    assert sorted(block for one in sources for block in one.taken) == [1, 2, 3, 4]
    assert all(one.machine["cpu_model"] and one.channels for one in sources)


def test_treatments_stay_paired_within_a_node(carried_out: tuple[Path, str]) -> None:
    runs = tables(store.load_campaign(carried_out[0])).runs
    assert set(runs["node"]) == {1, 2}
    assert (runs.groupby("block")["node"].nunique() == 1).all()


def test_two_jobs_never_measured_at_once_on_the_host(carried_out: tuple[Path, str]) -> None:
    """Both nodes are this machine, so that all of their clocks are one."""
    runs = store.load_campaign(carried_out[0]).runs
    held = sorted((one.by.begin_ns, one.by.end_ns) for one in disk.blocks(Places(carried_out[0])))
    measured = sorted((run.record.start_ns, run.record.exit_ns) for run in runs)
    for several in (held, measured):
        assert all(before[1] <= after[0] for before, after in pairwise(several))
    assert all(any(begin <= start and end <= last for begin, last in held) for start, end in measured)


def test_the_screen_and_status_tell_the_nodes(carried_out: tuple[Path, str], shell: Shell) -> None:
    folder, said = carried_out
    assert [line for line in said.splitlines() if line.endswith("done on n1")]
    code, told = shell.suite("status", folder)
    assert code == 0
    assert "complete, 8 of 8 runs done" in told
    assert "on a cluster: nodes 2" in told
    assert "blocks: 4 done" in told


def test_each_node_was_examined_before_its_first_block(carried_out: tuple[Path, str]) -> None:
    nodes = disk.nodes(Places(carried_out[0]))
    assert [one.node for one in nodes] == ["n1", "n2"]
    assert all(one.fit and one.control_s and one.checks for one in nodes)


def test_it_can_be_merged_as_what_each_node_did(
    carried_out: tuple[Path, str], shell: Shell, tmp_path: Path
) -> None:
    code, said = shell.suite("merge", carried_out[0], "-o", tmp_path / "merged")
    assert code == 0, said
    before, merged = (store.load_campaign(one) for one in (carried_out[0], tmp_path / "merged"))
    assert {one.node_name for one in merged.record.sources} == {"n1", "n2"}
    files = (
        Counter((run.folder / store.RUN_FILE).read_bytes() for run in one.runs) for one in (before, merged)
    )
    assert next(files) == next(files)


def test_no_process_of_a_job_is_left(carried_out: tuple[Path, str], slurm: Slurm) -> None:
    wait_for(lambda: slurm.processes() == [], 60.0, "no process of any job")
