"""A campaign stops when every wanted ratio is known, not before; the rule is written down first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from harness.analysis import adaptive
from harness.analysis.pairs import Pair
from harness.analysis.summary import analyse
from harness.analysis.tables import tables
from harness.errors import UsageError
from harness.records import StopRecord, Treatment, Until
from harness.store import Campaign
from tests.campaigns import Recipe, build


def treatment(framework: str, workload: str = "w") -> Treatment:
    return Treatment(workload=workload, framework=framework, version="1", stage="train", dataset="d")


def campaign(folder: Path, recipe: Recipe, margin: float = 0.02, reference: str | None = None) -> Campaign:
    made = build(folder / "c", recipe)
    rule = adaptive.declare(made.record.plan.treatments, margin, 30, reference)
    plan = made.record.plan.model_copy(update={"until": rule})
    return Campaign(made.folder, made.record.model_copy(update={"plan": plan}), made.runs)


def look_at(one: Campaign, blocks: int) -> StopRecord | None:
    return adaptive.stop(one, tables(one), blocks)


def test_the_rule_says_method_looks_margin_and_reference() -> None:
    rule = adaptive.declare([treatment("torch"), treatment("jax")], 0.02, 10)
    assert isinstance(rule, Until)
    assert (rule.reference, rule.looks, rule.alpha) == ("torch 1", tuple(range(3, 11)), 0.05 / 2)
    assert "group-sequential" in rule.method
    assert adaptive.declare([treatment("torch"), treatment("jax")], 0.02, 10, "jax").reference == "jax 1"


def test_what_opens_has_half_of_the_error_and_all_together_have_the_whole() -> None:
    several = [treatment(name, work) for work in ("a", "b", "c") for name in ("torch", "jax", "keras")]
    rule = adaptive.declare(several, 0.02, 10, opening=several[0].work)
    assert rule.opening is not None and rule.opening.work == several[0].work
    assert 4 * rule.opening.alpha == pytest.approx(0.025)  # two others, in energy and time
    assert sum(4 * rule.alpha_of(one.work) for one in several[::3]) == pytest.approx(0.05)
    assert (
        adaptive.schedule_of(rule, several[0].work).alpha > adaptive.schedule_of(rule, several[3].work).alpha
    )


@pytest.mark.parametrize("workloads", ["a", "ab"])
def test_parts_are_equal_where_half_were_no_more_than_an_equal_part(workloads: str) -> None:
    several = [treatment(name, work) for work in workloads for name in ("torch", "jax")]
    rule = adaptive.declare(several, 0.02, 10, opening=several[0].work)
    assert rule == adaptive.declare(several, 0.02, 10)
    assert rule.opening is None and rule.alpha == 0.05 / 2 / len(workloads)


def test_the_rule_is_read_as_it_was_written() -> None:
    several = [treatment(name, work) for work in ("a", "b", "c") for name in ("torch", "jax")]
    rule = adaptive.declare(several, 0.02, 10, opening=several[2].work)
    assert Until.model_validate_json(rule.model_dump_json()) == rule
    of_before = rule.model_dump(mode="json", exclude={"opening"})
    assert Until.model_validate(of_before).alpha_of(several[2].work) == rule.alpha


@pytest.mark.parametrize(
    ("treatments", "reference", "words"),
    [
        ([treatment("torch")], None, "second framework"),
        ([treatment("torch"), treatment("jax", "other")], None, "second framework"),
        ([treatment("torch"), treatment("jax")], "keras", "keras"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    treatments: list[Treatment], reference: str | None, words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        adaptive.declare(treatments, 0.02, 10, reference)


def test_a_big_difference_ends_a_campaign_at_its_first_look(tmp_path: Path) -> None:
    one = campaign(tmp_path, Recipe(frameworks={"torch": 1.0, "tensorflow": 2.0}, blocks=3))
    assert look_at(one, 2) is None  # no look is planned there
    stop = look_at(one, 3)
    assert stop is not None and stop.blocks == 3
    found = {ratio.quantity: ratio for ratio in stop.ratios}
    assert set(found) == {"energy_j", "duration_s"}
    for ratio in found.values():
        assert (ratio.treatment, ratio.reference) == ("tensorflow 2.21.0", "torch 2.13.0")
        assert (ratio.verdict, ratio.blocks) == ("worse", 3)
        assert ratio.low is not None and ratio.high is not None and ratio.low < 2 < ratio.high


def test_noise_goes_on_and_precision_stops(tmp_path: Path) -> None:
    noisy = Recipe(frameworks={"torch": 1.0, "tensorflow": 1.0}, blocks=4, noise=0.2)
    assert look_at(campaign(tmp_path / "noisy", noisy), 4) is None
    even = Recipe(frameworks={"torch": 1.0, "tensorflow": 1.0}, blocks=6, noise=0.001)
    stop = look_at(campaign(tmp_path / "even", even), 6)
    assert stop is not None and {ratio.verdict for ratio in stop.ratios} == {"equivalent"}


def test_every_treatment_must_be_decided_not_the_clearest_alone(tmp_path: Path) -> None:
    three = Recipe(frameworks={"torch": 1.0, "tensorflow": 2.0, "jax": 1.001}, blocks=3, noise=0.03)
    assert look_at(campaign(tmp_path, three), 3) is None


def test_energy_that_nobody_read_is_not_waited_for(tmp_path: Path) -> None:
    unread = Recipe(frameworks={"torch": 1.0, "tensorflow": 2.0}, meter=None)
    stop = look_at(campaign(tmp_path, unread), 3)
    assert stop is not None and [ratio.quantity for ratio in stop.ratios] == ["duration_s"]


def test_blocks_after_the_look_change_nothing(tmp_path: Path) -> None:
    five = campaign(tmp_path, Recipe(frameworks={"torch": 1.0, "tensorflow": 2.0}, blocks=5))
    first, last = look_at(five, 3), look_at(five, 5)
    assert first is not None and last is not None
    assert first.ratios == last.ratios


def test_the_declared_margin_stands(tmp_path: Path) -> None:
    one = campaign(tmp_path, Recipe(frameworks={"torch": 1.0, "tensorflow": 1.5}), margin=0.1)
    assert analyse(one).margin == analyse(one, margin=0.1).margin == 0.1
    with pytest.raises(UsageError, match="declared a margin"):
        analyse(one, margin=0.02)


def test_the_ratio_told_is_median_unbiased_once_the_campaign_has_stopped() -> None:
    until = adaptive.declare([treatment("torch"), treatment("jax")], 0.02, 20)
    values = np.array([0.06, 0.10, 0.08])
    (found,) = adaptive.judge_of(until, "simultaneous", 0.02)(treatment("torch").work)(
        [Pair(values, (1, 2, 3))], 1
    )
    assert found.ratio.blocks == 3
    if found.ratio.verdict == "worse":
        assert 0 < np.log(found.ratio.ratio) < values.mean()
    sure = np.array([0.079, 0.080, 0.081])
    (found,) = adaptive.judge_of(until, "simultaneous", 0.02)(treatment("torch").work)(
        [Pair(sure, (1, 2, 3))], 1
    )
    assert found.ratio.verdict == "worse" and np.log(found.ratio.ratio) != sure.mean()


def test_less_than_a_step_of_the_meter_decides_nothing() -> None:
    until = adaptive.declare([treatment("torch"), treatment("jax")], 0.02, 20)
    pair = Pair(np.array([0.1000, 0.1001, 0.1002]), (1, 2, 3), resolution=0.01)
    (found,) = adaptive.judge_of(until, "simultaneous", 0.02)(treatment("torch").work)([pair], 1)
    assert (found.ratio.verdict, found.ratio.low) == ("inconclusive", None)


def test_the_declared_reference_stands(tmp_path: Path) -> None:
    one = campaign(tmp_path, Recipe(frameworks={"torch": 1.0, "tensorflow": 1.5}))
    assert analyse(one, "torch").reference.treatment == "torch 2.13.0"
    with pytest.raises(
        UsageError, match=r"declared torch 2\.13\.0 its reference before its first run; it stands"
    ):
        analyse(one, "tensorflow")
