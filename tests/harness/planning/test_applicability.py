"""Modes and precisions as factors: what a framework or a device lacks is left out by name, never a failure."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.datasets import prepared, source
from harness.environments.choose import KINDS, Choice
from harness.environments.frameworks import framework
from harness.errors import UsageError
from harness.inventory import specs
from harness.planning import applicability, plan, planner
from harness.planning.plan import Selection
from harness.planning.planner import PlanRequest
from harness.records import Plan, Treatment
from tests.harness.planning.test_plan_files import SOUND, write

CPU = Choice("virtualenv")


def made(profile: str, choice: Choice = CPU, *frameworks: str, workload: str = "mnist_cnn") -> Plan:
    return planner.make_plan(PlanRequest(profile, Selection((workload,), frameworks), 1, None), choice)


def treatment(name: str, device: str = "cpu", **settings: str) -> Treatment:
    return Treatment(
        workload="mnist_cnn", framework=name, version="1", stage="train", dataset="digits", device=device,
        settings=settings,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("one", "reason"),
    [
        (treatment("torch"), ""),
        (treatment("torch", mode="default"), ""),
        (treatment("jax", mode="scan", precision="bf16"), ""),
        (treatment("torch", mode="xla"), "torch has no mode xla; it has eager, compile"),
        (treatment("sklearn", mode="eager"), "sklearn has no mode eager; it has none"),
        (
            treatment("jax", mode="scan").model_copy(
                update={"workload": "gnmt", "dataset": "synthetic-translation"}
            ),
            "jax has no mode scan for gnmt, whose batches the host makes; it has jit",
        ),
        (treatment("torch", precision="tf32"), "tf32 needs an NVIDIA GPU"),
        (treatment("torch", precision="fp16"), "fp16 needs a GPU"),
        (treatment("torch", "cuda", precision="fp16"), ""),
    ],
)
def test_each_combination_that_cannot_be_has_its_reason(one: Treatment, reason: str) -> None:
    assert applicability.why_not(one, compiler=True) == reason


def test_a_mode_that_needs_a_compiler_is_left_out_where_there_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "needs a C++ compiler" in applicability.why_not(treatment("torch", mode="compile"), compiler=False)
    assert applicability.why_not(treatment("torch", mode="eager"), compiler=False) == ""
    monkeypatch.setenv("PATH", "")
    able = [kind for kind in KINDS if kind != "auto" and applicability.has_compiler(Choice(kind))]
    assert able == ["docker", "apptainer"]  # whose images have it of their base


def test_a_compiler_without_the_headers_of_python_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "c++").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("harness.planning.applicability.sysconfig.get_path", lambda name: str(tmp_path))
    assert not applicability.has_compiler(Choice("virtualenv"))
    (tmp_path / "Python.h").touch()
    assert applicability.has_compiler(Choice("virtualenv"))


def test_a_batch_that_is_larger_than_the_data_set_is_left_out_once_its_size_is_known(home: Path) -> None:
    """It was said in the words of a record that held no loss, and ended the whole plan."""
    one = treatment("torch").model_copy(update={"settings": {"batch_size": 1438}})
    assert applicability.why_not(one, compiler=True) == ""
    prepared.prepare(source("digits"), Path())
    reason = "a batch of 1438 is more than the 1437 samples of digits to train on"
    assert applicability.why_not(one, compiler=True) == reason
    fits = one.model_copy(update={"settings": {"batch_size": 1437}})
    assert applicability.why_not(fits, compiler=True) == ""


def test_the_plan_of_modes_runs_each_framework_in_those_that_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applicability, "has_compiler", lambda choice: True)
    found = made("modes")
    for name in ("torch", "tensorflow", "keras", "jax"):
        ran = {one.settings["mode"] for one in found.treatments if one.framework == name}
        left = {one.treatment.settings["mode"] for one in found.skipped if one.treatment.framework == name}
        assert ran == set(framework(name).modes)
        assert ran | left == {"eager", "compile", "graph", "xla", "jit", "scan"} and not ran & left
    assert "torch has no mode xla; it has eager, compile" in {one.reason for one in found.skipped}
    assert found.missed == ()  # so a campaign that carried out the rest has done all


def test_the_plan_of_precisions_takes_on_a_gpu_what_a_cpu_lacks() -> None:
    on_cpu = Counter(one.settings["precision"] for one in made("precision").treatments)
    assert set(on_cpu) == {"fp32", "bf16"} and len(set(on_cpu.values())) == 1
    on_gpu = made("precision", Choice("virtualenv", device="cuda"))
    assert {one.settings["precision"] for one in on_gpu.treatments} == {"fp32", "tf32", "bf16", "fp16"}
    assert on_gpu.skipped == ()


def test_all_modes_and_precisions_infer_from_the_state_that_the_default_trained() -> None:
    found = made("modes")
    prepared = [run.treatment for run in plan.order(found) if run.purpose == "prepare"]
    assert [one.settings for one in prepared] == [{}]
    states = {specs.state_name(one) for one in found.treatments if one.stage == "infer"}
    assert states == {specs.state_name(prepared[0])} == {"mnist_cnn-" + prepared[0].dataset}


def test_nothing_left_is_a_plan_of_reasons(tmp_path: Path) -> None:
    found = made(write(tmp_path, SOUND + '[settings]\nprecision = ["tf32"]\n'), CPU, "jax")
    assert found.treatments == ()
    assert {one.reason for one in found.skipped} == {"tf32 needs an NVIDIA GPU"}


@pytest.mark.parametrize(
    ("settings", "workload", "words"),
    [
        ('mode = ["xlaa"]', "mnist_cnn", "unknown mode 'xlaa'; did you mean 'xla'"),
        ("mode = [1]", "mnist_cnn", "unknown mode '1'"),
        ('precision = ["fp8"]', "mnist_cnn", "precision must be one of fp32, tf32, bf16, fp16, not 'fp8'"),
        ('mode = ["eager"]', "svm", "svm has no setting 'mode'"),
        ('precision = ["bf16"]', "svm", "svm has no setting 'precision'"),
        ('precision = ["bf16"]', "mask_rcnn", "must be fp32 or tf32: 16 bits do not tell pixels apart"),
    ],
)
def test_what_nobody_has_is_refused(tmp_path: Path, settings: str, workload: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        made(write(tmp_path, f"{SOUND}[settings]\n{settings}\n"), workload=workload)


def test_what_a_data_set_bounds_is_refused_where_the_plan_names_that_one(tmp_path: Path) -> None:
    """The stand-in has 4 classes for 1 000 proposals to be of, COCO 80."""
    settings = "[settings]\nbox_candidates = [5000]\n"
    words = "box_candidates must be .* at most 4000, not 5000 on synthetic-coco_2017_640"
    with pytest.raises(UsageError, match=words):
        stand_in = '[factors]\ndataset = ["synthetic-coco_2017_640"]\n'
        made(write(tmp_path, f"{SOUND}{stand_in}{settings}"), workload="mask_rcnn")
    whole = '[factors]\ndataset = ["coco_2017_640"]\n'
    assert made(write(tmp_path, f"{SOUND}{whole}{settings}"), workload="mask_rcnn").treatments
