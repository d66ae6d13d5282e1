"""Whether a campaign that was broken off may go on here: only as the same measurement; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.records import CampaignRecord, Channel

MACHINE = ("hostname", "cpu_model", "logical_cpus", "memory_bytes", "kernel")
INSIDE = ("image_id", "lock_sha256", "suite_sha256", "python", "packages")


def changed_work(
    before: CampaignRecord, environments: Mapping[str, Mapping[str, Any]], suite: str
) -> Iterator[str]:
    """What would make the runs to come others than those on disk, whoever insists."""
    if before.suite_sha256 != suite:
        yield "the workloads in suite/"
    for name, described in before.environments.items():
        now = environments.get(name, {})
        if differing := [key for key in INSIDE if described.get(key) != now.get(key)]:
            yield f"the environment of {name} ({', '.join(differing)})"


def changed_machine(
    before: CampaignRecord, machine: Mapping[str, Any], channels: tuple[Channel, ...]
) -> Iterator[str]:
    """What makes it another machine, which the user may insist on."""
    yield from (key for key in MACHINE if before.machine.get(key) != machine.get(key))
    if _gpus(before.machine) != _gpus(machine):
        yield "the GPUs"
    if _boundary(before.channels) != _boundary(channels):
        yield "the channels of the run's energy"


def _gpus(machine: Mapping[str, Any]) -> list[Any]:
    return [gpu.get("uuid") for gpu in machine.get("gpus", [])]


def _boundary(channels: tuple[Channel, ...]) -> set[str]:
    return {channel.name for channel in channels if channel.boundary}
