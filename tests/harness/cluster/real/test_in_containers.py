"""A campaign in containers over two nodes of a real Slurm: each node starts its own, and leaves none behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import docker
import pytest

from harness import store
from harness.environments import sandbox
from tests.harness.cluster.real.conftest import Shell
from tests.slurm import NODES

pytestmark = [pytest.mark.slurm, pytest.mark.engine, pytest.mark.unhurried, pytest.mark.frameworks]

BLOCKS = 2


def of_a_harness(engine: docker.DockerClient) -> set[str]:
    found = engine.containers.list(all=True, filters={"label": sandbox.HARNESS_LABEL}, ignore_removed=True)
    return {one.id for one in found}


def test_blocks_of_containers_end_on_both_nodes_and_leave_none(
    engine: docker.DockerClient, shell: Shell, plan: Callable[..., Path], tmp_path: Path
) -> None:
    folder, before = tmp_path / "campaign", of_a_harness(engine)
    words = ("--all", "--profile", plan(blocks=BLOCKS, rounds=0), "--environment", "docker", "-o", folder)
    code, said = shell.suite("run", *words, "--executor", "slurm", "--time", "10")
    assert code == 0, said
    read = store.load_campaign(folder)
    assert read.record.isolation == "docker"
    assert sorted(run.record.planned.run_id for run in read.runs) == [one.run_id for one in read.order]
    assert {run.record.outcome for run in read.runs} == {"ok"}
    assert len({run.record.environment["image_id"] for run in read.runs}) == 1
    taken = {one.node_name: one.taken for one in read.record.sources}
    assert set(taken) == set(NODES)
    assert sorted(block for blocks in taken.values() for block in blocks) == [*range(1, BLOCKS + 1)]
    assert of_a_harness(engine) <= before
