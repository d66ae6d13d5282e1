"""Profiled runs of a campaign: their functions, phases and balance, and what two of them differ in."""

from dataclasses import replace

import pytest

from harness.analysis import function_costs
from harness.analysis.function_costs import together
from harness.analysis.profile_pairs import pairs
from harness.analysis.profiled import Profiles
from harness.analysis.reference import Reference
from harness.analysis.summary import analyse
from harness.attribution.functions import OTHERS
from harness.profiling.stacks_file import STACKS_FILE
from harness.records import Outcome
from tests.campaigns import Recipe
from tests.profiled import a_few, build_profiled

TWO = Recipe(frameworks={"torch": 1.0, "jax": 1.5}, blocks=1)
TORCH = Reference("torch 2.13.0", "first")


@pytest.fixture(scope="module")
def profiles(tmp_path_factory):
    return Profiles(build_profiled(tmp_path_factory.mktemp("two") / "c", TWO))


def test_functions_phases_and_both_are_the_same_joules(profiles):
    for run in profiles.told:
        costs = run.costs
        whole = costs.rows["joules"].sum()
        assert costs.phases["joules"].sum() == pytest.approx(whole, rel=1e-9)
        assert costs.in_phases["joules"].sum() == pytest.approx(whole, rel=1e-9)
        by_function = costs.in_phases.groupby("function")["joules"].sum()
        assert by_function.to_dict() == pytest.approx(
            dict(zip(costs.rows["function"], costs.rows["joules"], strict=True))
        )
        assert sum(costs.stacks.values()) == pytest.approx(whole, rel=1e-9)


def test_functions_that_the_meter_cannot_tell_apart_have_their_joules_as_one(profiles):
    """Its readings are a tenth of a second apart, so are their turns; the power is the same throughout."""
    for run in profiles.told:
        found = together(run.costs)
        rows = run.costs.rows
        assert len(found) == rows.loc[rows["group"] >= 0, "group"].nunique() > 0
        for one in found.itertuples():
            own = rows[rows["group"] == one.group]
            assert one.functions == own["function"].tolist() and len(own) > 1
            assert one.joules == pytest.approx(own["joules"].sum())
            assert one.half_width_j < own["half_width_j"].sum()


def test_the_balance_closes_to_a_thousandth(profiles):
    for run in profiles.told:
        assert run.costs.found.total_j == pytest.approx(run.costs.energy_j, rel=1e-3)


def test_a_balance_that_does_not_close_is_no_table_but_a_line(profiles, monkeypatch):
    true = function_costs.intervals

    def too_much(*read):
        found = true(*read)
        return replace(found, joules=found.joules * 1.002)

    monkeypatch.setattr(function_costs, "intervals", too_much)
    for run in Profiles(profiles.campaign).runs:
        assert run.costs is None and "J together, and its meters read" in run.reason


def test_phases_are_those_that_the_worker_told_in_their_order(profiles):
    names = profiles.told[0].costs.phases["phase"].tolist()
    assert names == ["import", "load", "build", "compile", "train", "evaluate", "teardown", "other"]


def test_a_campaign_of_profiled_runs_alone_says_so(tmp_path, profiles):
    assert profiles.alone
    mixed = Profiles(build_profiled(tmp_path / "c", replace(TWO, blocks=2), measured=(1,)))
    assert not mixed.alone
    assert [one.run.record.planned.block for one in mixed.runs] == [2, 2]


def test_profiled_runs_are_in_no_figure_of_what_is_compared(tmp_path):
    found = analyse(build_profiled(tmp_path / "c", replace(TWO, blocks=2), measured=(1,)))
    assert set(found.counted["block"]) == {1}
    assert (found.excluded["exclusion"] == "profile run").all() and len(found.excluded) == 2


def test_what_cannot_be_told_says_why(tmp_path):
    recipe = replace(
        TWO, frameworks={"torch": 1.0, "jax": 1.0, "keras": 1.0}, outcomes={("jax", 1): Outcome.FAILED}
    )
    campaign = build_profiled(tmp_path / "c", recipe)
    (keras,) = (run for run in campaign.runs if run.record.planned.treatment.framework == "keras")
    (keras.folder / STACKS_FILE).unlink()
    reasons = {one.run.record.planned.treatment.framework: one.reason for one in Profiles(campaign).runs}
    assert reasons["jax"] == "failed: the worker ended with exit code 1"
    assert "has no stacks" in reasons["keras"]
    assert reasons["torch"] == ""


def test_runs_of_the_same_work_are_held_against_the_reference(profiles):
    (pair,) = pairs(profiles, TORCH)
    assert (pair.reference.name, pair.other.name) == ("torch 2.13.0", "jax 0.10.2")
    (pair,) = pairs(profiles, Reference("jax 0.10.2", "chosen"))
    assert (pair.reference.name, pair.other.name) == ("jax 0.10.2", "torch 2.13.0")


def test_differences_are_of_each_function_in_both_and_sum_up_to_that_of_the_runs(profiles):
    (pair,) = pairs(profiles, TORCH)
    one, other = pair.costs
    rows = pair.rows.set_index("function")
    assert rows["difference_j"].sum() == pytest.approx(
        other.rows["joules"].sum() - one.rows["joules"].sum(), rel=1e-9
    )
    assert rows["difference_j"].abs().is_monotonic_decreasing
    both = {
        "jax.nn.functional.relu",
        "torch.nn.functional.relu",
        "numpy.core.load",
        "numpy.core.item",
        OTHERS,
    }
    assert set(rows.index) >= both - {OTHERS}
    assert rows.loc["jax.nn.functional.relu"].isna().to_dict()["reference_j"]  # never seen under torch
    assert rows.loc["numpy.core.load", "difference_j"] > 0  # the longer run
    assert (rows["half_width_j"] > 0).all()


def test_a_function_that_is_seldom_in_one_run_has_a_row_of_its_own_there(tmp_path):
    def stacks(run):
        often = a_few(run)
        return often if run.record.planned.treatment.framework == "torch" else [*often[:20] * 20, often[-1]]

    (pair,) = pairs(Profiles(build_profiled(tmp_path / "c", replace(TWO, seconds=8.0), stacks)), TORCH)
    item = pair.rows.set_index("function").loc["numpy.core.item"]
    assert 0 < item["joules"] < 0.01 * pair.costs[1].rows["joules"].sum()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_modes_of_one_framework_are_held_against_the_plan_s_first_in_whatever_order_they_ran(tmp_path, seed):
    recipe = replace(
        TWO, frameworks={"torch": 1.0}, settings=({"mode": "eager"}, {"mode": "compile"}), seed=seed
    )
    profiles = Profiles(build_profiled(tmp_path / "c", recipe))
    (pair,) = pairs(profiles, TORCH)
    assert (pair.reference.name, pair.other.name) == (
        "torch 2.13.0, mode eager",
        "torch 2.13.0, mode compile",
    )
    assert [one.name for one in profiles.runs] == [pair.reference.name, pair.other.name]


def test_other_work_is_never_held_against_it(tmp_path):
    recipe = replace(
        TWO, frameworks={"torch": 1.0}, stages=("train", "infer"), settings=({}, {"batch_size": 8})
    )
    assert not pairs(Profiles(build_profiled(tmp_path / "c", recipe)), TORCH)


def test_joules_of_another_kind_are_never_held_against_each_other(tmp_path):
    (pair,) = pairs(Profiles(build_profiled(tmp_path / "c", replace(TWO, meters={"jax": "estimate"}))), TORCH)
    assert pair.costs is None and pair.rows.empty
    assert pair.reason == "measured and estimated energy are never compared"
