"""NVIDIA's GPUs: whether driver and chip suit the builds of the images."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness.devices import CUDA, device
from harness.doctor.check import PLAYBOOK, Check, Level, judged
from harness.environments.frameworks import frameworks
from harness.meters import gpus

TAG = f"{PLAYBOOK} nvidia"
RUNTIME = re.compile(r"^nvidia-cuda-runtime(?:-cu12)?==(\d+)\.(\d+)", re.MULTILINE)
# The oldest chips that each major release of CUDA compiles for (its release notes).
OLDEST_CHIP = {12: (5, 0), 13: (7, 5)}

Cuda = tuple[int, int]


def checks() -> Iterator[Check]:
    facts = gpus.VENDORS[device(CUDA).vendor].facts()
    if not facts.get("gpus"):
        return
    wanted = wanted_cuda()
    yield driver(facts, wanted)
    for gpu in facts["gpus"]:
        yield from of_gpu(gpu, wanted)


def wanted_cuda() -> dict[str, Cuda]:
    """Framework -> the CUDA that the lock of its default version brings."""
    found = {}
    for one in frameworks().values():
        path = one.lock_path(one.default_version, CUDA)
        if path.exists() and (pinned := RUNTIME.search(path.read_text())):
            found[one.name] = int(pinned.group(1)), int(pinned.group(2))
    return found


def driver(facts: Mapping[str, Any], wanted: Mapping[str, Cuda]) -> Check:
    """A driver runs every release of its own CUDA's major version and of the older ones."""
    told = str(facts.get("cuda") or "")
    major = int(told.partition(".")[0] or 0)
    lacking = sorted(name for name, cuda in wanted.items() if cuda[0] > major)
    return judged(
        "gpu driver",
        bool(major) and not lacking,
        f"{facts.get('driver')}, for CUDA {told or 'unknown'}"
        + (f": too old for {', '.join(lacking)}" if lacking else ""),
        "an image brings its own CUDA, which the driver must know",
        f"update the NVIDIA driver, or {TAG}",
        Level.MISSING,
    )


def of_gpu(gpu: Mapping[str, Any], wanted: Mapping[str, Cuda]) -> Iterator[Check]:
    """`gpu`: one of the vendor's facts."""
    name, chip = f"gpu {gpu['index']}", gpu.get("compute_capability")
    known = tuple(map(int, chip.split("."))) if chip else None
    lacking = sorted(
        one for one, cuda in wanted.items() if known and known < OLDEST_CHIP.get(cuda[0], (0, 0))
    )
    yield judged(
        f"{name} chip",
        known is not None and not lacking,
        f"compute capability {chip or 'unknown'}"
        + (f": too old for {', '.join(lacking)}" if lacking else ""),
        "a build of CUDA has code for some chips only",
        "use an older version of these frameworks, or another GPU",
        Level.MISSING,
    )
    yield judged(
        f"{name} whole",
        not gpu.get("mig") and gpu.get("virtualization") in (None, "none", "passthrough"),
        "MIG" if gpu.get("mig") else str(gpu.get("virtualization") or "whole"),
        "readings are of the whole GPU: of a share of it nothing can be said",
        "switch MIG off (nvidia-smi -mig 0)",
        Level.MISSING,
    )
    yield judged(
        f"{name} persistence",
        gpu.get("persistence_mode") is not False,
        {True: "on", False: "off", None: "unknown"}[gpu.get("persistence_mode")],
        "without it the driver unloads between runs, and each run pays for the loading",
        f"{TAG} (or: nvidia-smi -pm 1)",
    )
