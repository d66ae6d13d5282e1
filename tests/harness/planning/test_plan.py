"""The order is complete, random and the same on any machine."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.errors import UsageError
from harness.inventory import specs
from harness.planning import plan, plan_limits
from harness.planning.plan import Candidate, Selection
from harness.planning.plan_files import Protocol
from harness.records import CoolDown, Plan, PowerModel, Profiler, Purpose, Treatment
from suite.profilers import WITH_OPERATORS

PROTOCOL = Protocol(
    repetitions=3,
    sample_period_s=0.1,
    baseline_s=3,
    run_timeout_s=60,
    expected_run_s=10,
    power_model=PowerModel(idle_w=1, busy_cpu_w=1),
)
EVERYTHING = Selection()
CNN = Candidate("cnn", {"jax": ["1"], "torch": ["2"]}, ("train", "infer"), ("digits",), ({"epochs": 4},))
SVM = Candidate("svm", {"sklearn": ["1"]}, ("train", "infer"), ("digits",))

# Written down once: another machine, or another Python, must draw the same.
DRAWN_FROM_20220 = [
    "0003-svm-sklearn-train",
    "0004-cnn-torch-infer",
    "0005-cnn-jax-infer",
    "0006-cnn-jax-train",
    "0007-cnn-torch-train",
    "0008-svm-sklearn-infer",
]


def make(seed: int = 1, repetitions: int | None = None, selection: Selection = EVERYTHING) -> Plan:
    chosen = plan.treatments([CNN, SVM], selection)
    return plan.make("quick", PROTOCOL, chosen, (), seed, repetitions)


@given(seed=st.integers(), repetitions=st.integers(1, 6))
def test_every_block_holds_every_treatment_once(seed: int, repetitions: int) -> None:
    made = make(seed, repetitions)
    order = plan.order(made)
    for block in range(1, repetitions + 1):
        in_block = [run.treatment for run in order if run.block == block]
        assert sorted(in_block, key=str) == sorted(made.treatments, key=str)
    assert [run.position for run in order] == list(range(1, len(order) + 1))
    assert len({run.run_id for run in order}) == len(order)


@given(seed=st.integers(), repetitions=st.integers(1, 4), profile_runs=st.integers(0, 4))
def test_profiled_runs_follow_all_others_and_change_none(
    seed: int, repetitions: int, profile_runs: int
) -> None:
    """So that nothing of them reaches a measured run; each treatment once in each of their blocks."""
    made = make(seed, repetitions)
    without = plan.order(made)
    order = plan.order(made.model_copy(update={"profile_runs": profile_runs}))
    assert order[: len(without)] == without
    assert {one.purpose for one in order[len(without) :]} <= {Purpose.PROFILE}
    for block in range(repetitions + 1, repetitions + profile_runs + 1):
        in_block = [run.treatment for run in order if run.block == block]
        assert sorted(in_block, key=str) == sorted(made.treatments, key=str)
    assert [run.position for run in order] == list(range(1, len(order) + 1))
    assert len({run.run_id for run in order}) == len(order)


@given(seed=st.integers(), tools=st.lists(st.sampled_from(Profiler), min_size=1, unique=True).map(tuple))
def test_each_profiler_has_a_run_of_each_treatment_that_it_can_look_at(
    seed: int, tools: tuple[Profiler, ...]
) -> None:
    """And what is looked at from outside is called and kept as before there was a choice."""
    made = make(seed, 2).model_copy(update={"profile_runs": 2, "profile_tools": tools})
    order = [run for run in plan.order(made) if run.purpose == Purpose.PROFILE]
    for block in (3, 4):
        found = Counter(run.profiler or Profiler.PY_SPY for run in order if run.block == block)
        with_operators = sum(one.framework in WITH_OPERATORS for one in made.treatments)
        every = len(made.treatments)
        assert found == Counter(
            {one: with_operators if one is Profiler.OPERATORS else every for one in tools}
        )
    assert len({run.run_id for run in order}) == len(order)
    for run in order:
        assert run.run_id.endswith(f"-{run.profiler or Purpose.PROFILE}")
        assert run.looked_at == (run.profiler in (None, Profiler.NATIVE))
        assert (run.profiler is None) == ("profiler" not in run.model_dump_json())
    kept = made.model_dump_json()
    assert ("profile_tools" in kept) == (tools != (Profiler.PY_SPY,))
    assert Plan.model_validate_json(kept) == made


def test_a_forecast_holds_the_profiled_runs_and_their_baselines() -> None:
    made = make(repetitions=2)
    more = made.model_copy(update={"profile_runs": 1})
    seconds = [plan.duration_s(one, len(plan.order(one))) for one in (made, more)]
    assert seconds[1] - seconds[0] == pytest.approx(3 + 6 * 10)


@pytest.mark.timeout(60)
def test_too_many_runs_are_refused_before_any_is_made() -> None:
    with pytest.raises(UsageError, match="6 treatments x 1000000000 blocks are more than the 100000 runs"):
        make(repetitions=10**9)
    assert make(repetitions=plan_limits.MOST_RUNS // 6).repetitions == 16_666


@pytest.mark.timeout(60)
def test_too_many_treatments_are_refused_before_any_is_made() -> None:
    endless = Candidate("cnn", {"jax": ["1"] * 100_000}, ("train",), ("d",) * 100_000, [{}] * 100_000)
    with pytest.raises(UsageError, match="more than the 10000 treatments of a plan"):
        plan.treatments([endless], EVERYTHING)


@pytest.mark.parametrize("value", ["../../../etc/passwd", "a/b", "a\0b", "a\nb"])
def test_a_trained_state_is_a_plain_file_whatever_a_setting_says(value: str) -> None:
    one = Treatment(
        workload="w", framework="f", version="1", stage="infer", dataset="d", settings={"s": value}
    )
    name = specs.state_name(one)
    assert "/" not in name and name.isprintable() and name.startswith("w-d-s=")


def test_a_state_of_many_settings_has_a_name_that_a_file_can_bear_and_no_other_has() -> None:
    def name(last: str) -> str:
        settings = {f"a_setting_of_some_length_{number}": "ü" * 20 for number in range(20)} | {"z": last}
        return specs.state_name(
            Treatment(workload="w", framework="f", version="1", stage="infer", dataset="d", settings=settings)
        )

    assert len(name("a").encode()) < 200 and name("a").startswith("w-d-a_setting_of_some_length_0=")
    assert name("a") == name("a") != name("b")


def test_the_same_seed_gives_the_same_order_on_any_machine() -> None:
    drawn = [run.run_id for run in plan.order(make(seed=20220)) if run.block == 1]
    assert drawn == DRAWN_FROM_20220


def test_blocks_and_seeds_differ_in_order() -> None:
    orders = {
        tuple(str(run.treatment) for run in plan.order(make(seed)) if run.block == block)
        for seed in range(5)
        for block in (1, 2, 3)
    }
    assert len(orders) > 10


def test_every_treatment_takes_every_position_equally_often() -> None:
    counts: Counter[tuple[str, int]] = Counter()
    for seed in range(10_000):
        in_block = [run for run in plan.order(make(seed, 1)) if run.block == 1]
        counts.update((run.treatment.label, place) for place, run in enumerate(in_block))
    assert len(counts) == 36
    assert stats.chisquare(list(counts.values())).pvalue > 1e-3


def test_a_control_run_opens_each_block_in_the_same_environment() -> None:
    made = make(repetitions=3).model_copy(update={"control_rounds": 100})
    order = plan.order(made)
    for block in (1, 2, 3):
        first, *others = (run for run in order if run.block == block)
        assert (first.purpose, first.treatment.workload, first.treatment.stage) == ("control",) * 3
        assert (first.treatment.framework, first.treatment.settings) == ("jax", {"idle_s": 3, "rounds": 100})
        assert {run.purpose for run in others} == {"measure"}
    assert [run.position for run in order] == list(range(1, len(order) + 1))
    drawn = [run.treatment for run in order if run.purpose == "measure"]
    assert drawn == [run.treatment for run in plan.order(make(repetitions=3)) if run.purpose == "measure"]


def test_one_training_run_prepares_the_state_that_all_frameworks_infer_from() -> None:
    order = plan.order(make())
    prepared = [run for run in order if run.purpose == "prepare"]
    assert [run.treatment.label for run in prepared] == ["cnn jax 1 train", "svm sklearn 1 train"]
    assert order[: len(prepared)] == tuple(prepared)
    states = {specs.state_name(run.treatment) for run in order if run.treatment.stage == "infer"}
    assert states == {specs.state_name(run.treatment) for run in prepared}


def test_a_sweep_over_what_only_answers_depend_on_is_served_by_one_training() -> None:
    sizes = {"size": "tiny", "vocabulary": 1000}
    sweep = [
        {**sizes, "prompt_tokens": prompt, "new_tokens": new, "requests": 16, "predict_batch_size": batch}
        for prompt in (8, 32)
        for new in (4, 64)
        for batch in (1, 16)
    ]
    other = [{**sizes, "new_tokens": 4, "layers": 3}]
    dataset = ("synthetic-wikitext",)
    one = Candidate("llm", {"torch": ["1"], "jax": ["1"]}, ("train", "generate"), dataset, [*sweep, *other])
    chosen = plan.treatments([one], Selection(stages=("generate",)))
    order = plan.order(plan.make("own", PROTOCOL, chosen, (), 1))
    prepared = [run.treatment for run in order if run.purpose == "prepare"]
    assert len({specs.starting_state(each) for each in chosen}) == len(prepared) == 2
    assert {specs.state_name(each) for each in prepared} == {specs.starting_state(each) for each in chosen}
    assert all(specs.of(each) for each in prepared)  # nothing that they need was left out


def test_training_alone_needs_no_preparation() -> None:
    assert all(run.purpose == "measure" for run in plan.order(make(selection=Selection(stages=("train",)))))


def test_the_preferred_data_set_is_taken_once_it_is_prepared() -> None:
    assert plan.choose_dataset(("mnist", "digits"), {"digits", "mnist"}) == "mnist"
    assert plan.choose_dataset(("mnist", "digits"), {"digits"}) == "digits"


@pytest.mark.parametrize(
    ("selection", "labels"),
    [
        (Selection(workloads=("svm",)), {"svm sklearn 1 train", "svm sklearn 1 infer"}),
        (Selection(frameworks=("torch",), stages=("infer",)), {"cnn torch 2 infer"}),
    ],
)
def test_a_selection_keeps_what_it_names(selection: Selection, labels: set[str]) -> None:
    assert {treatment.label for treatment in make(selection=selection).treatments} == labels


def test_a_selection_without_any_treatment_is_refused() -> None:
    with pytest.raises(UsageError, match=r"svm \+ torch"):
        make(selection=Selection(workloads=("svm",), frameworks=("torch",)))


def test_no_repetition_is_refused() -> None:
    with pytest.raises(UsageError, match="at least 1, not 0"):
        make(repetitions=0)


def two_versions(*stages: str) -> Plan:
    both = Candidate("cnn", {"torch": ["2", "3"], "jax": ["1"]}, stages, ("digits",))
    return plan.make("quick", PROTOCOL, plan.treatments([both], EVERYTHING), (), seed=1)


def test_versions_of_a_framework_are_treatments_of_their_own() -> None:
    made = two_versions("train")
    assert {(one.framework, one.version) for one in made.treatments} == {
        ("jax", "1"),
        ("torch", "2"),
        ("torch", "3"),
    }
    names = [run.run_id.partition("-")[2] for run in plan.order(made)]
    assert sorted(names) == sorted(["cnn-jax-train", "cnn-torch-2-train", "cnn-torch-3-train"] * 3)
    assert len({one.label for one in made.treatments}) == 3


def test_versions_share_one_trained_state_and_its_run_says_which_version_trained_it() -> None:
    order = plan.order(two_versions("train", "infer"))
    prepared = [run for run in order if run.purpose == "prepare"]
    assert [run.run_id for run in prepared] == ["0001-cnn-torch-2-train"]
    states = {specs.state_name(run.treatment) for run in order if run.treatment.stage == "infer"}
    assert states == {specs.state_name(prepared[0].treatment)}


def test_a_framework_runs_on_the_device_that_it_has() -> None:
    one = Candidate(
        "cnn", {"jax": ["1"], "sklearn": ["2"]}, ("train",), ("digits",), devices={("jax", "1"): "cuda"}
    )
    chosen = plan.treatments([one], EVERYTHING)
    assert {(treatment.framework, treatment.device) for treatment in chosen} == {
        ("jax", "cuda"),
        ("sklearn", "cpu"),
    }


def test_as_many_as_the_limits_say_are_allowed_and_one_more_is_not() -> None:
    plan_limits.require_few_runs(1, plan_limits.MOST_RUNS)
    plan_limits.require_few_treatments(plan_limits.MOST_TREATMENTS)
    with pytest.raises(UsageError, match="runs of a campaign"):
        plan_limits.require_few_runs(1, plan_limits.MOST_RUNS + 1)
    with pytest.raises(UsageError, match="treatments of a plan"):
        plan_limits.require_few_treatments(plan_limits.MOST_TREATMENTS + 1)


def test_a_forecast_holds_each_baseline_and_the_pauses_before_each_run() -> None:
    made = make(repetitions=2)
    paused = made.model_copy(update={"idle_s": 5.0, "warm_up_s": 60.0})
    cooled = made.model_copy(update={"cool_down": CoolDown(at_least_s=7.0, at_most_s=100.0)})
    runs = len(plan.order(made))
    before_s = made.warm_up_s + 2 * made.baseline_s + runs * made.expected_run_s
    unwaited = made.model_copy(update={"cool_down": CoolDown(at_least_s=7.0, at_most_s=0.0)})
    assert plan.duration_s(unwaited, runs) == pytest.approx(before_s + runs * made.idle_s)
    assert plan.duration_s(cooled, runs) - plan.duration_s(unwaited, runs) == pytest.approx(runs * 7.0)
    assert plan.duration_s(paused, runs) - plan.duration_s(made, runs) == pytest.approx(60 + runs * 5.0)
