"""The power PMU's tree in sysfs, emulated."""

from __future__ import annotations

from pathlib import Path

from harness.meters.rapl_host import Host

INTEL = Host("GenuineIntel", virtual=False, package_of={0: 0, 1: 0, 28: 1, 29: 1})
KERNEL_SCALE = "2.3283064365386962890625e-10"


def make_pmu(
    folder: Path, kind: int = 9, cpumask: str = "0", scale: str = KERNEL_SCALE, **events: int
) -> Path:
    """A tree as arch/x86/events/rapl.c makes it."""
    (folder / "events").mkdir(parents=True)
    (folder / "type").write_text(f"{kind}\n")
    (folder / "cpumask").write_text(f"{cpumask}\n")
    for name, config in (events or {"pkg": 2, "ram": 3, "cores": 1, "psys": 5}).items():
        (folder / "events" / f"energy-{name}").write_text(f"event=0x{config:02x}\n")
        (folder / "events" / f"energy-{name}.scale").write_text(f"{scale}\n")
        (folder / "events" / f"energy-{name}.unit").write_text("Joules\n")
    return folder
