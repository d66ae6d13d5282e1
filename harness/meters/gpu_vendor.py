"""What a vendor of GPUs is to everybody outside this folder: a module with these functions (harness.meters.gpus).

States and facts use the same keys for every vendor, None for what its library does not tell.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from harness.files.untrusted import printable
from harness.meters.base import Meter, MeterConfiguration
from harness.records import Unavailable


@dataclass(frozen=True)
class ForeignProcess:
    """A process that computes on a GPU and is none of ours; the memory is None where the driver hides it."""

    gpu: str
    pid: int
    name: str
    memory_bytes: int | None


def process_name(pid: int) -> str:
    try:
        return printable(Path(f"/proc/{pid}/comm").read_text(errors="replace").strip())
    except OSError:
        return "a process that cannot be seen from here"


class GpuVendor(Protocol):
    @property
    def METER(self) -> str:  # noqa: N802 - a module's constant
        """The first word of its channels, METER/gpu-N/QUANTITY."""

    def find(self, configuration: MeterConfiguration) -> Meter | Unavailable:
        """The meter over all of its GPUs, or why there is none: nothing is measured in part."""

    def lacking(self) -> Unavailable | None:
        """Why nobody can compute on a GPU of this vendor here; None where one answers."""

    def facts(self) -> dict[str, Any]:
        """What stays the same during a campaign: the driver, and under `gpus` each GPU; empty without a driver."""

    def states(self) -> list[dict[str, Any]]:
        """What may differ from run to run, of each GPU; empty without a driver."""

    def foreign_processes(self, own_pids: Collection[int]) -> tuple[ForeignProcess, ...] | None:
        """Who else computes on the GPUs now; None where nobody tells. Raises: MeterLost."""
