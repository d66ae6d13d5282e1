"""ICSE 2022: Table 2 to the joule but for four cells, the profiles, and what the audit finds."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import importers, studies
from harness.importers.base import SourceError
from harness.studies.base import NO, NOT_AT_HAND, YES, Reproduction
from harness.studies.icse22.profiles import api
from tests.conftest import SHARED
from tests.foreign import perf, powers, prengdl

MODEL = "tensorflow.keras.Model"
ICSE22 = SHARED / "published/icse22"
needs_files = pytest.mark.skipif(
    not ICSE22.is_dir(), reason="the raw files of the study are not beside the checkout"
)


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return studies.reproduce("icse22", ICSE22)


def messages(found: Reproduction, code: str) -> list[str]:
    return [one.message for one in found.audit if one.code == code]


@needs_files
def test_44_of_the_48_means_of_table_2_are_within_1_j_or_1_s(found: Reproduction) -> None:
    means = [one for one in found.cells if one.table == "2" and one.published is not None and one.compared]
    assert len(means) == 48
    different = {(one.row, one.column) for one in means if one.match == NO}
    assert different == {("SSD TensorFlow", name) for name in ("pkg_j", "ram_j", "gpu_j", "run_time_s")}
    assert sum(one.match == YES for one in means) == 44


@needs_files
def test_the_audit_names_the_four_with_what_the_files_give(found: Reproduction) -> None:
    named = messages(found, "cell-differs")
    assert "2, SSD TensorFlow, pkg_j: printed 185356 J, the files give 205245 J" in named
    assert "2, SSD TensorFlow, ram_j: printed 22678 J, the files give 22014.9 J" in named
    assert "2, SSD TensorFlow, gpu_j: printed 120646 J, the files give 135541 J" in named
    assert "2, SSD TensorFlow, run_time_s: printed 2072 s, the files give 1948.48 s" in named


@needs_files
def test_their_mean_power_is_that_of_no_run_in_the_files(found: Reproduction) -> None:
    assert messages(found, "printed-from-other-runs") == [
        "SSD TensorFlow: the printed package energy and time make 89.5 W; the runs in the files drew 104.9 to 105.6 W: "
        "the printed row is not of these runs"
    ]


@needs_files
def test_a_signed_rank_test_of_ten_pairs_could_not_have_given_the_p(found: Reproduction) -> None:
    assert "cannot go below p = 0.0020" in messages(found, "test-cannot-give-p")[0]
    assert "does in 24 of 24 comparisons" in messages(found, "test-cannot-give-p")[0]


@needs_files
def test_the_audit_finds_hot_starts_drift_and_missing_readings(found: Reproduction) -> None:
    assert messages(found, "not-at-rest")[0].startswith("102 of 108 later runs began above 2 times")
    assert "mask_rcnn tensorflow run_time_s +0.96" in messages(found, "drift")[0]
    assert "mask_rcnn torch 1: 2412 readings in 2439 s" in messages(found, "readings-missing")[0]
    assert any(
        one.startswith("train ncf torch: the first run") for one in messages(found, "first-run-differs")
    )


@needs_files
def test_profiles_give_calls_seconds_and_share_with_the_api_name(found: Reproduction) -> None:
    row = "ncf PyTorch train #1 torch.autograd.backward"
    values = {one.column: one.ours for one in found.cells if one.row == row}
    assert values == {"calls": 1551700, "own time": 2347.985, "share": 39.07}
    rows = {one.row for one in found.cells if one.table == "5-8"}
    assert "gnmt TensorFlow infer #1 tensorflow.Session.run" in rows
    assert "ssd TensorFlow infer #2 tensorflow.io.gfile.glob" in rows
    assert "rn50" not in " ".join(rows)


@needs_files
def test_what_is_not_at_hand_is_said_and_not_invented(found: Reproduction) -> None:
    for one in found.cells:
        assert (one.published is None) == (one.match == NOT_AT_HAND)
    assert {one.table for one in found.cells if one.published is None} == {"2", "4", "5-8"}


@pytest.mark.parametrize(
    ("function", "framework", "stage", "name"),
    [
        ("<built-in method addmm>", "torch", "train", "torch.addmm"),
        ("<method 'item' of 'torch._C._TensorBase' objects>", "torch", "infer", "torch.Tensor.item"),
        ("<built-in method tensorflow.python._pywrap_tfe.TFE_Py_Execute>", "tensorflow", "train", f"{MODEL}.fit"),
        ("<built-in method tensorflow.python._pywrap_tfe.TFE_Py_Execute>", "tensorflow", "infer", f"{MODEL}.predict"),
        ("<built-in method builtins.sum>", "torch", "train", ""),
    ],
)  # fmt: skip
def test_names_of_c_functions(function: str, framework: str, stage: str, name: str) -> None:
    assert api("~", function, framework, stage) == name


def test_names_of_python_functions_come_from_their_module() -> None:
    file = "/opt/conda/lib/python3.6/site-packages/torch/nn/modules/linear.py"
    assert api(file, "forward", "torch", "train") == "torch.nn.modules.linear.forward"
    assert api("/workspace/gnmt/train.py", "main", "torch", "train") == ""


def test_the_definitions_hold_on_files_that_anyone_can_add_up(tmp_path: Path) -> None:
    cells = {(one.row, one.column): one for one in studies.reproduce("icse22", prengdl(tmp_path, 3)).cells}
    assert cells["NCF TensorFlow", "pkg_j"].ours == pytest.approx((1001 + 1002 + 1003) / 3)
    assert cells["NCF TensorFlow", "gpu_j"].ours == pytest.approx(6 + 19 * 50)
    assert cells["NCF TensorFlow", "gpu_j, ours"].ours == pytest.approx((6 + 19 * 50) / 20 * 20.2)
    assert cells["NCF TensorFlow", "pkg_j"].match == NO
    assert cells["NCF", "A12 pkg_j"].ours == 1.0
    assert cells["NCF", "p pkg_j"].ours == pytest.approx(0.1)  # of three against three, the smallest there is
    assert cells["SSD PyTorch", "pkg_j"].ours is None


def test_a_cold_first_run_is_named(tmp_path: Path) -> None:
    """As the artifact's NCF inference with TensorFlow, where ten cold and warm runs were averaged."""
    prengdl(tmp_path, 6, stage="inference")
    place = tmp_path / "measurements_inference"
    perf(place / "ncf_TensorFlow_perf_1.txt", "32,405.60", "3,569.48", "336.019819082")
    powers(place / "ncf_TensorFlow_nvidia_smi_1.txt", [6.0] * 331)
    named = messages(studies.reproduce("icse22", tmp_path), "first-run-differs")
    assert len(named) == 1
    assert named[0].startswith("infer ncf tensorflow: the first run is off the later ones' median by +1")


def test_a_broken_file_among_them_is_named(tmp_path: Path) -> None:
    path = prengdl(tmp_path, 2) / "measurements_train/ncf_PyTorch_perf_2.txt"
    path.write_text(path.read_text().replace("seconds time elapsed", ""))
    with pytest.raises(SourceError, match=r"ncf_PyTorch_perf_2\.txt"):
        studies.reproduce("icse22", tmp_path)


@needs_files
def test_every_run_of_the_artifact_is_taken() -> None:
    assert len(importers.read("prengdl", ICSE22).runs) == 128
