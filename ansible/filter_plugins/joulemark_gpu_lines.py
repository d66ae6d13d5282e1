"""Whether a GPU and its driver suit what the images bring along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any


def gpu_line(gpu: Mapping[str, Any], driver: str, releases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """`gpu`: name, chip, persistence; `releases`: cuda, and the driver and chip that it needs."""
    amiss = [
        f"too old for CUDA {one['cuda']} ({what} {found}, it needs {one[what]})"
        for one in releases
        for what, found in (("driver", driver), ("chip", gpu["chip"]))
        if _numbers(found) < _numbers(one[what])
    ]
    amiss += [] if gpu["persistence"] else ["persistence off"]
    says = f"{gpu['name']}, chip {gpu['chip']}, driver {driver}" + "".join(f", {one}" for one in amiss)
    return {
        "role": "nvidia",
        "good": not amiss,
        "says": says,
        "remedy": "suite doctor tells which images run",
    }


def _numbers(version: str) -> list[int]:
    """525.60.13 -> [525, 60, 13]; an unknown version is older than any."""
    return [int(part) for part in version.split(".") if part.isdigit()]


def gpu_lines(
    gpus: Sequence[Mapping[str, Any]], driver: str, releases: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """A line of the summary for each GPU."""
    return [gpu_line(gpu, driver, releases) for gpu in gpus]


class FilterModule:
    def filters(self) -> dict[str, Callable[..., list[dict[str, Any]]]]:
        return {"joulemark_gpu_lines": gpu_lines}
