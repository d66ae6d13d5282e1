"""How the summary reads, and what it says of a GPU."""

from __future__ import annotations

import pytest

from ansible.filter_plugins.joulemark_gpu_lines import gpu_line
from ansible.filter_plugins.joulemark_summary import line, reason

CUDA = [
    {"cuda": 12, "driver": "525.60.13", "chip": "5.0"},
    {"cuda": 13, "driver": "580.65.06", "chip": "7.5"},
]


def gpu(chip: str = "9.0", persistence: bool = True) -> dict[str, object]:
    return {"name": "L4", "chip": chip, "persistence": persistence}


@pytest.mark.parametrize(
    ("chip", "driver", "amiss"),
    [
        ("9.0", "580.65.06", []),
        ("10.0", "600.1", []),
        ("7.0", "580.65.06", ["CUDA 13 (chip 7.0"]),
        ("8.9", "535.183.01", ["CUDA 13 (driver"]),
        ("3.5", "470.9", ["CUDA 12 (driver", "CUDA 12 (chip", "CUDA 13 (driver", "CUDA 13 (chip"]),
    ],
)
def test_driver_and_chip_are_compared_as_numbers(chip: str, driver: str, amiss: list[str]) -> None:
    found = gpu_line(gpu(chip), driver, CUDA)
    assert found["good"] is (not amiss)
    assert str(found["says"]).count("too old") == len(amiss)
    assert all(part in found["says"] for part in amiss)


def test_a_driver_that_unloads_is_told() -> None:
    assert "persistence off" in gpu_line(gpu(persistence=False), "600.1", CUDA)["says"]


def test_a_line_gives_the_remedy_only_where_something_is_amiss() -> None:
    said = {"role": "docker", "says": "no engine", "remedy": "install one"}
    assert line({**said, "good": True}) == "ok      docker: no engine"
    assert line({**said, "good": False}) == "LACKING docker: no engine; install one"


def test_the_reason_is_the_programs_own_complaint() -> None:
    made = {
        "stderr": "warning\nERROR: no matching distribution\nmake: Error 1",
        "msg": "non-zero return code",
    }
    assert reason(made) == "ERROR: no matching distribution"
    assert (
        reason({"results": [{"failed": False}, {"failed": True, "msg": "second"}], "msg": "some"}) == "second"
    )
    assert reason({}) == "it failed"
