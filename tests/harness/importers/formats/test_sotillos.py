"""The pairs of CSV files of Sotillos 2023."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import importers
from harness.importers.base import SourceError
from harness.records import Outcome
from tests.foreign import SMI_HEADER, smi_rows, sotillos, write


def test_a_pair_is_a_run_from_the_first_reading_to_the_last_epoch(tmp_path: Path) -> None:
    sotillos(tmp_path)
    (run,) = importers.read("sotillos", tmp_path).runs
    assert run.duration_ns == 19_500_000_000
    assert run.started == "2023-05-07T18:00:00"
    one = run.treatment
    assert (one.workload, one.framework, one.dataset, one.device) == ("resnet", "torch", "cifar10", "cuda")
    assert one.settings == {"batch_size": 32, "depth": 50, "epochs": 2}


def test_epochs_follow_each_other_and_carry_their_metrics(tmp_path: Path) -> None:
    sotillos(tmp_path)
    (run,) = importers.read("sotillos", tmp_path).runs
    edges = [
        (e.data["epoch"], e.data["edge"], e.t_ns - (run.begin_ns or 0))
        for e in run.events
        if e.kind == "phase"
    ]
    assert edges == [
        (1, "begin", 0), (1, "end", 9_500_000_000), (2, "begin", 9_500_000_000), (2, "end", 19_500_000_000)
    ]  # fmt: skip
    assert [e.data["values"]["accuracy"] for e in run.events if e.kind == "metrics"] == [0.5, 0.6]


def test_runs_come_in_the_order_of_time(tmp_path: Path) -> None:
    for run, minute in ((1, 7), (2, 3)):
        for path in sotillos(tmp_path, run=run):
            write(path, path.read_text().replace("18:00", f"18:{minute:02d}"))
    assert [run.repetition for run in importers.read("sotillos", tmp_path).runs] == [2, 1]


def test_a_log_that_ends_before_the_last_epoch_makes_the_run_invalid(tmp_path: Path) -> None:
    energy, _ = sotillos(tmp_path)
    write(energy, "\n".join([SMI_HEADER, *smi_rows(15)]) + "\n")
    (run,) = importers.read("sotillos", tmp_path).runs
    assert run.outcome is Outcome.INVALID
    assert run.reason.endswith("-ENERGY.csv ends before the last epoch does")


@pytest.mark.parametrize("lost", [0, 1])
def test_half_a_pair_is_refused(tmp_path: Path, lost: int) -> None:
    path = sotillos(tmp_path)[lost]
    path.unlink()
    with pytest.raises(SourceError) as refused:
        importers.read("sotillos", tmp_path)
    assert f"{path.name}: the file is missing" in str(refused.value)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            ("1;0.5;0.5;0.6;0.5;2023-05-07 18:00:20\n", ""),
            "_MODEL.csv:2: cut short: 1 epochs, its name says 2",
        ),
        (("18:00:20", "18:00:05"), "_MODEL.csv:3: '2023-05-07 18:00:05' is no time after the one before"),
        (("18:00:10", "17:00:00"), "_MODEL.csv:2: '2023-05-07 17:00:00' is no time after the one before"),
        (("\n1;", "\n2;"), "_MODEL.csv:3: epoch 2 where 1 was due"),
        (("f1;", "loss;"), "_MODEL.csv:1: unknown column 'loss'"),
        (("0.6", "high"), "_MODEL.csv:3: accuracy is 'high', no number"),
    ],
)
def test_a_bad_table_of_epochs_is_named_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: str
) -> None:
    _, model = sotillos(tmp_path)
    write(model, model.read_text().replace(*change))
    with pytest.raises(SourceError) as refused:
        importers.read("sotillos", tmp_path)
    assert line in str(refused.value)


def test_a_decimal_comma_gives_the_same(tmp_path: Path) -> None:
    _, model = sotillos(tmp_path)
    write(model, model.read_text().replace("0.", "0,").replace("\n", "\r\n"))
    (run,) = importers.read("sotillos", tmp_path).runs
    assert [e.data["values"]["accuracy"] for e in run.events if e.kind == "metrics"] == [0.5, 0.6]
