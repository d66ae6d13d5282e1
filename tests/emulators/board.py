"""A power supply's sensor as the kernel's hwmon shows it: its power, and its energy as a counter that moves."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

UJ_PER_J = 1_000_000
WRITER_PERIOD_S = 0.005


@dataclass
class PowerSupply:
    """Use as a context manager. Its readings claim to be real: what is tested is what becomes of them."""

    root: Path
    watts: float

    def __enter__(self) -> PowerSupply:
        chip = self.root / "hwmon0"
        chip.mkdir(parents=True)
        (chip / "name").write_text("psu\n")
        (chip / "power1_input").write_text(f"{round(self.watts * UJ_PER_J)}\n")
        self._energy = chip / "energy1_input"
        self._energy.write_text("0".rjust(20))
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._move)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._stop.set()
        self._thread.join()

    def _move(self) -> None:
        began_s = time.monotonic()
        with self._energy.open("r+b", buffering=0) as file:
            while not self._stop.wait(WRITER_PERIOD_S):
                energy_uj = round((time.monotonic() - began_s) * self.watts * UJ_PER_J)
                file.seek(0)
                file.write(f"{energy_uj:>20}".encode())
