"""A powercap tree that behaves like the kernel's: zones with names, ranges and counters that wrap.

The counters follow a known waveform, so that a test knows the true energy of any interval. As in sysfs, the zones
lie inside their control type and their parents, with a flat link to each in the root.

`python -m tests.emulators.powercap SECONDS COMMAND...` shows one package (60 W) and its dram (5 W) to any program at
/sys/class/powercap, in a mount namespace of its own (root only).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.meters.base import EMULATOR_MARK
from tests.emulators.waveforms import constant

UJ_PER_J = 1_000_000
WIDTH = 20  # fixed-width numbers in one pwrite: a reader never sees half of one
WRITER_PERIOD_S = 0.001
# A tmpfs with every folder of /sys/class bound into it and our tree as powercap, then laid over /sys/class.
SHOW = """
set -e
stage=$(mktemp -d)
mount -t tmpfs none "$stage"
for folder in /sys/class/*/; do
    name=$(basename "$folder")
    [ "$name" = powercap ] && continue
    mkdir "$stage/$name"
    mount --bind "$folder" "$stage/$name"
done
mkdir "$stage/powercap"
mount --bind "$1" "$stage/powercap"
mount --rbind "$stage" /sys/class
umount -l "$stage"
rmdir "$stage"
shift
exec "$@"
"""


@dataclass
class EmulatedZone:
    """`energy_j` maps seconds since the start to joules since the start; the counter wraps at `range_uj`.

    `mirrors` names the folder of an earlier zone whose register this one shows again.
    """

    folder: str
    name: str
    energy_j: Callable[[float], float]
    range_uj: int = 262_143_328_850
    offset_uj: int = 0
    mirrors: str = ""

    @property
    def path(self) -> str:
        """intel-rapl:0:1 -> intel-rapl/intel-rapl:0/intel-rapl:0:1."""
        parts = self.folder.split(":")
        return "/".join(":".join(parts[: n + 1]) for n in range(len(parts)))


def many(count: int, watts: float = 50.0) -> list[EmulatedZone]:
    """Packages enough for `count` channels, each with its own power."""
    return [EmulatedZone(f"intel-rapl:{n:x}", f"package-{n}", constant(watts + n)) for n in range(count)]


@dataclass
class PowercapTree:
    """Use as a context manager: while it is open, a writer moves the counters, at 1 kHz unless told otherwise."""

    root: Path
    zones: list[EmulatedZone]
    start_ns: int = field(default_factory=time.monotonic_ns)
    period_s: float = WRITER_PERIOD_S

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / EMULATOR_MARK).touch()
        self._gone: set[str] = set()
        self._ahead_uj = {zone.folder: 0 for zone in self.zones}  # of the truth
        self._stuck_uj: dict[str, int] = {}
        for zone in self.zones:
            self._make(zone)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def _make(self, zone: EmulatedZone) -> None:
        folder = self.root / zone.path
        folder.mkdir(parents=True)
        (self.root / zone.folder).symlink_to(zone.path)
        for level in [folder, *folder.parents][: zone.path.count("/") + 1]:  # up to the control type
            if not (level / "subsystem").is_symlink():
                (level / "subsystem").symlink_to(os.path.relpath(self.root, level))
        (folder / "name").write_text(zone.name + "\n")
        (folder / "enabled").write_text("1\n")
        (folder / "max_energy_range_uj").write_text(f"{zone.range_uj}\n")
        if zone.mirrors:
            (folder / "energy_uj").hardlink_to(self.root / zone.mirrors / "energy_uj")
        else:
            (folder / "energy_uj").write_text(f"{zone.offset_uj:{WIDTH}d}\n")

    def __enter__(self) -> PowercapTree:
        self.start_ns = time.monotonic_ns()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _write(self) -> None:
        own = [zone for zone in self.zones if not zone.mirrors]
        self._files = {zone.folder: os.open(self._counter(zone.folder), os.O_WRONLY) for zone in own}
        while not self._stop.wait(self.period_s):
            t_s = (time.monotonic_ns() - self.start_ns) / 1e9
            for zone in own:
                if zone.folder not in self._gone:
                    value = self._stuck_uj.get(zone.folder, self._shown_uj(zone, t_s))
                    os.pwrite(self._files[zone.folder], f"{value:{WIDTH}d}\n".encode(), 0)
        for fd in self._files.values():
            os.close(fd)

    def _shown_uj(self, zone: EmulatedZone, t_s: float) -> int:
        counted_uj = zone.offset_uj + round(zone.energy_j(t_s) * UJ_PER_J)
        return (counted_uj + self._ahead_uj[zone.folder]) % zone.range_uj

    def _now_uj(self, folder: str) -> int:
        zone = next(one for one in self.zones if one.folder == folder)
        return self._shown_uj(zone, (time.monotonic_ns() - self.start_ns) / 1e9)

    def reset(self, folder: str) -> None:
        """The register begins anew at 0, as after its driver or its firmware was loaded again."""
        self._ahead_uj[folder] -= self._now_uj(folder)

    def jump(self, folder: str, by_j: float) -> None:
        """From now on the register is ahead by so much, or behind."""
        self._ahead_uj[folder] += round(by_j * UJ_PER_J)

    def glitch(self, folder: str, by_j: float, for_s: float) -> None:
        """For so long, which should be a sampling period, readings are wrong by so much."""
        self.jump(folder, by_j)
        time.sleep(for_s)
        self.jump(folder, -by_j)

    def freeze(self, folder: str) -> None:
        """The register stands still while the hardware draws on."""
        self._stuck_uj[folder] = self._now_uj(folder)

    def thaw(self, folder: str, catches_up: bool = False) -> None:
        """It goes on from where it stood, or shows what it would have."""
        lost_uj = 0 if catches_up else self._now_uj(folder) - self._stuck_uj[folder]
        self._ahead_uj[folder] -= lost_uj
        del self._stuck_uj[folder]

    def revoke(self, folder: str) -> None:
        """The rights to read it are taken away; who has it open reads on, as from sysfs."""
        self._counter(folder).chmod(0o000)

    def vanish(self, folder: str) -> None:
        """The zone goes as when its driver is unloaded: open files read nothing more, the path is gone."""
        self._gone.add(folder)
        time.sleep(2 * self.period_s)  # a write under way ends
        os.truncate(self._counter(folder), 0)
        self._counter(folder).unlink()

    def come_back(self, folder: str) -> None:
        """As when the driver is loaded again: another file, and the counter ran on meanwhile."""
        self._counter(folder).write_text(f"{0:{WIDTH}d}\n")
        again = os.open(self._counter(folder), os.O_WRONLY)
        os.dup2(again, self._files[folder])
        os.close(again)
        self._gone.remove(folder)

    def _counter(self, folder: str) -> Path:
        return self.root / folder / "energy_uj"

    def true_energy_j(self, zone: str, begin_ns: int, end_ns: int) -> float:
        """What the zone of that name really consumed over an interval of CLOCK_MONOTONIC ns."""
        energy_j = next(one.energy_j for one in self.zones if one.name == zone)
        return energy_j((end_ns - self.start_ns) / 1e9) - energy_j((begin_ns - self.start_ns) / 1e9)

    def shown_to(self, command: Sequence[str]) -> list[str]:
        """The command line that runs `command` where /sys/class/powercap is this tree; needs root."""
        shell = ["sh", "-c", SHOW, "sh", str(self.root.resolve())]
        return ["unshare", "--mount", "--propagation", "private", *shell, *command]


def main(seconds: float, command: list[str]) -> None:
    zones = [
        EmulatedZone("intel-rapl:0", "package-0", constant(60.0)),
        EmulatedZone("intel-rapl:0:0", "dram", constant(5.0)),
    ]
    with tempfile.TemporaryDirectory() as folder, PowercapTree(Path(folder) / "powercap", zones) as tree:
        subprocess.run(tree.shown_to(command), timeout=seconds, check=True)


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
