"""Plans in TOML: the shipped ones are sound, and a mistake names file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import plan, plan_files, planning
from harness.environments.choose import Choice
from harness.errors import UsageError
from harness.plan import Selection
from harness.planning import PlanRequest
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
    return planning.make_plan(PlanRequest(name, selection or Selection(), 1, None), Choice("virtualenv"))


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


def test_what_a_study_measured_and_nobody_wrote_yet_is_said() -> None:
    found = made("icse22")
    assert found.treatments == ()
    assert len(found.skipped) == 6 * 2 * 2
    assert {one.reason for one in found.skipped} >= {"this version has no workload gnmt"}


def test_settings_are_factors_and_predicates_exclude(tmp_path: Path) -> None:
    found = made(write(tmp_path, SOUND + STUDY))
    levels = {(one.framework, one.settings["batch_size"], one.settings["epochs"]) for one in found.treatments}
    assert levels == {("torch", size, epochs) for size in (32, 64) for epochs in (1, 2)} | {
        ("jax", 32, 1), ("jax", 32, 2),
    }  # fmt: skip
    assert {one.stage for one in found.treatments} == {"train"}
    narrowed = made(write(tmp_path, SOUND + STUDY), Selection(frameworks=("jax",)))
    assert {one.framework for one in narrowed.treatments} == {"jax"}


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
        (SOUND.replace("= 2", "= 0"), "mine.toml, line 2: repetitions: Input should be greater than"),
        (SOUND.replace("baseline_s", "base_line_s"), "line 4: base_line_s: Extra inputs|baseline_s: Field required"),
        (SOUND.replace("10.0", '"hot"'), r"mine.toml, line 9: power_model\.idle_w"),
        (SOUND + "[factors]\nframeworks = []\n", r"line 12: factors\.frameworks: Extra inputs"),
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


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        plan_files.read(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="unknown profile 'quik'"):
        plan_files.read("quik")
