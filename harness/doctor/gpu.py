"""GPUs, whoever made them: whether runs can have them, alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from harness.devices import GPUS, Device
from harness.doctor.check import IN_CONTAINERS, PLAYBOOK, Check, Level, judged
from harness.environments.docker import connect
from harness.environments.gpu import require_driver, require_toolkit
from harness.errors import MissingPrerequisite
from harness.meters import gpus
from harness.meters.base import MeterLost
from harness.meters.gpus import ForeignProcess


def checks() -> Iterator[Check]:
    found = [(one, told) for one in GPUS if (told := gpus.VENDORS[one.vendor].facts().get("gpus"))]
    if not found:
        yield Check(
            "gpu",
            Level.WORSE,
            "none that a driver tells of",
            "without one everything runs on the CPU",
            f"{PLAYBOOK} nvidia (for one of NVIDIA's), or the driver of AMD's or Intel's",
        )
    for device, told in found:
        for gpu in told:
            yield Check(
                f"gpu {gpu['index']}", Level.OK, f"{gpu.get('name')}, device {device.name}", "it computes"
            )
        yield container(device)
        yield alone(device, _others(device))


def container(device: Device) -> Check:
    name, why = f"{device.name}{IN_CONTAINERS}", "without it no container gets a GPU"
    try:
        with closing(connect()) as client:
            require_toolkit(client.info(), device)
        require_driver(device)
    except MissingPrerequisite as error:
        return Check(
            name, Level.MISSING, str(error), why, f"{PLAYBOOK} {device.vendor}" if device.toolkit else ""
        )
    return Check(name, Level.OK, "the engine hands GPUs over", why)


def _others(device: Device) -> tuple[ForeignProcess, ...] | None:
    """None where nobody tells."""
    try:
        return gpus.VENDORS[device.vendor].foreign_processes(())
    except MeterLost:
        return None


def alone(device: Device, others: tuple[ForeignProcess, ...] | None) -> Check:
    names = ", ".join(f"{one.name} on {one.gpu}" for one in others or ())
    return judged(
        f"{device.name} alone",
        others == (),
        "the driver does not tell" if others is None else names or "nobody computes on it",
        "a foreign process makes a run invalid",
        "end what computes on the GPU",
    )
