"""What the harness asks of the engine is what compose/suite.yaml says, filled in with the run's own."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.environments import compose, sandbox
from harness.environments.base import Job, worker_variables
from suite.protocol import ANSWERS, EVENTS, OUTPUT
from tests.harness.environments.containers import RUN

# Keys whose name or form differs between compose and the SDK; all others must be equal to the letter.
RUN_S_OWN = {"user", "cpuset", "mem_limit", "memswap_limit", "volumes", "environment", "tmpfs"}
ELSEWHERE = {"image", "profiles"}  # the image is named by its id


def settings_of(job: Job, service: str) -> dict[str, Any]:
    device = "cuda" if service.endswith("-cuda") else "cpu"
    return sandbox.container_arguments(job, (1, 2), "/joulemark/x", device)


def as_in_compose(settings: dict[str, Any]) -> dict[str, Any]:
    """The SDK's arguments back in compose's words."""
    back = dict(settings)
    log, requests = back.pop("log_config"), back.pop("device_requests")
    back["cpuset"] = back.pop("cpuset_cpus")
    back["tmpfs"] = [f"{path}:{options}" for path, options in back["tmpfs"].items()]
    back["logging"] = {"driver": log["Type"], "options": log["Config"]}
    back["volumes"] = [(one["Target"], one["Source"], one["ReadOnly"]) for one in back.pop("mounts")]
    if requests:
        (one,) = requests
        device = {"driver": one["Driver"], "count": "all", "capabilities": one["Capabilities"][0]}
        assert one["Count"] == -1, "all"
        back["deploy"] = {"resources": {"reservations": {"devices": [device]}}}
    return back


@pytest.mark.parametrize("service", sorted(compose.load()["services"]))
def test_every_key_of_a_service_reaches_the_engine_and_none_is_contradicted(service: str, job: Job) -> None:
    written = compose.load()["services"][service]
    asked = as_in_compose(settings_of(job, service))
    assert set(written) - set(asked) == ELSEWHERE & set(written)
    assert set(asked) - set(written) == {"labels", "cgroup_parent"}
    same = set(written) - RUN_S_OWN - ELSEWHERE
    assert {key: asked[key] for key in same} == {key: written[key] for key in same}


def test_what_the_file_leaves_open_is_the_run_s_own(job: Job) -> None:
    asked = as_in_compose(settings_of(job, "torch"))
    assert (asked["user"], asked["cpuset"]) == ("1:2", "0")
    most = str(sandbox.memory_bytes(job.limits))
    assert (asked["mem_limit"], asked["memswap_limit"]) == (most, most)
    assert asked["tmpfs"][0].endswith(f"size={job.limits.scratch_bytes},nr_inodes={job.limits.scratch_files}")
    assert asked["cgroup_parent"] == "/joulemark/x"
    assert asked["labels"][sandbox.RUN_LABEL] == RUN
    assert asked["volumes"] == [
        (sandbox.REQUEST, str(job.request), True),
        (f"{sandbox.JOB}/{EVENTS}", str(job.worker / EVENTS), False),
        (f"{sandbox.JOB}/{OUTPUT}", str(job.worker / OUTPUT), False),
        (f"{sandbox.JOB}/{ANSWERS}", str(job.worker / ANSWERS), False),
        (sandbox.DATA, str(job.data), True),
        (sandbox.STATE, str(job.state), True),
    ]


def test_a_path_with_a_dollar_is_not_taken_for_a_variable(job: Job) -> None:
    odd = replace(job, request=Path("/data/${HOME:-x}"), state=None)
    assert as_in_compose(settings_of(odd, "torch"))["volumes"][0][1] == "/data/${HOME:-x}"


def test_a_worker_s_variables_are_the_same_in_a_container_and_without_one(job: Job) -> None:
    wide = replace(job, state=None, cpus=(0, 2, 4))
    who = {"HOME": "/tmp", "USER": "joulemark", "LOGNAME": "joulemark"}
    asked = sandbox.container_arguments(wide, (1, 2))
    assert asked["environment"] == worker_variables(wide) | who
    assert asked["cpuset_cpus"] == "0,2,4"


def test_a_container_that_is_no_run_has_the_same_isolation_without_a_run_s_folders(job: Job) -> None:
    asked = sandbox.container_arguments(job, (1, 2))
    plain = sandbox.sandbox((1, 2))
    assert set(asked) - set(plain) == {"mounts", "cpuset_cpus"}
    assert sandbox.sandbox((1, 2), "cuda")["device_requests"]


def test_only_root_and_cgroupfs_give_a_cgroup_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert str(sandbox.cgroup_of_its_own("cgroupfs")).startswith("/joulemark/")
    assert sandbox.cgroup_of_its_own("systemd") is None
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox.cgroup_of_its_own("cgroupfs") is None


def test_only_cgroups_of_runs_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An image may name any path in the label by which a run's cgroup is found again."""
    monkeypatch.setattr(sandbox, "CGROUPS", tmp_path / "cgroups")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    run = str(sandbox.cgroup_of_its_own("cgroupfs"))
    host = tmp_path / "host" / "empty"
    for folder in (tmp_path / f"cgroups{run}", tmp_path / f"cgroups/cpu{run}", host):
        folder.mkdir(parents=True)
    for named in ("/../host/empty", f"{run}/../../../host/empty", "/joulemark/../../host/empty", "", None):
        sandbox.remove_cgroup(named)
    assert host.exists() and (tmp_path / f"cgroups{run}").exists()
    sandbox.remove_cgroup(run)
    assert [path.name for path in (tmp_path / "cgroups").rglob("*")] == ["cpu"]


def test_what_an_engine_left_in_the_cgroup_of_a_run_goes_with_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It was killed while it started the container, and knows nothing of it when it comes back."""
    monkeypatch.setattr(sandbox, "CGROUPS", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    run, alive = (str(sandbox.cgroup_of_its_own("cgroupfs")) for _ in range(2))
    for folder in (f"{run}/{'a' * 64}", f"cpu{run}/{'a' * 64}", f"{alive}/{'b' * 64}/process"):
        (tmp_path / folder.lstrip("/")).mkdir(parents=True)
    for one in (run, alive):
        sandbox.remove_cgroup(one)
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted(
        ["joulemark", alive.rpartition("/")[2], "b" * 64, "process", "cpu"]
    )
