"""An emulated wall clock for the processes that are started with it; the machine's own is not touched."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class WallClock:
    """`variables` give it to a process and its children."""

    def __init__(self, folder: Path) -> None:
        self._file, library = folder / "clock.txt", folder / "clock.so"
        self._began_s = round(time.time() - time.monotonic())
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)], check=True)
        self.set_ahead(0)
        self.variables = {"LD_PRELOAD": str(library), "JOULEMARK_CLOCK": str(self._file)}

    def set_ahead(self, seconds: int) -> None:
        """Of the time of day when this began, gone on steadily since; behind it where negative."""
        self._file.write_text(str(self._began_s + seconds))
