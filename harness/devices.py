"""What a run may compute on: one row a device, asked by everything that would otherwise know a device by name; pure.

A device's name is the word in treatments, in images/<framework>/<version>-<name>.lock and in compose/suite.yaml
(x-run-<name>). Which frameworks have one is told by their manifests (`[versions."..."]`, one key a device). Inside a
container its framework's own word for it counts (suite/runtimes/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.errors import UsageError
from harness.suggest import unknown

HOST = "cpu"  # needs nothing that a machine may lack; what runs where nobody asks for more
CUDA = "cuda"
AUTO = "auto"  # a GPU where one can be had, else the host
GIB = 1 << 30


@dataclass(frozen=True)
class Toolkit:
    """By what a container engine hands a GPU over where its device files are not enough.

    Any of a runtime, a program on the PATH and a kind of the Container Device Interface will do.
    """

    runtime: str
    hook: str
    cdi_kind: str
    remedy: str


@dataclass(frozen=True)
class Device:
    """`vendor`: of harness.meters.gpus, whose GPUs these are; none for the host's CPUs.

    `nodes`: a variable of compose/suite.yaml -> the device file whose group stands for it; a container gets the files
    from its section, a run without one opens them as the user. `precisions`: those that the CPU does not have.
    `wheels`: where its builds come from, for who resolves a lock. `apptainer`: its option that hands such a GPU over,
    empty where it has none.
    """

    name: str
    title: str
    wheels: str
    image_bytes: int  # the largest image, and its layer while it is written
    vendor: str = ""
    meter: str = ""  # the first word of the channels of its GPUs
    precisions: tuple[str, ...] = ()
    toolkit: Toolkit | None = None
    nodes: Mapping[str, str] = field(default_factory=dict)
    apptainer: str = ""

    @property
    def section(self) -> str:
        """Its settings in compose/suite.yaml."""
        return "x-run" if self.name == HOST else f"x-run-{self.name}"


NVIDIA_TOOLKIT = Toolkit(
    runtime="nvidia",
    hook="nvidia-container-runtime-hook",
    cdi_kind="nvidia.com/gpu",
    remedy="install nvidia-container-toolkit, then `nvidia-ctk runtime configure --runtime=docker` and restart "
    "the engine",
)
DEVICES = {
    one.name: one
    for one in (
        Device(HOST, "CPU", "the package index; PyTorch's CPU builds (+cpu) from PyTorch's own", 4 * GIB),
        Device(
            CUDA,
            "NVIDIA GPU",
            "the package index",
            24 * GIB,
            vendor="nvidia",
            meter="nvml",
            precisions=("tf32", "fp16"),
            toolkit=NVIDIA_TOOLKIT,
            apptainer="--nv",
        ),
        Device(
            "rocm",
            "AMD GPU",
            "JAX's plugins from the package index; PyTorch's builds (+rocm) from PyTorch's own",
            40 * GIB,
            vendor="amd",
            meter="amdsmi",
            precisions=("fp16",),
            nodes={"KFD_GROUP": "/dev/kfd", "RENDER_GROUP": "/dev/dri/renderD*"},
            apptainer="--rocm",
        ),
        Device(
            "xpu",
            "Intel GPU",
            "PyTorch's builds (+xpu) from PyTorch's own index",
            24 * GIB,
            vendor="intel",
            meter="intel",
            precisions=("fp16",),
            nodes={"RENDER_GROUP": "/dev/dri/renderD*"},
        ),
    )
}
GPUS = tuple(one for one in DEVICES.values() if one.vendor)  # in the order in which they are looked for


def device(name: str) -> Device:
    """Raises: UsageError with the nearest name."""
    if name not in DEVICES:
        raise UsageError(unknown("device", name, DEVICES))
    return DEVICES[name]


def is_gpu(name: str) -> bool:
    """Whether a treatment of this device works beside the host's CPUs. Imported ones may have names of their own."""
    return name != HOST


def meters_of_others(name: str) -> frozenset[str]:
    """The meters of GPUs that a treatment of this device does not work on; none where nobody knows the device."""
    return frozenset(one.meter for one in GPUS if one.name != name) if name in DEVICES else frozenset()


def lacks_precision(name: str, precision: str) -> str:
    """Why a device cannot compute in a precision; empty where it can."""
    having = [one for one in GPUS if precision in one.precisions]
    if not having or name in {one.name for one in having}:
        return ""
    words = " or ".join(f"an {one.title}" for one in having)
    return f"{precision} needs {'a GPU' if len(having) == len(GPUS) else words}"
