"""Intel's GPUs as the kernel's hwmon shows them: which counter is a card's, and its files beside.

Linux, Documentation/ABI/testing/sysfs-driver-intel-i915-hwmon and -xe-hwmon: energy in microjoules, power in
microwatts. Only cards have one: a GPU inside a CPU is inside the CPU's own counters. The chip `i915_gtN` is a tile
of a card, and xe's `pkg` lies inside its `card`: neither is summed beside it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

DRIVERS = ("i915", "xe")
WHOLE = "card"  # xe's label of the counter of all that the card draws; on some cards there is only `pkg`
ROOT = "/sys/class/hwmon"


@dataclass(frozen=True)
class Card:
    """`chip`: its folder in hwmon; `counter`: the file of its energy; `device`: its folder on the PCI bus."""

    chip: Path
    driver: str
    counter: Path

    @property
    def device(self) -> Path:
        return (self.chip / "device").resolve()

    @property
    def address(self) -> str:
        """0000:03:00.0, which outlives a reboot."""
        return self.device.name


def hwmon_root() -> Path:
    return Path(os.environ.get("JOULEMARK_HWMON_ROOT", ROOT))


def cards(root: Path) -> list[Card]:
    """In order of their addresses."""
    chips = {chip: text(chip / "name") for chip in root.glob("hwmon*")}
    found = [
        Card(chip, driver, counter)
        for chip, driver in chips.items()
        if driver in DRIVERS and (counter := _counter(chip))
    ]
    return sorted(found, key=lambda card: card.address)


def _counter(chip: Path) -> Path | None:
    counters = sorted(chip.glob("energy*_input"))
    labels = {file: text(file.with_name(file.name.replace("_input", "_label"))) for file in counters}
    whole = (file for file in counters if labels[file] in (WHOLE, ""))
    return next(whole, counters[0] if counters else None)


def text(file: Path) -> str:
    """Empty where the kernel does not tell."""
    try:
        return file.read_text().strip()
    except OSError:
        return ""


def number(file: Path) -> int | None:
    found = text(file)
    return int(found) if found.isdigit() else None


def first(folder: Path, *patterns: str) -> Path | None:
    """The first file that one of the patterns finds, which kernels name differently."""
    return next((file for pattern in patterns for file in sorted(folder.glob(pattern))), None)
