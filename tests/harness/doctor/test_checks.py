"""Each check in its passing and its failing state, with its remedy where it fails, and only there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.devices import CUDA, device
from harness.doctor import Check, clock, cpu, cuda, data, disk, engine, gpu, images, memory, meters
from harness.errors import MissingPrerequisite
from harness.host.tuning import tuning
from harness.meters import Meters
from harness.meters.gpus import ForeignProcess
from harness.records import Unavailable
from tests.campaigns import energy_channels

GPU = {
    "index": 0,
    "name": "Example",
    "compute_capability": "9.0",
    "persistence_mode": True,
    "virtualization": "none",
}
DEVICE = device(CUDA)
FACTS = {"driver": "580.1", "cuda": "13.0", "gpus": [GPU]}
WANTED = {"torch": (13, 0), "tensorflow": (12, 9)}


def setting(**changed: Any) -> dict[str, Any]:
    quiet = {"governors": "performance", "turbo": False, "smt": "off", "numa_balancing": 0}
    return {**tuning(Path("/nowhere")), **quiet, **changed}


def of_cpu(name: str, **changed: Any) -> Check:
    return next(one for one in cpu.of_tuning(setting(**changed)) if one.name == name)


def of_gpu(name: str, **changed: Any) -> Check:
    return next(one for one in cuda.of_gpu({**GPU, **changed}, WANTED) if one.name == name)


def of_info(name: str, **info: Any) -> Check:
    return next(one for one in engine.of_info(info) if one.name == name)


PASSING: dict[str, Callable[[], Check]] = {
    "governor": lambda: of_cpu("governor"),
    "governor without a choice": lambda: of_cpu("governor", governors=None),
    "turbo": lambda: of_cpu("turbo"),
    "smt": lambda: of_cpu("smt"),
    "numa balancing": lambda: of_cpu("numa balancing"),
    "idle load": lambda: cpu.idle_load(0.01, []),
    "memory": lambda: memory.free_memory(8 << 30),
    "swap": lambda: memory.swap([]),
    "swap unknown": lambda: memory.swap(None),
    "disk": lambda: disk.room("disk", Path("/nowhere/at/all"), 1),
    "clock source": lambda: clock.source("tsc"),
    "time of day": lambda: clock.synchronised("yes"),
    "live-restore": lambda: of_info("live-restore", LiveRestoreEnabled=True),
    "driver": lambda: cuda.driver(FACTS, WANTED),
    "chip": lambda: of_gpu("gpu 0 chip"),
    "whole": lambda: of_gpu("gpu 0 whole"),
    "persistence": lambda: of_gpu("gpu 0 persistence"),
    "alone": lambda: gpu.alone(DEVICE, ()),
    "energy": lambda: meters.energy(Meters((Reads("rapl"),), ())),
}
FAILING: dict[str, tuple[Callable[[], Check], str, str]] = {
    "governor": (lambda: of_cpu("governor", governors="performance, powersave"), "powersave", "--tags quiet"),
    "turbo": (lambda: of_cpu("turbo", turbo=True), "on", "turbo=off"),
    "smt": (lambda: of_cpu("smt", smt="on"), "on", "smt=off"),
    "numa balancing": (lambda: of_cpu("numa balancing", numa_balancing=1), "on", "--tags quiet"),
    "idle load": (lambda: cpu.idle_load(0.3, ["firefox"]), "30.0% of the CPUs busy (firefox)", "stop what runs"),
    "memory": (lambda: memory.free_memory(1 << 30), "1.0 GiB free", "4 GiB are wanted"),
    "swap": (lambda: memory.swap(["/dev/sda2"]), "/dev/sda2", "swapoff -a"),
    "disk": (lambda: disk.room("disk", Path("/"), 1 << 60), "GiB free in /", "JOULEMARK_HOME"),
    "clock source": (lambda: clock.source("hpet"), "hpet", "dmesg"),
    "time of day": (lambda: clock.synchronised("no"), "not synchronised", "timedatectl"),
    "live-restore": (lambda: of_info("live-restore"), "off", "--tags docker"),
    "old driver": (lambda: cuda.driver({**FACTS, "cuda": "12.4"}, WANTED), "too old for torch", "--tags nvidia"),
    "silent driver": (lambda: cuda.driver({**FACTS, "cuda": None}, WANTED), "CUDA unknown", "--tags nvidia"),
    "old chip": (lambda: of_gpu("gpu 0 chip", compute_capability="7.0"), "too old for torch", "older version"),
    "unknown chip": (lambda: of_gpu("gpu 0 chip", compute_capability=None), "unknown", "another GPU"),
    "mig": (lambda: of_gpu("gpu 0 whole", mig=True), "MIG", "-mig 0"),
    "vgpu": (lambda: of_gpu("gpu 0 whole", virtualization="vgpu"), "vgpu", "MIG off"),
    "persistence": (lambda: of_gpu("gpu 0 persistence", persistence_mode=False), "off", "nvidia-smi -pm 1"),
    "foreign": (lambda: gpu.alone(DEVICE, (ForeignProcess("gpu-0", 7, "game", None),)), "game on gpu-0", "end what"),
    "hidden processes": (lambda: gpu.alone(DEVICE, None), "does not tell", "end what"),
    "estimate": (lambda: meters.energy(Meters((Reads("estimate"),), ())), "estimated", "meters above"),
    "no energy": (lambda: meters.energy(Meters((), ())), "none", "meters above"),
}  # fmt: skip


class Reads:
    """A meter of a campaign's channels, which nobody reads here."""

    needs_process = False

    def __init__(self, name: str) -> None:
        self.channels = energy_channels(name)


