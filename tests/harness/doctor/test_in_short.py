"""The last line of suite doctor: what to expect of a run here."""

from __future__ import annotations

import pytest

from harness.doctor.check import Check, Level
from harness.doctor.in_short import in_short

ENGINE = Check("engine", Level.OK, "answers, version 28", "")
NO_ENGINE = Check("engine", Level.MISSING, "no Docker engine answers", "", "install one")
RAPL = Check("energy", Level.OK, "cpu_package + dram (measured)", "")
MODEL = Check("energy", Level.MISSING, "cpu_model (estimated)", "")
NOTHING = Check("energy", Level.MISSING, "none", "")
NO_RAPL = Check("meter rapl", Level.WORSE, "no RAPL zones", "")
NO_DATA = Check("data mnist", Level.MISSING, "not prepared", "")
OFF = Check("turbo", Level.WORSE, "on", "")


@pytest.mark.parametrize(
    ("checks", "line"),
    [
        (
            (ENGINE, RAPL),
            "this machine: runs in containers; energy will be read from cpu_package + dram (measured)",
        ),
        (
            (ENGINE, NO_RAPL, MODEL),
            "this machine: runs in containers; energy will be ESTIMATED: no RAPL zones",
        ),
        ((NO_ENGINE, RAPL), "this machine: runs in virtual environments, for want of a container engine"),
        ((ENGINE, NOTHING), "energy will be UNKNOWN"),
        ((ENGINE, RAPL, NO_DATA, OFF), "; missing: data mnist"),
    ],
)
def test_it_says_where_runs_run_and_what_their_joules_will_be(checks: tuple[Check, ...], line: str) -> None:
    assert line in in_short(checks)


def test_estimated_energy_is_said_even_where_nobody_knows_why() -> None:
    assert in_short([MODEL]) == "this machine: energy will be ESTIMATED"
