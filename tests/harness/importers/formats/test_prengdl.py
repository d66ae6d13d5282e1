"""The folders of the ICSE 2022 artifact."""

from __future__ import annotations

import cProfile
from pathlib import Path

import pandas as pd
import pytest

from harness import importers
from harness.importers.base import SourceError
from harness.profiling.function_files import FUNCTIONS_FILE
from harness.records import Purpose
from tests.foreign import powers, prengdl, write


def test_each_pair_of_texts_is_a_run_in_the_order_of_names(tmp_path: Path) -> None:
    runs = importers.read("prengdl", prengdl(tmp_path, 2, ("ncf", "mask_rcnn"))).runs
    told = [(one.treatment.workload, one.treatment.framework, one.repetition) for one in runs]
    assert told == [
        (model, framework, repetition)
        for model in ("mask_rcnn", "ncf")
        for framework in ("torch", "tensorflow")
        for repetition in (1, 2)
    ]
    assert {one.treatment.stage for one in runs} == {"train"}


def test_training_and_inference_lie_apart(tmp_path: Path) -> None:
    prengdl(tmp_path, 1)
    prengdl(tmp_path, 1, stage="inference")
    assert {one.treatment.stage for one in importers.read("prengdl", tmp_path).runs} == {"train", "infer"}


def test_one_folder_of_measurements_can_be_named(tmp_path: Path) -> None:
    assert len(importers.read("prengdl", prengdl(tmp_path, 2) / "measurements_train").runs) == 4


def test_a_profile_becomes_a_run_that_no_figure_counts(tmp_path: Path) -> None:
    profile = cProfile.Profile()
    profile.runcall(lambda: sorted(range(50_000), key=str))
    profile.dump_stats(tmp_path / "rn50_pytorch_train.prof")
    (run,) = importers.read("prengdl", tmp_path).runs
    assert (run.purpose, run.treatment.workload, run.treatment.framework) == (
        Purpose.PROFILE,
        "resnet50",
        "torch",
    )
    functions = run.attachments[FUNCTIONS_FILE].splitlines()
    assert functions[0] == "file,line,function,primitive_calls,calls,own_s,cumulative_s,share"
    assert run.series == ()


@pytest.mark.parametrize(("readings", "severity"), [(20, None), (18, "warning")])
def test_readings_that_are_missing_are_a_finding(tmp_path: Path, readings: int, severity: str | None) -> None:
    prengdl(tmp_path, 1)
    powers(tmp_path / "measurements_train/ncf_TensorFlow_nvidia_smi_1.txt", [50.0] * readings)
    run = next(
        one for one in importers.read("prengdl", tmp_path).runs if one.treatment.framework == "tensorflow"
    )
    assert [one.severity for one in run.findings] == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("lost", "line"),
    [
        ("ncf_PyTorch_perf_2.txt", "ncf_PyTorch_perf_2.txt: the file is missing"),
        ("ncf_PyTorch_nvidia_smi_2.txt", "ncf_PyTorch_nvidia_smi_2.txt: the file is missing"),
    ],
)
def test_half_a_run_is_refused(tmp_path: Path, lost: str, line: str) -> None:
    (prengdl(tmp_path) / "measurements_train" / lost).unlink()
    with pytest.raises(SourceError) as refused:
        importers.read("prengdl", tmp_path)
    assert line in str(refused.value)


def test_a_repetition_that_is_gone_is_missed(tmp_path: Path) -> None:
    for kind in ("perf", "nvidia_smi"):
        (prengdl(tmp_path) / f"measurements_train/ncf_PyTorch_{kind}_2.txt").unlink()
    for kind in ("perf", "nvidia_smi"):
        (tmp_path / f"measurements_train/ncf_PyTorch_{kind}_2.txt").unlink(missing_ok=True)
    with pytest.raises(SourceError, match=r"ncf_PyTorch_perf_2\.txt: the file is missing"):
        importers.read("prengdl", tmp_path)


def test_a_file_of_another_kind_among_them_is_refused(tmp_path: Path) -> None:
    write(prengdl(tmp_path) / "measurements_train/notes.txt", "x")
    with pytest.raises(SourceError, match=r"notes\.txt: its name is not"):
        importers.read("prengdl", tmp_path)


def test_what_the_texts_say_is_what_the_runs_hold(tmp_path: Path) -> None:
    runs = importers.read("prengdl", prengdl(tmp_path, 2)).runs
    totals = pd.Series({(one.treatment.framework, one.repetition): one.series[0].values[-1] for one in runs})
    assert list(totals["torch"]) == [1101.0, 1102.0]
    assert list(totals["tensorflow"]) == [1001.0, 1002.0]
