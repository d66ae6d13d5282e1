"""GPUs: whether driver, chip and toolkit suit the images, and nobody else computes on them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from harness.doctor.check import PLAYBOOK, Check, Level, judged
from harness.environments.docker import connect
from harness.environments.frameworks import frameworks
from harness.environments.gpu import require_toolkit
from harness.errors import MissingPrerequisite
from harness.meters import nvml

TAG = f"{PLAYBOOK} nvidia"
RUNTIME = re.compile(r"^nvidia-cuda-runtime(?:-cu12)?==(\d+)\.(\d+)", re.MULTILINE)
# The oldest chips that each major release of CUDA compiles for (its release notes).
OLDEST_CHIP = {12: (5, 0), 13: (7, 5)}
MEMORY_BYTES = 4 << 30

Cuda = tuple[int, int]


def checks() -> Iterator[Check]:
    facts = nvml.facts()
    if not facts.get("gpus"):
        yield Check("gpu", Level.WORSE, "none that NVML sees", "without one everything runs on the CPU", TAG)
        return
    wanted = wanted_cuda()
    yield driver(facts, wanted)
    for gpu in facts["gpus"]:
        yield from of_gpu(gpu, wanted)
    yield toolkit()
    yield alone(nvml.foreign_processes(()))


def wanted_cuda() -> dict[str, Cuda]:
    """Framework -> the CUDA that the lock of its default version brings."""
    found = {}
    for one in frameworks().values():
        path = one.lock_path(one.default_version, "cuda")
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
    """`gpu`: one of harness.meters.nvml_facts.facts."""
    name, chip = f"gpu {gpu['index']}", gpu.get("compute_capability")
    known = tuple(map(int, chip.split("."))) if chip else None
    lacking = sorted(
        one for one, cuda in wanted.items() if known and known < OLDEST_CHIP.get(cuda[0], (0, 0))
    )
    yield judged(
        name,
        known is not None and not lacking,
        f"{gpu.get('name')}, compute capability {chip or 'unknown'}"
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


def toolkit() -> Check:
    why = "without it no container gets a GPU"
    try:
        with closing(connect()) as client:
            require_toolkit(client.info())
    except MissingPrerequisite as error:
        return Check("container toolkit", Level.MISSING, str(error), why, TAG)
    return Check("container toolkit", Level.OK, "the engine hands GPUs over", why)


def alone(processes: tuple[nvml.ForeignProcess, ...] | None) -> Check:
    names = ", ".join(f"{one.name} on {one.gpu}" for one in processes or ())
    return judged(
        "gpu alone",
        processes == (),
        "the driver does not tell" if processes is None else names or "nobody computes on it",
        "a foreign process makes a run invalid",
        "end what computes on the GPU: nvidia-smi names it",
    )
