"""Deep Green AI: every cell of its tables, and what its rows say besides, computed from them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness import studies
from harness.importers.base import SourceError
from harness.studies.base import YES, Reproduction
from tests.conftest import SHARED
from tests.foreign import write

DEEPGREEN25 = SHARED / "published/deepgreen25"
needs_files = pytest.mark.skipif(
    not DEEPGREEN25.is_dir(), reason="the raw files of the study are not beside the checkout"
)
COLUMNS = (
    "modello,dataset,fase,language,epoca,experiment_id,codecarbon_version,tracking_mode,duration,cpu_power,gpu_power,"
    "ram_power,cpu_energy,gpu_energy,ram_energy,energy_consumed"
)


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return studies.reproduce("deepgreen25", DEEPGREEN25)


def messages(found: Reproduction, code: str) -> str:
    return "".join(one.message for one in found.audit if one.code == code)


def rows(
    folder: Path, cpu_w: dict[str, list[float]], runs: int = 1, gpu_w: float = 100.0, ram_w: float = 70.0
) -> Path:
    """Epochs of 10 s in two languages, each with the CPU's powers in turn."""
    lines = [COLUMNS]
    for place, (language, powers) in enumerate(cpu_w.items()):
        for epoch, cpu in enumerate(powers, 1):
            gpu = gpu_w * (1 + epoch) * (1 + place)
            parts = [power * 10 / 3.6e6 for power in (cpu, gpu, ram_w)]
            lines.append(
                f"resnet18,CIFAR100,train,{language},{epoch},{language}{epoch % runs},3.0.4,machine,10,"
                + ",".join(f"{one:.15g}" for one in (cpu, gpu, ram_w, *parts, sum(parts)))
            )
    return write(folder / "combined_data.csv", "\n".join(lines) + "\n").parent


@needs_files
def test_every_cell_of_the_four_tables_follows_from_the_rows(found: Reproduction) -> None:
    assert len(found.cells) == 110
    assert {(one.match, one.rule) for one in found.cells} == {(YES, "exact")}


@needs_files
def test_the_audit_says_what_was_assumed_and_what_it_decides(found: Reproduction) -> None:
    assert "42.5 W in 1800 of 1800 rows (2.8.4); 37 W in 871 of 926 rows (3.0.4)" in messages(
        found, "cpu-power-constant"
    )
    assert messages(found, "ram-power-constant").endswith(
        "189 W in 1440 of 1440 rows (2.8.4, machine); 0.0386 W in 360 of 360 rows (2.8.4, process); 70 W in 1080 of "
        "1080 rows (3.0.4, machine)"
    )
    assert "TensorFlow 55%" in messages(found, "assumed-share")
    assert "PyTorch 45%" in messages(found, "assumed-share")
    assert "R 0%" in messages(found, "assumed-share")
    assert "C++ from 2 to 4" in messages(found, "ranks-change")
    assert messages(found, "epochs-as-replicates").startswith("96 of 96 cells are up to 30 epochs of one run")
    assert "3 ways" in messages(found, "instruments-differ")
    assert "cpu_power in 154 rows (C++, MATLAB)" in messages(found, "power-zero")


def test_a_cpu_that_was_measured_is_not_called_constant(tmp_path: Path) -> None:
    steady, varying = [37.0] * 5, [20.0, 40.0, 60.0, 80.0, 100.0]
    assert "37 W in 10 of 10" in messages(
        studies.reproduce("deepgreen25", rows(tmp_path, {"R": steady, "C++": steady})), "cpu-power-constant"
    )
    again = studies.reproduce("deepgreen25", rows(tmp_path, {"R": varying, "C++": varying}))
    assert messages(again, "cpu-power-constant") == ""


def test_several_runs_of_a_cell_are_replicates(tmp_path: Path) -> None:
    powers = {"R": [37.0] * 4}
    once = studies.reproduce("deepgreen25", rows(tmp_path, powers))
    assert messages(once, "epochs-as-replicates").startswith("1 of 1 cells are up to 4 epochs of one run")
    twice = studies.reproduce("deepgreen25", rows(tmp_path, powers, runs=2))
    assert messages(twice, "epochs-as-replicates") == ""


def test_ranks_that_stay_are_not_said_to_change(tmp_path: Path) -> None:
    same = studies.reproduce("deepgreen25", rows(tmp_path, {"R": [37.0] * 3, "C++": [37.0] * 3}))
    assert messages(same, "ranks-change") == ""
    turned = studies.reproduce("deepgreen25", rows(tmp_path, {"R": [900.0] * 3, "C++": [1.0] * 3}))
    assert messages(turned, "ranks-change").endswith("C++ from 1 to 2, R from 2 to 1")


@pytest.mark.parametrize(
    ("column", "text", "line"),
    [
        ("duration", "0", "duration is 0"), ("gpu_energy", "-1", "gpu_energy is -1"),
        ("energy_consumed", "nan", "energy_consumed is 'nan', no number"), ("epoca", "x", "epoca is 'x', no number"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_is_named(tmp_path: Path, column: str, text: str, line: str) -> None:
    path = rows(tmp_path, {"R": [37.0] * 3}) / "combined_data.csv"
    table = pd.read_csv(path, dtype=str)
    table.loc[1, column] = text
    table.to_csv(path, index=False)
    with pytest.raises(SourceError, match=rf"combined_data\.csv:3: {line}"):
        studies.reproduce("deepgreen25", tmp_path)


def test_a_folder_without_the_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"combined_data\.csv: the file is missing"):
        studies.reproduce("deepgreen25", tmp_path)
