"""The kernel's own files say what the CPU's counters mean."""

from __future__ import annotations

from pathlib import Path

from harness.meters.rapl_host import Host, read_host


def test_the_host_is_read_from_the_kernels_files(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text(
        "vendor_id\t: AuthenticAMD\nflags\t: fpu hypervisor\n\nvendor_id\t: Other\n"
    )
    for cpu, package in {0: 0, 1: 0, 10: 1}.items():
        folder = tmp_path / f"cpu{cpu}" / "topology"
        folder.mkdir(parents=True)
        (folder / "physical_package_id").write_text(f"{package}\n")
    host = read_host(tmp_path / "cpuinfo", tmp_path)
    assert host == Host("AuthenticAMD", virtual=True, package_of={0: 0, 1: 0, 10: 1})
    assert host.packages == 2
    assert host.amd
    assert read_host(tmp_path / "none", tmp_path / "none") == Host("", virtual=False, package_of={})
    assert read_host().packages >= 1  # of the machine that runs this test
