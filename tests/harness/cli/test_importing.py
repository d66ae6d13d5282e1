"""suite import and suite reproduce, as a user calls them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness import importers, studies
from harness.studies.base import CELL_COLUMNS
from tests.foreign import perf, prengdl, write
from tests.foreign_mlperf import training


def test_an_imported_campaign_can_be_reported_exported_and_compared(tmp_path: Path, suite: Callable) -> None:
    prengdl(tmp_path / "files")
    answer = suite("import", "prengdl", tmp_path / "files", "-o", tmp_path / "c")
    assert (answer.code, answer.out) == (0, f"campaign: {tmp_path / 'c'}\n")
    assert suite("export", tmp_path / "c").code == 0
    assert suite("compare", tmp_path / "c").code == 0
    assert len(pd.read_csv(tmp_path / "c" / "runs.csv")) == 6


def test_runs_that_do_not_count_are_told_and_the_exit_code_is_that_of_a_run(
    tmp_path: Path, suite: Callable
) -> None:
    training(tmp_path / "one", watts=[0.0] * 31)
    answer = suite("import", "mlperf-training", tmp_path / "one", "-o", tmp_path / "c")
    first, second = answer.out.splitlines()
    assert (answer.code, first) == (1, f"campaign: {tmp_path / 'c'}")
    assert second.startswith(
        "1 of 1 run is invalid: mlperf-training/node_0/power stood still at 0 W for 20.0 s"
    )


def test_several_are_told_together_with_their_first_reason(tmp_path: Path, suite: Callable) -> None:
    training(tmp_path / "files", 1)
    training(tmp_path / "files", 2, watts=[0.0] * 31)
    training(tmp_path / "files", 3, run_s=(5.0, 31.0))
    path = training(tmp_path / "files", 4) / "result_4.txt"
    path.write_text(path.read_text().replace('"metadata": {}}', '"metadata": {"status": "aborted"}}'))
    answer = suite("import", "mlperf-training", tmp_path / "files", "-o", tmp_path / "c")
    _, invalid, failed = answer.out.splitlines()
    assert answer.code == 1
    assert invalid.startswith("2 of 4 runs are invalid: mlperf-training/node_0/power stood still")
    assert invalid.endswith(" (and 1 other reason)")
    assert failed == "1 of 4 runs failed: run_stop says aborted"


def test_a_stage_that_nobody_knows_is_refused(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = perf(tmp_path / "files" / "torch_1.txt")
    words = refused("import", "perf-stat", path, "-o", tmp_path / "c", "--stage", "eat")
    assert "'eat'" in words and "train, infer" in words
    assert not (tmp_path / "c").exists()


@pytest.mark.unhurried
def test_its_report_is_written(tmp_path: Path, suite: Callable) -> None:
    prengdl(tmp_path / "files")
    suite("import", "prengdl", tmp_path / "files", "-o", tmp_path / "c")
    assert suite("report", tmp_path / "c").code == 0
    assert "prengdl" in (tmp_path / "c/report.html").read_text()


def test_fields_that_no_file_tells_can_be_said(tmp_path: Path, suite: Callable) -> None:
    path = perf(tmp_path / "files" / "torch_1.txt")
    words = ["--workload", "mnist_cnn", "--version", "2.13.0", "--stage", "train", "--dataset", "mnist"]
    assert suite("import", "perf-stat", path, "-o", tmp_path / "c", *words).code == 0
    suite("export", tmp_path / "c")
    run = pd.read_csv(tmp_path / "c" / "runs.csv").iloc[0]
    assert list(run[["workload", "framework", "version", "stage", "dataset"]]) == [
        "mnist_cnn", "torch", "2.13.0", "train", "mnist"
    ]  # fmt: skip


def test_mistakes_are_one_line_and_leave_nothing(tmp_path: Path, refused: Callable[..., str]) -> None:
    path = perf(tmp_path / "files" / "torch_1.txt", pkg="<not counted>")
    out = tmp_path / "c"
    assert "torch_1.txt:4: <not counted>: perf did not read power/energy-pkg/" in refused(
        "import", "perf-stat", path, "-o", out
    )
    assert "unknown format 'perfstat'; did you mean 'perf-stat'?" in refused(
        "import", "perfstat", path, "-o", out
    )
    assert "no such file or folder" in refused("import", "prengdl", tmp_path / "gone", "-o", out)
    assert "Missing option '-o'" in refused("import", "prengdl", path)
    assert not out.exists()


def test_a_reproduction_prints_its_cells_as_csv_and_its_audit_apart(tmp_path: Path, suite: Callable) -> None:
    answer = suite("reproduce", "icse22", prengdl(tmp_path), "--format", "csv")
    cells = pd.read_csv(io.StringIO(answer.out), dtype=str)
    assert list(cells.columns) == CELL_COLUMNS
    assert set(cells["match"]) <= {"yes", "no", "not at hand", "not compared"}
    assert "readings-missing: " in answer.err


def test_as_text_it_ends_with_the_audit(suite: Callable) -> None:
    answer = suite("reproduce", "schep25")
    assert answer.code == 0
    assert "SIMULATED" in answer.out
    assert "runs-differ-from-text: the text says 30 iterations" in answer.out.splitlines()[-4]


def test_numbers_stand_below_each_other_and_each_match_has_its_rule(suite: Callable) -> None:
    lines = suite("reproduce", "schep25").out.splitlines()
    matches = [line for line in lines if line.endswith(("yes, exact", "not compared"))]
    assert len({line.rindex("  ") for line in matches if line.endswith("yes, exact")}) == 1
    assert "12 of 12 cells match (12 exact). What the files say besides:" in lines


def test_a_study_s_mistakes_are_one_line(tmp_path: Path, refused: Callable[..., str]) -> None:
    assert "unknown study 'icse'; did you mean 'icse22'?" in refused("reproduce", "icse")
    assert "sotillos23 needs the folder of its raw files" in refused("reproduce", "sotillos23")
    assert "holds no file of format prengdl" in refused("reproduce", "icse22", tmp_path)


def test_help_names_every_format_and_every_study(suite: Callable) -> None:
    formats, texts = suite("import", "--help").out, suite("reproduce", "--help").out
    assert [name for name in importers.found() if name not in formats] == []
    assert [name for name in studies.found() if name not in texts] == []


def test_printed_values_can_be_supplied(tmp_path: Path, suite: Callable) -> None:
    folder = prengdl(tmp_path / "files", stage="inference")
    cells = suite("reproduce", "icse22", folder, "--format", "csv").out
    assert "3,NCF,A12 pkg_j,,1,,not at hand," in cells
    path = write(tmp_path / "cells.csv", cells.replace("3,NCF,A12 pkg_j,,", "3,NCF,A12 pkg_j,1.0,"))
    again = suite("reproduce", "icse22", folder, "--format", "csv", "--published", path).out
    assert "3,NCF,A12 pkg_j,1.0,1,,yes,exact" in again
