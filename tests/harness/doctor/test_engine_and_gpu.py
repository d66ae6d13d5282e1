"""The engine asked through its socket, the GPUs through NVML's own library."""

from __future__ import annotations

import os

import pytest

from harness.doctor import Level, cuda, engine, gpu
from tests.emulators.nvml.stub import IDLE
from tests.harness.doctor.conftest import MakeEngine
from tests.harness.meters.nvml_asked import MakeStub

pytestmark = pytest.mark.unhurried
WELL = {
    "ServerVersion": "27.0",
    "CgroupDriver": "systemd",
    "LiveRestoreEnabled": True,
    "Runtimes": {"nvidia": {}},
}


def test_an_engine_that_answers_says_its_version_and_cgroups(fake_engine: MakeEngine) -> None:
    fake_engine(**WELL)
    found = {one.name: one for one in engine.checks()}
    assert found["engine"].state == "answers, version 27.0, cgroup systemd"
    assert all(one.good for one in found.values())


def test_an_engine_that_cannot_run_our_containers_is_missing(fake_engine: MakeEngine) -> None:
    fake_engine(**{**WELL, "SecurityOptions": ["name=rootless"]})
    (found,) = engine.checks()
    assert found.level is Level.MISSING and "rootless" in found.state


def test_a_machine_with_a_gpu_and_all_that_it_needs(fake_engine: MakeEngine, stub: MakeStub) -> None:
    fake_engine(**WELL)
    stub(IDLE, update_s=0.02)
    found = {one.name: one for one in (*gpu.checks(), *cuda.checks())}
    assert {name: one.state for name, one in found.items() if not one.good} == {}
    assert found["gpu 0"].state == "Emulated H100, device cuda"
    assert found["gpu 0 chip"].state == "compute capability 9.0"


def test_a_gpu_that_lacks_everything(fake_engine: MakeEngine, stub: MakeStub) -> None:
    fake_engine(**{**WELL, "Runtimes": {}})
    stub(IDLE, update_s=0.02, capability=6.0, **{"gpu.0.processes": str(os.getppid())})
    found = {one.name: one for one in (*gpu.checks(), *cuda.checks())}
    assert "too old for" in found["gpu 0 chip"].state
    assert found["cuda in containers"].level is Level.MISSING
    assert "on gpu-0" in found["cuda alone"].state


def test_without_a_gpu_everything_runs_on_the_cpu_and_it_is_said() -> None:
    (found,) = gpu.checks()
    assert (found.level, found.name) == (Level.WORSE, "gpu")
