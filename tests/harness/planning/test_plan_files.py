"""Plans in TOML: the shipped ones are sound, and a mistake names file, line and key."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from harness.environments.choose import Choice
from harness.errors import UsageError
from harness.planning import plan, plan_files, planner
from harness.planning.plan import Selection
from harness.planning.planner import PlanRequest
from harness.records import Plan, Treatment

SOUND = """
repetitions = 2
sample_period_s = 0.1
baseline_s = 1.0
run_timeout_s = 60.0
expected_run_s = 1.0

[power_model]
idle_w = 10.0
busy_cpu_w = 8.0
"""
STUDY = """
[factors]
workload = ["mnist_cnn"]
framework = ["torch", "jax"]
dataset = ["digits"]

[settings]
batch_size = [32, 64]
epochs = [1, 2]

[[exclude]]
framework = "jax"
batch_size = 64

[[exclude]]
stage = "infer"
"""


def write(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def made(name: str, selection: Selection | None = None) -> Plan:
    return planner.make_plan(PlanRequest(name, selection or Selection(), 1, None), Choice("virtualenv"))


@pytest.mark.parametrize("name", plan_files.names())
def test_every_shipped_plan_is_sound(name: str) -> None:
    found = made(name)
    assert found.treatments or found.skipped
    assert len(plan.order(found)) >= len(found.treatments) * found.repetitions


def test_the_studies_have_their_own_grids_and_protocols() -> None:
    schep, icse = plan_files.read("schep25"), plan_files.read("icse22")
    assert (schep.repetitions, schep.warm_up_s, schep.idle_s) == (30, 300, 60)
    assert (icse.repetitions, icse.idle_s, icse.factors.stage) == (10, 60, ("train", "infer"))
    assert len(plan_files.read("sotillos23").combinations) == 3 * 4
    assert {one.framework for one in made("schep25").treatments} == {"keras", "torch", "jax"}
    assert {one.dataset for one in made("schep25").treatments} == {"mnist"}  # whatever is prepared


def test_each_workload_of_a_study_takes_those_of_its_data_sets_that_it_knows() -> None:
    found = made("ajel23")
    pairs = {(one.workload, one.dataset) for one in found.treatments}
    own = {"svm": "malaria", "cifar10_cnn": "cifar10", "malaria_cnn": "malaria", "emotion_rnn": "emotion"}
    mnist = {(name, "mnist") for name in ("svm", "mnist_cnn", "mnist_mlp")}
    assert found.skipped == () and pairs == mnist | set(own.items())
    assert {one.framework for one in found.treatments} == {"keras", "tensorflow", "torch", "sklearn"}


def test_every_system_of_the_icse_study_is_planned() -> None:
    found = made("icse22")
    assert {one.workload for one in found.treatments} == {
        "resnet50_imagenet", "ncf", "transformer_xl", "gnmt", "mask_rcnn", "ssd"
    }  # fmt: skip
    assert (len(found.treatments), len(found.skipped)) == (6 * 2 * 2, 0)


def test_what_a_study_measured_and_nobody_wrote_yet_is_said(tmp_path: Path) -> None:
    found = made(write(tmp_path, SOUND + STUDY.replace('"mnist_cnn"', '"mnist_cnn", "alexnet"')))
    assert {one.reason for one in found.skipped} == {"this version has no workload alexnet"}
    assert {one.workload for one in found.treatments} == {"mnist_cnn"}


def test_settings_are_factors_and_predicates_exclude(tmp_path: Path) -> None:
    found = made(write(tmp_path, SOUND + STUDY))
    levels = {(one.framework, one.settings["batch_size"], one.settings["epochs"]) for one in found.treatments}
    assert levels == {("torch", size, epochs) for size in (32, 64) for epochs in (1, 2)} | {
        ("jax", 32, 1), ("jax", 32, 2),
    }  # fmt: skip
    assert {one.stage for one in found.treatments} == {"train"}
    narrowed = made(write(tmp_path, SOUND + STUDY), Selection(frameworks=("jax",)))
    assert {one.framework for one in narrowed.treatments} == {"jax"}


def test_a_plan_states_peaks_of_devices_by_precision(tmp_path: Path) -> None:
    found = made(write(tmp_path, SOUND + "[peak_flops_per_s]\ncuda-bf16 = 989e12\ncpu-fp32 = 2e12\n"))
    assert found.peak_flops_per_s == {"cuda-bf16": 989e12, "cpu-fp32": 2e12}
    assert made(write(tmp_path, SOUND)).peak_flops_per_s == {}


def test_yes_and_no_are_levels_of_a_setting_and_stay_what_they_are(tmp_path: Path) -> None:
    text = '[factors]\nworkload = ["llm"]\n[settings]\ncheckpoint = [true, false]\n'
    found = made(write(tmp_path, SOUND + text))
    for each in (found, Plan.model_validate_json(found.model_dump_json())):
        assert {one.settings["checkpoint"] for one in each.treatments} == {True, False}
        assert {type(one.settings["checkpoint"]) for one in each.treatments} == {bool}


@pytest.mark.parametrize(
    ("predicate", "holds"),
    [
        ({}, True),
        ({"framework": "jax"}, True),
        ({"framework": "jax", "epochs": 3}, True),
        ({"framework": "jax", "epochs": 4}, False),
        ({"depth": 50}, False),
    ],
)
def test_a_predicate_holds_where_all_of_it_does(predicate: dict[str, str | int], holds: bool) -> None:
    one = Treatment(
        workload="w", framework="jax", version="1", stage="train", dataset="d", settings={"epochs": 3}
    )
    assert plan.holds(predicate, one) is holds


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SOUND.replace("= 2", "= 0"), "mine.toml, line 2: repetitions: must be greater than"),
        (SOUND.replace("baseline_s", "base_line_s"), "line 4: base_line_s: is not a key|baseline_s: is missing"),
        (SOUND.replace("10.0", '"hot"'), r"mine.toml, line 9: power_model\.idle_w"),
        (SOUND + "[factors]\nframeworks = []\n", r"line 12: factors\.frameworks: is not a key"),
        ('workloads = ["svm"]\n' + SOUND, r"workloads: is not a key .*did you mean 'factors\.workload'"),
        ('framework = ["torch"]\n' + SOUND, r"framework: is not a key .*did you mean 'factors\.framework'"),
        ('datasets = ["digits"]\n' + SOUND, r"datasets: is not a key .*did you mean 'factors\.dataset'"),
        (SOUND.replace("= 0.1", "= "), r"is not TOML: .*line 3"),
        (SOUND + '[factors]\nframework = ["torch@0.1"]\n', "unknown version of torch"),
        (SOUND + '[factors]\nworkload = ["svm"]\ndataset = ["cifar10"]\n', "svm has none of the plan's data sets"),
        (SOUND + '[factors]\nworkload = ["svm"]\n[settings]\nspeed = [1]\n', "svm has no setting 'speed'"),
        (SOUND + '[factors]\nworkload = ["svm"]\nframework = ["torch"]\n', "no workload has an implementation"),
    ],
)  # fmt: skip
def test_a_mistake_names_file_line_and_key(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        made(write(tmp_path, text))
    assert "\n" not in str(caught.value)


MANY = ", ".join(map(str, range(1, 101)))
ALIKE = str(["a"] * 999)
CONTROLS = '[factors]\nworkload = ["a\\u001b[31m"]\n'


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (SOUND + "deep = " + "[" * 100_000, "is not TOML: nested too deeply"),
        (SOUND + "a = " + "9" * 5000, "is not TOML: Exceeds the limit"),
        (SOUND + "# " + "x" * (1 << 20), "larger than the 1048576 bytes"),
        (SOUND + "\0", "is not TOML"),
        (SOUND.replace("= 2", f"= {10**12}"), "line 2: repetitions: must be less than"),
        (SOUND.replace("= 2", "= 2_000_000"), "x 2000000 blocks are more than the 100000 runs"),
        (SOUND.replace("= 1.0\nrun", "= inf\nrun"), "line 4: baseline_s: must be a finite number"),
        (SOUND.replace("= 1.0\nrun", "= nan\nrun"), "line 4: baseline_s: must be"),
        (SOUND.replace("= 60.0", "= 1e300"), "run_timeout_s: must be less than"),
        (SOUND.replace("10.0", "nan"), r"power_model\.idle_w: must be a finite number"),
        (SOUND.replace("= 60.0", "= 1979-05-27"), "run_timeout_s: must be"),
        (SOUND + "[peak_flops_per_s]\ncuda-fp8 = 1e15\n", r"peak_flops_per_s\.cuda-fp8"),
        (SOUND + "[peak_flops_per_s]\ncpu-fp32 = 0\n", r"line 12: peak_flops_per_s\.cpu-fp32"),
        (SOUND + "[settings]\nepochs = [inf]\n", r"line 12: settings\.epochs"),
        (SOUND + f"[settings]\nepochs = [{10**30}]\n", "epochs must be of type int"),
        (SOUND + "[settings]\nepochs = [2024-01-01]\n", r"line 12: settings\.epochs"),
        (SOUND + CONTROLS, r"line 12: factors\.workload\.0: has characters, or a form"),
        (SOUND + '[factors]\nworkload = ["../../etc/passwd"]\n', r"factors\.workload\.0: has characters, or a form"),
        (SOUND + f'[factors]\nworkload = ["svm"]\n[settings]\na = [{MANY}]\nb = [{MANY}]\nc = [{MANY}]\n',
         "factors and settings make more than the 10000 treatments of a plan"),
        (SOUND + "[settings]\n" + "".join(f"x{n} = [{MANY}]\n" for n in range(999)), "more than the 10000 treatments"),
        (SOUND + f"[factors]\nworkload = {ALIKE}\nstage = {ALIKE}\n", "more than the 10000 treatments"),
        (SOUND + '[[exclude]]\nframework = "jax"\n' * 1001, "line 11: exclude: must have at most 1000 entries"),
    ],
)  # fmt: skip
def test_a_plan_that_asks_for_too_much_is_one_line_before_any_of_it_is_made(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        made(write(tmp_path, text))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400


@pytest.mark.timeout(60)
def test_what_is_no_regular_file_is_no_plan(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.toml")
    (tmp_path / "folder.toml").mkdir()
    (tmp_path / "circle.toml").symlink_to(tmp_path / "circle.toml")
    for name in ("fifo", "folder", "circle", "a\0b"):
        with pytest.raises(UsageError, match="cannot be read"):
            plan_files.read(str(tmp_path / f"{name}.toml"))


def test_a_users_own_link_to_a_plan_is_followed(tmp_path: Path) -> None:
    write(tmp_path, SOUND)
    (tmp_path / "link.toml").symlink_to(tmp_path / "mine.toml")
    assert plan_files.read(str(tmp_path / "link.toml")).repetitions == 2


def test_no_module_is_loaded_because_a_plan_names_it(tmp_path: Path) -> None:
    before = set(sys.modules)
    found = made(write(tmp_path, SOUND + '[factors]\nworkload = ["antigravity", "this"]\nframework = ["torch"]\n'
                       'stage = ["train"]\n'))  # fmt: skip
    assert {one.reason for one in found.skipped} == {
        "this version has no workload antigravity", "this version has no workload this",
    }  # fmt: skip
    assert not {"antigravity", "this"} & (set(sys.modules) - before)


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        plan_files.read(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="unknown profile 'quik'"):
        plan_files.read("quik")


@pytest.mark.parametrize(
    "text",
    [
        f"[{'a.' * 3000}b]\n" + "c = 1\n" * 3000,
        f"{'a.' * 30}b = 1\n",
        f"  [[{'a.' * 30}b]]\n",
    ],
)
def test_a_plan_over_which_a_parser_would_sit_for_minutes_is_refused_at_once(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "p.toml").write_text("# a plan\n" + text)
    with pytest.raises(UsageError, match="line 2: a name of more than 16 dots"):
        plan_files.read(str(tmp_path / "p.toml"))