@pytest.mark.parametrize("name", PASSING)
def test_what_is_well_needs_no_remedy(name: str) -> None:
    found = PASSING[name]()
    assert found.good and found.remedy == ""
    assert found.state and found.why


@pytest.mark.parametrize("name", FAILING)
def test_what_is_amiss_says_so_with_its_remedy(name: str) -> None:
    check, state, remedy = FAILING[name]
    found = check()
    assert not found.good
    assert state in found.state
    assert remedy in found.remedy


def test_a_missing_meter_names_its_own_remedy_and_a_second_opinion_is_not_missed() -> None:
    lacking = (
        Unavailable(meter="rapl", reason="no zones", remedy="load the module"),
        Unavailable(meter="pyrapl", reason="not installed", remedy="pip install"),
    )
    rapl, opinion = meters.of(Meters((), lacking))
    assert (rapl.good, rapl.state, rapl.remedy) == (False, "no zones", "load the module")
    assert opinion.good


def test_without_an_engine_there_is_one_line_and_images_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    (found,) = engine.checks()
    assert (found.good, found.name) == (False, "engine")
    assert "--tags docker" in found.remedy
    assert [one.name for one in images.checks()] == ["locks", "images"]


def test_every_lock_is_there_and_the_locks_tell_their_cuda() -> None:
    (found,) = images.locks()
    assert found.good
    assert cuda.wanted_cuda()["torch"] == (13, 0)
    assert cuda.wanted_cuda()["tensorflow"][0] == 12
    assert "sklearn" not in cuda.wanted_cuda()


def test_a_damaged_data_set_is_not_called_prepared(home: Path) -> None:
    assert data.fetched("mnist").state == "not prepared"
    folder = home / "data" / "mnist"
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text("{}")
    found = data.fetched("mnist")
    assert (found.good, found.state, found.remedy) == (False, "damaged", "suite data fetch mnist")


def test_a_toolkit_is_missing_without_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise MissingPrerequisite("no Docker engine answers")

    monkeypatch.setattr(gpu, "connect", none)
    assert gpu.container(DEVICE).state == "no Docker engine answers"
