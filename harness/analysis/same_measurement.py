"""Whether a campaign that was broken off may go on here: only as the same measurement; pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from harness.records import CampaignRecord, Channel

IDENTITIES = (
    "machine_id",
    "hostname",
)  # the second of campaigns that were recorded before there was the first
MACHINE = ("cpu_model", "logical_cpus", "memory_bytes", "kernel")
# An image's id is not among them: it holds the time of its making, and does not come back when one is built anew.
INSIDE = ("lock_sha256", "suite_sha256", "python", "packages")
BASE_LABEL = "org.joulemark.base-digest"  # of the base's content; its name may mean another one tomorrow


class Described(Protocol):
    """Whatever was recorded with its machine and its channels."""

    @property
    def machine(self) -> dict[str, Any]: ...

    @property
    def channels(self) -> tuple[Channel, ...]: ...


def changed_work(before: CampaignRecord, now: CampaignRecord) -> Iterator[str]:
    """What would make the runs to come others than those on disk, whoever insists."""
    if before.suite_sha256 != now.suite_sha256:
        yield "the workloads in suite/"
    yield from (f"the data of {name}" for name in other_data(before, now))
    yield from (
        f"the weights in states/{name}.npz"
        for name, sha256 in before.weights.items()
        if now.weights.get(name) != sha256
    )
    for name, described in before.environments.items():
        if found := list(differing(described, now.environments.get(name, {}))):
            yield f"the environment of {name} ({', '.join(found)})"


def other_data(one: CampaignRecord, other: CampaignRecord) -> Iterator[str]:
    """Data sets that hold something else, where both tell what."""
    both = sorted(set(one.datasets) & set(other.datasets))
    yield from (name for name in both if one.datasets[name] != other.datasets[name])


def differing(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """What is not the same inside two environments, as they describe themselves."""
    yield from (key for key in INSIDE if before.get(key) != now.get(key))
    if base_of(before) != base_of(now):
        yield "base"


def base_of(environment: Mapping[str, Any]) -> Any:
    """What an image stands on; None where there is none, or where somebody's record holds no labels."""
    labels = environment.get("labels")
    return labels.get(BASE_LABEL) if isinstance(labels, Mapping) else None


def changed_machine(
    before: Described, machine: Mapping[str, Any], channels: tuple[Channel, ...]
) -> Iterator[str]:
    """What makes it another machine, which the user may insist on.

    Of an anonymous campaign, only what the machine is like can be held against this one.
    """
    if _is_another(before.machine, machine):
        yield "machine_id"
    yield from (key for key in MACHINE if before.machine.get(key) != machine.get(key))
    key = "name" if before.machine.get("anonymous") else "uuid"
    if _gpus(before.machine, key) != _gpus(machine, key):
        yield "the GPUs"
    if _boundary(before.channels) != _boundary(channels):
        yield "the channels of the run's energy"


def _is_another(before: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    """By the identity that both tell; where only one tells any, nobody can know that it is the same."""
    if before.get("anonymous"):
        return False
    for key in IDENTITIES:
        if before.get(key) and now.get(key):
            return bool(before[key] != now[key])
    return any(one.get(key) for one in (before, now) for key in IDENTITIES)


def _gpus(machine: Mapping[str, Any], key: str) -> list[Any]:
    return [gpu.get(key) for gpu in machine.get("gpus", [])]


def _boundary(channels: tuple[Channel, ...]) -> set[str]:
    return {channel.name for channel in channels if channel.boundary}
