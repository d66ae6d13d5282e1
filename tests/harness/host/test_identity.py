"""Which machine it is, from a fake tree of the kernel's files."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

from harness.host.identity import identity, memory_modules, names
from harness.host.machine_id import machine_id
from tests.harness.host.test_tuning import plant

OWN_ID = "0123456789abcdef0123456789abcdef"
TREE = {
    "etc/machine-id": OWN_ID,
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


def test_what_tells_whose_machine_it_is_stays_out_of_records(tmp_path: Path) -> None:
    root = plant(tmp_path, TREE)
    assert names(root) == {"hostname": platform.node(), "kernel_command_line": "root=/dev/sda1 quiet"}
    recorded = json.dumps(identity(root))
    assert platform.node() not in recorded
    assert "quiet" not in recorded
    assert OWN_ID not in recorded


def test_a_machine_is_known_again_and_told_from_another(tmp_path: Path) -> None:
    found = machine_id(plant(tmp_path / "a", TREE))
    assert (
        found
        == machine_id(plant(tmp_path / "b", TREE))
        == identity(plant(tmp_path / "c", TREE))["machine_id"]
    )
    assert found is not None
    assert len(found) == 32
    assert found != OWN_ID
    assert found != machine_id(plant(tmp_path / "d", {"etc/machine-id": OWN_ID.replace("1", "2")}))


@pytest.mark.parametrize("content", ["", "uninitialized", "1234", "../../etc/passwd"])
def test_what_is_no_id_is_unknown(tmp_path: Path, content: str) -> None:
    assert machine_id(plant(tmp_path, {"etc/machine-id": content})) is None


def test_what_cannot_be_read_is_null(tmp_path: Path) -> None:
    found = json.loads(json.dumps(identity(tmp_path)))
    assert {found[name] for name in ("cpu_model", "microcode", "board", "firmware")} == {None}
    assert memory_modules(tmp_path) is None
    assert found["logical_cpus"] >= 1
