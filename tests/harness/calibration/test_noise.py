"""A null campaign: A and B are drawn before the data, and the noise that is found is the noise that there is."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from harness.analysis.compare import ratio_of
from harness.analysis.power import smallest_effect, spread_of_differences
from harness.calibration import deriving
from harness.calibration.noise import FALSE, relabelled, resolved
from harness.calibration.records import Noise
from harness.planning import plan
from harness.planning.null_campaign import is_null, labels, twice
from harness.planning.plan_files import Protocol
from harness.records import Plan, PowerModel, Treatment
from tests.campaigns import MACHINE, Recipe, build

PROTOCOL = Protocol(
    repetitions=10, sample_period_s=0.1, baseline_s=0.1, run_timeout_s=9, expected_run_s=1,
    power_model=PowerModel(idle_w=10, busy_cpu_w=8), control_rounds=5,
)  # fmt: skip
TREATMENT = Treatment(workload="svm", framework="sklearn", version="1.0", stage="train", dataset="digits")
BLOCKS, NOISE = 60, 0.01
EVENLY = 200


def made(seed: int, blocks: int = 10) -> Plan:
    return plan.make("quick", PROTOCOL, [TREATMENT], (), seed, blocks)


def noise_in(folder: Path, **recipe: object) -> dict[str, Noise]:
    """`settings` twice alike: the same treatment twice in each block."""
    null = Recipe(frameworks={"torch": 1.0}, settings=({}, {}), **recipe)  # type: ignore[arg-type]
    found = deriving.of(build(folder / "c", null), MACHINE).calibration.noise
    return {one.quantity: one for one in found}


@given(seed=st.integers(0, 2**63 - 1))
@settings(max_examples=30, deadline=None)
def test_labels_are_where_the_seed_would_put_two_treatments(seed: int) -> None:
    """Before any run: whoever has the plan has the labels, and the order is that of any two treatments."""
    other = TREATMENT.model_copy(update={"version": "2.0"})
    null, real = twice(made(seed)), plan.make("quick", PROTOCOL, [TREATMENT, other], (), seed, 10)
    measured = [one for one in plan.order(real) if one.purpose == "measure"]
    expected = {(one.block, one.position): "AB"[one.treatment.version == "2.0"] for one in measured}
    assert labels(null, plan.order(null)) == expected


def test_every_block_holds_the_treatment_as_a_and_as_b_and_each_comes_first_about_as_often() -> None:
    null = twice(made(3, EVENLY))
    found = labels(null, plan.order(null))
    first = [found[key] for key in sorted(found)][::2]
    second = [found[key] for key in sorted(found)][1::2]
    assert all({a, b} == {"A", "B"} for a, b in zip(first, second, strict=True))
    assert stats.binomtest(first.count("A"), EVENLY).pvalue > 1e-3


def test_no_rule_of_a_plan_is_weakened() -> None:
    null = twice(made(3))
    order = plan.order(null)
    assert is_null(null) and not is_null(made(3))
    assert len({one.run_id for one in order}) == len(order) == 30  # with a control run a block
    assert all(one.treatment == TREATMENT for one in order if one.purpose == "measure")


def test_the_known_noise_is_found_within_its_sampling_error(tmp_path: Path) -> None:
    """Time varies by 1 % a run; energy by that and by as much again in power, which memory's share dilutes."""
    found = noise_in(tmp_path, blocks=BLOCKS, noise=NOISE, seed=5)
    low, high = np.sqrt(stats.chi2.ppf((0.001, 0.999), BLOCKS) / BLOCKS)
    power_share = 40 / 44  # of the watts that vary
    truth = {"duration_s": np.sqrt(2) * NOISE, "energy_j": np.sqrt(2) * NOISE * np.hypot(1, power_share)}
    for quantity, sd in truth.items():
        assert low * sd < found[quantity].sd < high * sd
        assert found[quantity].sd < found[quantity].sd_at_most
        assert found[quantity].resolves < found[quantity].resolves_at_most
    assert found["duration_s"].blocks == BLOCKS
    assert found["duration_s"].resolves == pytest.approx(
        smallest_effect(found["duration_s"].sd / np.sqrt(2), BLOCKS), rel=1e-3
    )


def test_the_upper_end_of_the_noise_lies_above_the_truth_in_95_percent(tmp_path: Path) -> None:
    differences = np.random.default_rng(4).normal(0, spread_of_differences(0.03), (20_000, 10))
    at_most = np.sqrt((differences**2).mean(1) * 10 / stats.chi2.ppf(0.05, 10))
    assert (at_most > spread_of_differences(0.03)).mean() == pytest.approx(0.95, abs=0.005)
    found = noise_in(tmp_path, blocks=10)["duration_s"]
    assert found.sd_at_most / found.sd == pytest.approx(np.sqrt(10 / stats.chi2.ppf(0.05, 10)))


def test_false_verdicts_of_normal_noise_are_as_many_as_promised() -> None:
    """Noise of 5 %, where nothing is shown to be equivalent in ten blocks."""
    draws = np.random.default_rng(8).normal(0, 0.07, (60, 10))
    counts = [relabelled(one, seed=1) for one in draws]
    assert {tried for _, tried in counts} == {512}
    assert np.mean([false / tried for false, tried in counts]) == pytest.approx(0.05, abs=0.01)


def test_labels_that_are_drawn_are_drawn_alike_again() -> None:
    differences = np.random.default_rng(8).normal(0, 0.07, 14)
    assert relabelled(differences, 1) == relabelled(differences, 1)
    assert relabelled(differences, 1)[1] == 1000


@pytest.mark.parametrize("blocks", [3, 8])
def test_every_change_of_signs_is_tried_but_its_mirror_image(blocks: int) -> None:
    differences = np.random.default_rng(2).normal(0.05, 0.02, blocks)
    everything = np.array(np.meshgrid(*[[1.0, -1.0]] * blocks)).reshape(blocks, -1).T
    false = sum(ratio_of(differences * signs).verdict in FALSE for signs in everything)
    assert relabelled(differences, 0) == (false / 2, 2 ** (blocks - 1))


def test_drift_and_dependence_are_of_the_runs_in_their_order(tmp_path: Path) -> None:
    found = noise_in(tmp_path, blocks=8)["duration_s"]
    assert found.drift_rho is not None and found.lag1 is not None and abs(found.drift_rho) < 0.9


def test_a_quantity_that_nobody_knows_is_left_out_and_joules_of_two_kinds_never_meet(tmp_path: Path) -> None:
    found = noise_in(tmp_path, blocks=4, meter=None)
    assert "energy_j" not in found and "duration_s" in found


def test_one_block_tells_nothing() -> None:
    assert resolved(0.01, 1) == 1.0
