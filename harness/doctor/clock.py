"""The clock by which phases are cut, and the time of day."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

from harness.doctor.check import Check, judged
from harness.host.files import ROOT
from harness.host.tuning import tuning

QUICK = ("tsc", "arch_sys_counter", "kvm-clock")  # read without a system call
TIMEOUT_S = 5


def checks() -> Iterator[Check]:
    yield source(tuning(ROOT)["clock_source"])
    yield synchronised(ask_timedatectl())


def source(name: str | None) -> Check:
    return judged(
        "clock source",
        name is None or name in QUICK,
        name or "unknown",
        "a slow clock costs a system call at every phase mark and reading",
        "see why the kernel distrusts the TSC: dmesg | grep -i tsc",
    )


def ask_timedatectl() -> str | None:
    """yes or no, as systemd answers; None where it is not there or does not know."""
    program = shutil.which("timedatectl")
    if program is None:
        return None
    command = [program, "show", "--property=NTPSynchronized", "--value"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.stdout.strip() or None


def synchronised(answer: str | None) -> Check:
    return judged(
        "time of day",
        answer != "no",
        {"yes": "synchronised", "no": "not synchronised"}.get(answer or "", "unknown: systemd does not tell"),
        "only for the date of a campaign: energies and times use a clock that never jumps",
        "timedatectl set-ntp true",
    )
