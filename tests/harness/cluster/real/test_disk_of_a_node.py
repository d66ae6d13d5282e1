"""The disk on which a node works fills up in the middle of a block: said with the reason, and made anew by --resume."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cluster import disk
from harness.cluster.places import Places
from harness.cluster.records import Ending
from tests.harness.cluster.real import jobs
from tests.harness.cluster.real.conftest import Shell
from tests.slurm import Slurm, wait_for
from tests.small_disks import fill, small_disk

pytestmark = [pytest.mark.slurm, pytest.mark.unhurried, pytest.mark.frameworks]
BLOCKS = (1,)
SIZE = "200m"  # more than a block wants to see free


def test_a_full_disk_is_the_outcome_s_reason_and_resume_completes_the_campaign_once_there_is_room(
    slurm: Slurm, shell: Shell, plan: Callable[..., Path], tmp_path: Path
) -> None:
    folder = tmp_path / "campaign"
    with small_disk(tmp_path / "node", SIZE) as place:
        there = Shell(shell.folder, {**shell.environment, "SLURM_TMPDIR": str(place)})
        words = jobs.words(plan(blocks=len(BLOCKS), rounds=0))
        with jobs.ended(there.start(*words, "--time", "10", "-o", folder)) as controller:
            one = jobs.measuring(slurm, folder)
            ballast = fill(place)
            one.worker.resume()
            said, _ = controller.communicate(timeout=300)
        assert controller.returncode == 1, said
        assert "Traceback" not in said
        (job,) = disk.jobs(Places(folder))
        assert job.ending is Ending.FAILED
        assert str(place) in job.reason
        assert f"block 1: failed: {job.reason} (job {job.job_id}, {one.node})" in " ".join(said.split())
        wait_for(lambda: slurm.processes() == [], jobs.WITHIN_S, "no orphan of any job")
        ballast.unlink()
        assert list(place.iterdir()) == []
        jobs.complete(there, folder, BLOCKS)
