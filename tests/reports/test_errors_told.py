"""The part of the error that each ratio has is told as it was declared, and no longer number than it deserves."""

from harness.analysis import adaptive
from harness.records import Treatment
from reports.errors_told import each_ratio
from reports.formats import THIN


def treatments(*workloads: str) -> list[Treatment]:
    return [
        Treatment(workload=name, framework=framework, version="1", stage="train", dataset="d")
        for name in workloads
        for framework in ("torch", "jax")
    ]


def test_equal_parts_are_one_number() -> None:
    several = treatments("a", "b", "c")
    assert each_ratio(adaptive.declare(several, 0.02, 10)) == f"0.83{THIN}%"


def test_what_came_first_is_told_apart() -> None:
    several = treatments("a", "b", "c")
    rule = adaptive.declare(several, 0.02, 10, opening=several[0].work)
    assert each_ratio(rule) == f"1.2{THIN}% for a train, which came first, in 0.62{THIN}% for each other work"
