"""What the harness asks of the engine is what compose/suite.yaml says, filled in with the run's own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.environments import compose, sandbox
from harness.environments.base import Job, worker_variables
from tests.harness.environments.containers import RUN

# Keys whose name or form differs between compose and the SDK; all others must be equal to the letter.
RUN_S_OWN = {"user", "cpuset", "mem_limit", "memswap_limit", "volumes", "environment"}
ELSEWHERE = {"image", "profiles"}  # the image is named by its id


def settings_of(job: Job, service: str) -> dict[str, Any]:
    device = "cuda" if service.endswith("-cuda") else "cpu"
    return sandbox.container_settings(job, (1, 2), "/joulemark/x", 5 << 20, device)


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
    assert (asked["mem_limit"], asked["memswap_limit"]) == (str(5 << 20), str(5 << 20))
    assert asked["cgroup_parent"] == "/joulemark/x"
    assert asked["labels"][sandbox.RUN_LABEL] == RUN
    assert asked["volumes"] == [
        (sandbox.JOB, str(job.folder), False),
        (sandbox.DATA, str(job.data), True),
        (sandbox.STATE, str(job.state), True),
    ]


def test_a_path_with_a_dollar_is_not_taken_for_a_variable(job: Job) -> None:
    odd = Job(RUN, Path("/data/${HOME:-x}"), job.data, None, (0,))
    assert as_in_compose(settings_of(odd, "torch"))["volumes"][0][1] == "/data/${HOME:-x}"


def test_a_worker_s_variables_are_the_same_in_a_container_and_without_one(job: Job) -> None:
    wide = Job(RUN, job.folder, job.data, None, (0, 2, 4))
    who = {"HOME": "/tmp", "USER": "joulemark", "LOGNAME": "joulemark"}
    asked = sandbox.container_settings(wide, (1, 2))
    assert asked["environment"] == worker_variables(wide) | who
    assert asked["cpuset_cpus"] == "0,2,4"


def test_a_container_that_is_no_run_has_the_same_isolation_without_a_run_s_folders(job: Job) -> None:
    asked = sandbox.container_settings(job, (1, 2))
    plain = sandbox.sandbox((1, 2))
    assert set(asked) - set(plain) == {"mounts", "cpuset_cpus"}
    assert sandbox.sandbox((1, 2), "cuda")["device_requests"]


def test_a_process_mark_tells_a_process_from_a_later_one_with_its_id() -> None:
    own = sandbox.process_mark(os.getpid())
    assert own is not None
    assert own.startswith(f"{os.getpid()}:")
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert sandbox.process_mark(child.pid) != own
    assert sandbox.process_mark(child.pid) is None


def test_only_root_and_cgroupfs_give_a_cgroup_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert str(sandbox.cgroup_of_its_own("cgroupfs", RUN)).startswith(f"/joulemark/{RUN}-")
    assert sandbox.cgroup_of_its_own("systemd", RUN) is None
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert sandbox.cgroup_of_its_own("cgroupfs", RUN) is None
