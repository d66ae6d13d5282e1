"""Which machine it is, from a fake tree of the kernel's files."""

from __future__ import annotations

import json
from pathlib import Path

from harness.host.identity import identity, memory_modules
from tests.harness.host.test_settings import plant

TREE = {
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Example CPU\nmicrocode\t: 0x42\nflags\t\t: fpu hypervisor\n",
    "proc/cmdline": "root=/dev/sda1 quiet",
    "sys/class/dmi/id/bios_vendor": "Acme",
    "sys/class/dmi/id/bios_version": "1.2",
    "sys/class/dmi/id/board_name": "X1",
    "sys/devices/system/edac/mc/mc0/dimm0/size": "16384",
    "sys/devices/system/edac/mc/mc0/dimm0/dimm_mem_type": "Registered-DDR4",
    "sys/devices/system/edac/mc/mc0/dimm1/size": "0",
}


def test_hardware_and_firmware_are_read(tmp_path: Path) -> None:
    found = identity(plant(tmp_path, TREE))
    assert (found["cpu_model"], found["microcode"], found["virtualised"]) == ("Example CPU", "0x42", True)
    assert (found["firmware"], found["board"]) == ("Acme 1.2", "X1")
    assert found["memory_modules"] == ["16384 MiB Registered-DDR4"]
    assert found["kernel_command_line"] == "root=/dev/sda1 quiet"


def test_what_cannot_be_read_is_null(tmp_path: Path) -> None:
    found = json.loads(json.dumps(identity(tmp_path)))
    assert {found[name] for name in ("cpu_model", "microcode", "board", "firmware")} == {None}
    assert memory_modules(tmp_path) is None
    assert found["logical_cpus"] >= 1
