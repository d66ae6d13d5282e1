"""Emulated NVIDIA GPUs: builds stub.c as libnvidia-ml.so.1, so that nvidia-ml-py runs as it is.

The power of a GPU is a cycle of (seconds, watts) from the start on, so that a test knows the true energy of any
interval. State can be changed at any time with `set`: the library reads its file anew at every call.
"""

from __future__ import annotations

import _ctypes
import atexit
import contextlib
import ctypes
import math
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pynvml
import pytest

SOURCE = Path(__file__).with_name("stub.c")
LIBRARY = "libnvidia-ml.so.1"
CONFIG = "JOULEMARK_NVML_STUB"
DRIVER = "joulemark-emulator-1.0"
IDLE = ((1.0, 100.0),)
BURSTS = ((0.23, 500.0), (0.19, 80.0))  # in step with no update period
NS_PER_S = 1_000_000_000

Cycle = tuple[tuple[float, float], ...]


@cache
def library_folder() -> Path:
    """A folder with the compiled library, one per session."""
    folder = Path(tempfile.mkdtemp(prefix="joulemark-nvml-"))
    atexit.register(shutil.rmtree, folder)
    command = ["cc", "-shared", "-fPIC", "-O1", f"-Wl,-soname,{LIBRARY}", "-o", str(folder / LIBRARY)]
    subprocess.run([*command, str(SOURCE), "-lm"], check=True)
    return folder


class NvmlStub:
    """GPUs that draw power from now on, one cycle of (seconds, watts) each."""

    def __init__(self, folder: Path, *cycles: Cycle) -> None:
        self.config = folder / "nvml.txt"
        self.start_ns = time.monotonic_ns()
        self.cycles = cycles
        origin_s, origin_ns = divmod(self.start_ns, NS_PER_S)
        self._values: dict[str, object] = {
            "driver": DRIVER,
            "count": len(cycles),
            "origin_s": origin_s,
            "origin_ns": origin_ns,
            "name": "Emulated H100",
        }
        for number, cycle in enumerate(cycles):
            self._values[f"gpu.{number}.uuid"] = f"GPU-emulated-{number}"
            self._values[f"gpu.{number}.segments"] = ",".join(f"{s}:{w}" for s, w in cycle)
        self.set()

    def set(self, values: dict[str, object] | None = None, **more: object) -> None:
        """Changes keys of stub.c: `update_s=0.1`, `{"gpu.1.error.nvmlDeviceGetName": 15}`; in effect at once."""
        self._values |= {**(values or {}), **more}
        new = self.config.with_suffix(".new")
        new.write_text("".join(f"{key} {value}\n" for key, value in self._values.items()))
        new.replace(self.config)

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs in order to see these GPUs."""
        return {CONFIG: str(self.config), "LD_LIBRARY_PATH": str(library_folder())}

    @contextlib.contextmanager
    def loaded(self) -> Iterator[NvmlStub]:
        """These GPUs in this very process; afterwards it sees what the machine has."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(CONFIG, str(self.config))
            forget_library(patch)
            # Its soname makes it the answer to nvidia-ml-py's own dlopen("libnvidia-ml.so.1").
            preloaded = ctypes.CDLL(str(library_folder() / LIBRARY))
            try:
                yield self
            finally:
                for library in filter(None, (pynvml.nvmlLib, preloaded)):
                    _ctypes.dlclose(library._handle)

    def true_energy_j(self, gpu: int, begin_ns: int, end_ns: int) -> float:
        """What a GPU really consumed over an interval of CLOCK_MONOTONIC ns."""
        ends_s = [(t_ns - self.start_ns) / NS_PER_S for t_ns in (begin_ns, end_ns)]
        begin_j, end_j = (_energy_j(self.cycles[gpu], t_s) for t_s in ends_s)
        return end_j - begin_j


def forget_library(patch: pytest.MonkeyPatch) -> None:
    """nvidia-ml-py as if freshly imported."""
    patch.setattr(pynvml, "nvmlLib", None)
    patch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})


def _energy_j(cycle: Cycle, t_s: float) -> float:
    cycle_s, cycle_j = sum(s for s, _ in cycle), sum(s * w for s, w in cycle)
    whole = math.floor(t_s / cycle_s)
    rest_s, energy_j = t_s - whole * cycle_s, whole * cycle_j
    for seconds, watts in cycle:
        energy_j += min(rest_s, seconds) * watts
        rest_s = max(0.0, rest_s - seconds)
    return energy_j
