"""Emulated AMD GPUs: puts amdsmi.py of this folder where `import amdsmi` finds it.

The power of a GPU is a cycle of (seconds, watts) from the start on, so that a test knows the true energy of any
interval, whatever its counter says.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulators.waveforms import steps

FOLDER = Path(__file__).parent
CONFIG = "JOULEMARK_AMDSMI_STUB"
INSTANT, AVERAGE = "current_socket_power", "average_socket_power"
RESOLUTION_UJ = 15.3

Cycle = tuple[tuple[float, float], ...]


class AmdStub:
    """GPUs that draw power from now on, one cycle of (seconds, watts) each."""

    def __init__(self, folder: Path, *cycles: Cycle) -> None:
        self.config, self.cycles, self.start_ns = folder / "amdsmi.json", cycles, time.monotonic_ns()
        self._machine: dict[str, object] = {}
        self._gpus = [self._gpu(number, cycle) for number, cycle in enumerate(cycles)]
        self._write()

    def _gpu(self, number: int, cycle: Cycle) -> dict[str, object]:
        return {
            "segments": cycle,
            "origin_ns": self.start_ns,
            "update_s": 0.01,
            "resolution_uj": RESOLUTION_UJ,
            "start": 1 << 33,  # of steps
            "bits": 64,
            "scale": 1.0,
            "frozen_after_s": None,
            "falls_every_s": 0,
            "falls_j": 0.0,
            "blind": False,  # a second die
            "power": INSTANT,
            "limit_w": 750,
            "processes": [],
            "name": "Emulated MI300X",
            "chip": "gfx942",
            "uuid": f"amd-emulated-{number}",
            "partition": "SPX",
            "errors": {},
        }

    def set(self, gpu: int = 0, **values: object) -> None:
        """Changes what a GPU is: `frozen_after_s=0`, `errors={"amdsmi_get_power_info": 2}`; in effect at once."""
        assert set(values) <= set(self._gpus[gpu]), values
        self._gpus[gpu] |= values
        self._write()

    def fail_to_start(self, code: int) -> None:
        self._machine = {"init": code}
        self._write()

    def _write(self) -> None:
        new = self.config.with_suffix(".new")
        new.write_text(json.dumps({**self._machine, "gpus": self._gpus}))
        new.replace(self.config)

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs in order to see these GPUs."""
        return {CONFIG: str(self.config), "PYTHONPATH": str(FOLDER)}

    @contextlib.contextmanager
    def loaded(self) -> Iterator[AmdStub]:
        """These GPUs in this very process; afterwards it sees what the machine has."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv(CONFIG, str(self.config))
            patch.setattr(sys, "path", [str(FOLDER), *sys.path])
            patch.delitem(sys.modules, "amdsmi", raising=False)
            try:
                yield self
            finally:
                sys.modules.pop("amdsmi", None)

    def true_energy_j(self, gpu: int, begin_ns: int, end_ns: int) -> float:
        """What a GPU really consumed over an interval of CLOCK_MONOTONIC ns."""
        begin_s, end_s = ((t_ns - self.start_ns) / 1e9 for t_ns in (begin_ns, end_ns))
        energy_j = steps(self.cycles[gpu])
        return energy_j(end_s) - energy_j(begin_s)
