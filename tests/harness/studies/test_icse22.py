"""ICSE 2022: Table 2 to the joule but for four cells, the profiles, and what the audit finds."""

from __future__ import annotations

from collections import Counter
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
    means = [one for one in found.cells if one.table == "2" and one.unit and one.compared]
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
    assert {one.table for one in found.cells if one.published is None} == {"4", "5-8"}


@needs_files
def test_46_of_the_48_printed_tests_are_those_of_a_rank_sum_test(found: Reproduction) -> None:
    tests = [one for one in found.cells if one.table == "2" and one.column.startswith(("p ", "A12 "))]
    assert len(tests) == 48
    different = {(one.row, one.column) for one in tests if one.match != YES}
    assert different == {("NCF", "p gpu_j"), ("NCF", "A12 gpu_j")}
    assert Counter(one.rule for one in tests if one.rule) == {"bound": 23, "exact": 15, "folded, exact": 8}
    assert messages(found, "which-test") == [
        "of 24 printed p, each test gives: rank-sum, normal approximation with continuity correction: 23; rank-sum, "
        "normal approximation without: 23; rank-sum, exact: 23; signed-rank of pairs: 1"
    ]
    assert messages(found, "test-from-other-runs") == [
        "NCF gpu_j: p 0.001 and A12 0.9 are printed, the files give 0.00018 and 1; they belong together: ten runs of "
        "which 92 to 96 of 100 pairs are dearer give both, so they are of other runs"
    ]


@needs_files
def test_five_of_six_correlations_are_of_the_printed_means_cut(found: Reproduction) -> None:
    printed = {(one.row, one.column[:5]): one for one in found.cells if "printed means" in one.column}
    assert {key: (one.published.text, one.rule) for key, one in printed.items() if one.published} == {
        ("train PyTorch", "pkg_j"): ("0.25", ""), ("train PyTorch", "ram_j"): ("0.88", "cut"),
        ("train PyTorch", "gpu_j"): ("0.42", "cut"), ("train TensorFlow", "pkg_j"): ("0.88", "cut"),
        ("train TensorFlow", "ram_j"): ("0.94", "rounded"), ("train TensorFlow", "gpu_j"): ("0.60", "exact"),
    }  # fmt: skip
    assert printed["train PyTorch", "pkg_j"].ours == pytest.approx(0.7714, abs=1e-4)
    assert "5 from the printed means, 2 from the means, 0 from the runs" in "".join(
        messages(found, "correlation-of-printed-means")
    )


@needs_files
def test_printed_functions_of_tables_5_and_7_follow_from_the_profiles(found: Reproduction) -> None:
    costs = [one for one in found.cells if one.table in ("5", "7")]
    assert len(costs) == 32 * 3
    judged = [one for one in costs if one.compared]
    assert len({one.row for one in judged}) == 19
    different = {(one.row, one.column) for one in judged if one.match != YES}
    assert different == {
        ("NCF PyTorch train torch.nn.functional.embedding", "percent"),
        ("ResNet-50 PyTorch train torch.cuda.synchronize", "percent"),
        ("ResNet-50 PyTorch train torch.nn.Conv2d", "percent"),
    }
    assert messages(found, "function-named-otherwise") == [
        "table 5, GNMT: torch.Tensor.sum is printed with 54823 calls; in the profile none of that name takes 1 %, and "
        "those calls are of <built-in method builtins.sum> in ~"
    ]


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
    assert cells["NCF", "p pkg_j"].ours == pytest.approx(0.0809, abs=1e-4)  # z = (4.5 - 0.5) / sqrt(5.25)
    assert cells["NCF", "p pkg_j"].match == NO
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
