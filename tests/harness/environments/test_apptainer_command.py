"""The command line that Apptainer gets: everything closed, what Docker binds and no more, limits from the start."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.environments import apptainer_command, compose
from harness.environments.apptainer_command import Bind
from harness.environments.base import Job, thread_variables
from harness.records import Limits

TELL = (
    "import json, os, resource; print(json.dumps({"
    "'cpus': sorted(os.sched_getaffinity(0)), 'oom': open('/proc/self/oom_score_adj').read().strip(), "
    "'file': resource.getrlimit(resource.RLIMIT_FSIZE)[0], 'data': resource.getrlimit(resource.RLIMIT_DATA)[0]}))"
)


def test_it_binds_what_docker_binds_and_a_scratch(job: Job, tmp_path: Path) -> None:
    found = {one.target: one.writable for one in apptainer_command.binds(job, tmp_path)}
    assert found.pop("/tmp") is True
    docker = {one["Target"]: not one["ReadOnly"] for one in compose.arguments("sklearn", {})["mounts"]}
    assert found == {target: writable for target, writable in docker.items() if target in found}
    assert set(docker) - set(found) <= {"/job/answers", "/job/output", "/state.npz"}  # where a run has none


def test_nothing_is_left_open(job: Job, tmp_path: Path) -> None:
    command = apptainer_command.inside(
        "apptainer", tmp_path, apptainer_command.binds(job, tmp_path), {"A": "b c"}, ["python"]
    )
    assert command[:2] == ["apptainer", "exec"]
    closing = {"--userns", "--containall", "--no-home", "--no-privs", "--net", "--no-eval"}
    assert closing < set(command[: command.index(str(tmp_path))])
    assert command[command.index("--network") + 1] == "none"
    assert command[command.index("--no-mount") + 1] == "bind-paths"
    assert command[command.index(str(tmp_path)) :] == [str(tmp_path), "/usr/bin/env", "-i", "A=b c", "python"]


def test_a_worker_gets_dockers_variables(job: Job) -> None:
    docker = compose.arguments("sklearn", {"THREADS": str(len(job.cpus))})["environment"]
    found = apptainer_command.variables(job)
    assert docker.items() <= found.items()
    assert thread_variables(len(job.cpus)).items() <= found.items()
    assert set(found) - set(docker) == {"TMPDIR", "PATH", "PYTHONPATH"}  # of the image, there


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\n\r/"), min_size=1), st.booleans())
def test_no_path_reads_as_an_option_of_a_mount(name: str, writable: bool) -> None:
    source = Path("/") / name
    (row,) = csv.reader([Bind(source, "/data", writable).option()])
    assert row == ["type=bind", f"source={source}", "destination=/data", *([] if writable else ["ro"])]


def test_limits_hold_from_the_first_instruction_on(job: Job) -> None:
    bounded = replace(job, limits=Limits(memory_share=0.5, scratch_bytes=1 << 20))
    command = apptainer_command.bounded(bounded, [sys.executable, "-c", TELL])
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    most = apptainer_command.memory_bytes(bounded.limits)
    assert told == {"cpus": list(job.cpus), "oom": "1000", "file": 1 << 20, "data": most}


@pytest.mark.parametrize("state", [None, Path("/somewhere/state.npz")])
def test_the_worker_is_told_the_places_inside(job: Job, state: Path | None) -> None:
    told = apptainer_command.worker(replace(job, state=state))
    assert told[1:] == ["-m", "suite.run", "/request", "/job", "/data", *(["/state.npz"] if state else [])]


def test_a_gpu_comes_by_apptainer_s_own_option_with_its_driver_s_libraries(tmp_path: Path) -> None:
    """`env -i` would take away the variable by which Apptainer tells where it put them."""
    on_cpu, on_gpu = (
        apptainer_command.inside("apptainer", tmp_path, [], {"A": "b"}, ["python"], on)
        for on in ("cpu", "cuda")
    )
    added = [word for word in on_gpu if word not in on_cpu]
    assert added == ["--nv", "LD_LIBRARY_PATH=/.singularity.d/libs"]
    assert on_gpu.index("--nv") < on_gpu.index(str(tmp_path)) < on_gpu.index(added[1])
    assert [word for word in on_gpu if word not in added] == on_cpu


def test_memory_is_not_limited_where_a_driver_reserves_more_and_that_is_told(job: Job) -> None:
    of_cpu, of_gpu = (" ".join(apptainer_command.bounded(job, ["x"], on)) for on in ("cpu", "cuda"))
    assert "--data=" in of_cpu and "--data=" not in of_gpu and "--fsize=" in of_gpu
    assert len(apptainer_command.not_given("cuda")) == len(apptainer_command.not_given("cpu")) + 1
