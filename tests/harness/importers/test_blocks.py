"""A block of an imported campaign is only a number, unless its runs really took place together."""

from __future__ import annotations

from pathlib import Path

from harness import importers
from harness.importers.blocks import findings
from tests.foreign import energibridge, perf


def messages(name: str, folder: Path) -> list[str]:
    return [one.message for one in findings(importers.read(name, folder).runs)]


def at(folder: Path, **minutes: list[int]) -> Path:
    for name, begins in minutes.items():
        for number, minute in enumerate(begins, 1):
            energibridge(folder / f"{name}_{number}.csv", begin_ms=1_700_000_000_000 + 60_000 * minute)
    return folder


def test_runs_that_took_turns_are_blocks(tmp_path: Path) -> None:
    assert messages("energibridge", at(tmp_path, keras=[0, 3, 4], torch=[1, 2, 5])) == []


def test_treatments_one_after_the_other_are_none(tmp_path: Path) -> None:
    (message,) = messages("energibridge", at(tmp_path, keras=[0, 1, 2], torch=[3, 4, 5]))
    assert message.startswith("repetitions with one number did not run together")


def test_files_without_a_clock_say_nothing_of_blocks(tmp_path: Path) -> None:
    for name in ("keras_1", "keras_2", "torch_1", "torch_2"):
        perf(tmp_path / f"{name}.txt")
    (message,) = messages("perf-stat", tmp_path)
    assert message.startswith("the files do not say when each run took place")


def test_a_single_repetition_has_nothing_to_pair(tmp_path: Path) -> None:
    assert messages("energibridge", at(tmp_path, keras=[0], torch=[1])) == []
