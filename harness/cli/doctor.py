"""suite doctor: what this machine offers, what it lacks, and the remedy."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from harness import machine, meters, paths, planning
from harness.cli import screen
from harness.datasets import prepared, sources
from harness.environments import docker


@dataclass(frozen=True)
class Check:
    """One prerequisite; `remedy` is empty where nothing is amiss."""

    name: str
    good: bool
    state: str
    remedy: str = ""


@click.command("doctor")
def command() -> None:
    """Every prerequisite with its state and the remedy."""
    screen.print_checks([*_docker(), *_meters(), *_governor(), *_disk(), *_data()])


def _docker() -> Iterator[Check]:
    reason = docker.available()
    state = "the engine answers" if reason is None else reason
    remedy = "" if reason is None else "without it, virtual environments are used"
    yield Check("docker", reason is None, state, remedy)


def _meters() -> Iterator[Check]:
    found = meters.find_all(meters.settings(planning.protocol("quick").power_model))
    for meter in found.found:
        names = ", ".join(f"{c.name} [{c.unit}, {c.provenance}]" for c in meter.channels)
        yield Check(f"meter {meter.channels[0].meter}", True, names)
    for one in found.unavailable:
        yield Check(f"meter {one.meter}", False, one.reason, one.remedy)


def _governor() -> Iterator[Check]:
    governor = machine.describe()["governor"]
    if governor is None:
        yield Check("governor", True, "the kernel offers no choice here")
    else:
        good = governor == "performance"
        yield Check("governor", good, governor, "" if good else "set the performance governor")


def _disk() -> Iterator[Check]:
    for folder in (Path.cwd(), paths.home()):
        existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
        free = shutil.disk_usage(existing).free
        good = free > machine.RESERVE_BYTES
        yield Check(f"disk {existing}", good, f"{free >> 20} MiB free", "" if good else "free some")


def _data() -> Iterator[Check]:
    for name, one in sources().items():
        if not one.files:
            yield Check(f"data {name}", True, "embedded")
        else:
            good = prepared.is_prepared(name)
            state = "prepared" if good else "not prepared"
            yield Check(f"data {name}", good, state, "" if good else f"suite data fetch {name}")
