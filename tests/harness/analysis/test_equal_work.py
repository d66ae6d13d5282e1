"""Runs that computed something else are parted from the others, named with where; rounding parts nobody."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis import equal_work, parting
from harness.analysis.summary import analyse
from harness.analysis.tables import measured, tables
from harness.inventory.tasks import CLASSIFIED, Tasks
from harness.records import IMPORTED
from harness.store import Campaign, load_campaign
from harness.worker.events import EVENTS_FILE
from suite import fingerprint
from suite.mnist_cnn.spec import SPEC
from suite.protocol import Event
from suite.spec import Spread
from tests.campaigns import Recipe, build

EPOCHS, PASSES, STEPS = 3, 4, 10
Told = dict[str, Any]


def answers(
    cross_entropy: float = 0.5, norm: float = 40.0, sum_: float = 3.0, projection: float = 9.0
) -> Told:
    return {"sum": sum_, "norm": norm, "cross_entropy": cross_entropy, "projection": projection}


def trained(apart: float = 0.0, epochs: int = EPOCHS) -> list[Told]:
    """Of a run whose losses are so far from everybody's, relative to the first epoch's."""
    orders = [np.arange(STEPS * 4).reshape(STEPS, 4) + epoch for epoch in range(epochs)]
    losses = [2.0 / (epoch + 1) + 2.0 * apart for epoch in range(epochs)]
    return [
        fingerprint.of_epoch(fingerprint.Epoch(np.full(STEPS, loss), order), answers(loss))
        for loss, order in zip(losses, orders, strict=True)
    ]


def told(campaign: Campaign, prints: Mapping[tuple[str, int], Told], otherwise: Told) -> Campaign:
    """The campaign with fingerprints: those of (framework, block), else these."""
    runs = []
    for run in campaign.runs:
        planned = run.record.planned
        data = prints.get((planned.treatment.framework, planned.block), otherwise)
        runs.append(replace(run, events=(*run.events, Event(1, "fingerprint", data))))
    return replace(campaign, runs=tuple(runs))


@pytest.fixture
def campaign(tmp_path: Path) -> Callable[..., Campaign]:
    return lambda **recipe: build(tmp_path / "c", Recipe(fingerprints=False, **recipe))


THREE: dict[str, Any] = {"frameworks": {"torch": 1.0, "tensorflow": 1.0, "jax": 1.0}, "blocks": 2}


def names(campaign: Campaign) -> dict[str, str]:
    """Framework -> why, of the runs that were parted."""
    framework = {run.record.planned.run_id: run.record.planned.treatment.framework for run in campaign.runs}
    return {framework[run_id]: why for run_id, why in equal_work.parted(campaign.runs).items()}


def test_runs_that_computed_the_same_stay_together(campaign: Callable[..., Campaign]) -> None:
    assert names(told(campaign(**THREE), {}, {"epochs": trained()})) == {}


def test_runs_of_before_there_were_fingerprints_count_no_longer(campaign: Callable[..., Campaign]) -> None:
    built = campaign(**THREE)
    assert len(equal_work.parted(built.runs)) == len(built.runs)
    why = equal_work.parted(built.runs)[built.runs[0].record.planned.run_id]
    assert why == "it computed nobody knows what: the worker told nothing of its fingerprint"


def without(campaign: Campaign, framework: str, *kinds: str) -> Campaign:
    """The campaign as it is read once these events of a framework are gone; all of them where none is named."""
    for run in campaign.runs:
        if run.record.planned.treatment.framework != framework:
            continue
        file = run.folder / EVENTS_FILE
        lines = [one for one in file.read_text().splitlines() if json.loads(one)["kind"] not in kinds]
        file.write_text("".join(f"{line}\n" for line in lines)) if kinds else file.unlink()
    return load_campaign(campaign.folder)


@pytest.mark.parametrize(
    "kinds", [(), ("work",), ("fingerprint",), ("work", "fingerprint"), ("metrics",)], ids=str
)
@pytest.mark.parametrize("stage", ["train", "infer"])
def test_work_that_nobody_knows_has_no_verdict(tmp_path: Path, stage: str, kinds: tuple[str, ...]) -> None:
    frameworks = {"torch": 1.0, "jax": 0.5}
    built = build(tmp_path / "c", Recipe(frameworks=frameworks, blocks=8, stages=(stage,)))
    assert "better" in set(analyse(built, "torch").costs["verdict"])
    found = analyse(without(built, "jax", *kinds), "torch")
    assert set(found.costs["verdict"].dropna()) == {"reference"}
    assert set(found.counted["framework"]) == {"torch"}
    (finding,) = found.findings
    assert (finding.code, finding.severity) == ("untold-results", "invalid")
    assert finding.message.startswith("jax 0.10.2, mnist_cnn")
    for kind in kinds:
        assert kind in finding.message


@pytest.mark.parametrize("stage", ["train", "infer"])
def test_a_run_whose_judgement_by_the_host_is_lost_counts_no_more(tmp_path: Path, stage: str) -> None:
    built = build(tmp_path / "c", Recipe(blocks=2, stages=(stage,)))
    tasks = Tasks({"mnist_cnn": CLASSIFIED.model_copy(update={"judged_on_host": ("accuracy",)})})

    def judged(value: float | None, evaluations: int = 0) -> set[str]:
        runs = []
        for run in built.runs:
            several = evaluations or sum(event.kind == "metrics" for event in run.events)
            update = {"judged": ({"accuracy": value},) * several}
            runs.append(replace(run, record=run.record.model_copy(update=update)))
        return set(equal_work.parted(runs, tasks).values())

    lost = {"it computed nobody knows what: no judgement of its accuracy by the host is stored"}
    assert judged(0.9) == set()
    assert (
        judged(None)
        == judged(0.9, evaluations=7)
        == set(equal_work.parted(built.runs, tasks).values())
        == lost
    )


@pytest.mark.parametrize("stage", ["train", "infer"])
def test_an_empty_word_of_the_work_is_none(tmp_path: Path, stage: str) -> None:
    built = build(tmp_path / "c", Recipe(fingerprints=False, stages=(stage,)))
    empty = {"epochs": [], "passes": [9.0]} if stage == "infer" else {"passes": [9.0], "answers": answers()}
    (why,) = set(equal_work.parted(told(built, {}, empty).runs).values())
    assert why.endswith("nothing of its fingerprints")


def test_one_run_of_unknown_work_voids_what_is_left_of_its_treatment(tmp_path: Path) -> None:
    built = build(tmp_path / "c", Recipe(blocks=8))
    (run,) = (run for run in built.runs if run.record.planned.run_id.startswith("003-000"))
    (run.folder / EVENTS_FILE).unlink()
    found = analyse(load_campaign(built.folder))
    assert set(found.costs["verdict"].dropna()) == {"reference"}
    assert any(why.startswith("untold-results: ") for why in found.costs["ratio_reason"].dropna())


def test_who_tells_nothing_has_no_vote(campaign: Callable[..., Campaign]) -> None:
    """Nothing differs from nothing: two of three that agree would decide, though one of them told nothing."""
    prints = {("torch", block): {"epochs": trained(0.5)} for block in (1, 2)}
    silent = {("tensorflow", block): {} for block in (1, 2)}
    built = told(campaign(**THREE), prints | silent, {"epochs": trained()})
    found = names(built)
    assert set(found) == {"torch", "tensorflow", "jax"}
    assert "no half of the implementations agrees" in found["jax"]
    assert found["tensorflow"].startswith(equal_work.UNTOLD)


def test_imported_runs_need_not_tell(campaign: Callable[..., Campaign]) -> None:
    """Other tools know nothing of it: pages and screens say so."""
    built = campaign(**THREE, isolation=IMPORTED)
    assert len(measured(tables(built).runs)) == len(built.runs)


def test_rounding_parts_nobody_and_what_is_more_does(campaign: Callable[..., Campaign]) -> None:
    built, bound = campaign(**THREE), SPEC.spread.of_losses(1)
    within = {("jax", block): {"epochs": trained(0.9 * bound)} for block in (1, 2)}
    beyond = {("jax", block): {"epochs": trained(2 * bound)} for block in (1, 2)}
    assert names(told(built, within, {"epochs": trained()})) == {}
    assert list(names(told(built, beyond, {"epochs": trained()}))) == ["jax"]


OTHER = {
    "an epoch less": (trained(epochs=2), r"2 epochs, of \w+ [\d.]+ 3"),
    "another loss": ([*trained()[:2], trained(0.2)[2]], r"loss of epoch 3 1.06667, of"),
    "other samples": (
        [{**trained()[0], "rows": "0" * 16}, *trained()[1:]],
        "other samples, or in another order, in epoch 1",
    ),
    "an evaluation of older weights": (
        [*trained()[:2], {**trained()[2], "answers": answers(2.0)}],
        "cross-entropy of the answers in epoch 3 2, of",
    ),
    "no loss": ([{k: v for k, v in one.items() if k != "loss"} for one in trained()], "loss of epoch 1 unknown"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER)
def test_who_trained_otherwise_is_named_with_where_it_parts(
    campaign: Callable[..., Campaign], name: str
) -> None:
    prints, words = OTHER[name]
    built = told(
        campaign(**THREE), {("jax", block): {"epochs": prints} for block in (1, 2)}, {"epochs": trained()}
    )
    parted = names(built)
    assert list(parted) == ["jax"]
    assert parted["jax"].startswith(equal_work.WORDS)
    assert re.search(words, parted["jax"])


def test_one_block_of_one_framework_is_parted_alone(campaign: Callable[..., Campaign]) -> None:
    built = told(campaign(**THREE), {("jax", 2): {"epochs": trained(0.5)}}, {"epochs": trained()})
    (run_id,) = equal_work.parted(built.runs)
    (run,) = (run for run in built.runs if run.record.planned.run_id == run_id)
    assert (run.record.planned.treatment.framework, run.record.planned.block) == ("jax", 2)


def test_where_no_half_agrees_nobody_counts(campaign: Callable[..., Campaign]) -> None:
    built = campaign(frameworks={"torch": 1.0, "jax": 1.0}, blocks=2)
    prints = {("jax", block): {"epochs": trained(0.5)} for block in (1, 2)}
    parted = names(told(built, prints, {"epochs": trained()}))
    assert set(parted) == {"torch", "jax"}
    assert all("no half of the implementations agrees" in why for why in parted.values())


def passes(cross_entropy: float = 0.5) -> Told:
    last = answers(cross_entropy)
    return {"passes": [last["projection"]] * PASSES, "answers": last}


def test_who_answers_otherwise_in_one_pass_is_parted(campaign: Callable[..., Campaign]) -> None:
    cached = {**passes(), "passes": [9.0, 9.0, 8.5, 9.0]}
    built = campaign(**THREE, stages=("infer",))
    assert (
        "projection of the answers in pass 3 8.5, of"
        in names(told(built, {("jax", 1): cached}, passes()))["jax"]
    )
    assert (
        "cross-entropy of the answers in the last pass 0.7, of"
        in names(told(built, {("jax", 1): passes(0.7)}, passes()))["jax"]
    )


ROWS = 200
ITEMS = "".join(f"{row:04x}" for row in range(ROWS))


def items(others: int) -> str:
    """Of which so many rows are others."""
    return "ffff" * others + ITEMS[4 * others :]


def chosen(others: int = 0) -> Told:
    """Of a stage whose answers are whole numbers."""
    return {"passes": [{"tokens": items(others)}] * PASSES, "answers": {"tokens/items": items(others)}}


def test_whole_numbers_may_differ_in_as_many_rows_as_a_spec_says(campaign: Callable[..., Campaign]) -> None:
    built, most = campaign(**THREE, stages=("infer",)), round(ROWS * SPEC.spread.items)
    assert most > 0 and names(told(built, {("jax", 1): chosen(most)}, chosen())) == {}
    why = names(told(built, {("jax", 1): chosen(most + 1)}, chosen()))
    assert list(why) == ["jax"]
    assert re.search(
        r"items of the answers' tokens in pass 1 are others than those of \w+ .* in 2% of", why["jax"]
    )


def test_whole_numbers_of_one_pass_are_compared_like_those_of_the_last(
    campaign: Callable[..., Campaign],
) -> None:
    built = campaign(**THREE, stages=("infer",))
    kept = {**chosen(), "passes": [{"tokens": items(others)} for others in (0, 0, ROWS, 0)]}
    assert "tokens in pass 3 are others" in names(told(built, {("jax", 1): kept}, chosen()))["jax"]
    last = {**chosen(), "answers": chosen(ROWS)["answers"]}
    assert "tokens in the last pass are others" in names(told(built, {("jax", 1): last}, chosen()))["jax"]


def test_after_training_whole_numbers_may_differ_as_far_as_a_spec_says() -> None:
    spread = Spread(trained_items=0.3)
    prints = {
        others: [{**one, "answers": {"tokens/items": items(others)}} for one in trained()]
        for others in (0, 60, 62)
    }
    sound, within, beyond = (parting.Left("r", "jax 1", "jax", {}, one) for one in prints.values())
    assert parting.difference(within, sound, spread) == ""
    assert "tokens in epoch 1 are others than those of jax 1 in 31% of the rows" in parting.difference(
        beyond, sound, spread
    )
    assert parting.difference(beyond, sound, Spread()) == "", "where a spec says nothing"


def test_inference_that_is_not_the_evaluation_after_the_training_counts_nowhere(
    campaign: Callable[..., Campaign],
) -> None:
    built = campaign(**THREE, stages=("infer",), prepare=True)
    assert any(run.record.planned.purpose == "prepare" for run in built.runs)
    for evaluated, parted in ((0.5, set()), (0.6, {"torch", "tensorflow", "jax"})):
        state = {"epochs": [*trained()[:-1], {**trained()[-1], "answers": answers(evaluated)}]}
        prepared = {
            (run.record.planned.treatment.framework, run.record.planned.block): state
            for run in built.runs
            if run.record.planned.purpose == "prepare"
        }
        assert set(names(told(built, prepared, passes()))) == parted


def test_what_shares_a_source_has_one_vote(campaign: Callable[..., Campaign]) -> None:
    """Keras runs on three backends: a fault of its one implementation is no majority."""
    names_of_five = ("torch", "jax", "keras", "keras-jax", "keras-torch")
    built = campaign(frameworks=dict.fromkeys(names_of_five, 1.0), blocks=2)
    faulty = {(name, block): {"epochs": trained(0.5)} for name in names_of_five[2:] for block in (1, 2)}
    assert set(names(told(built, faulty, {"epochs": trained()}))) == set(names_of_five[2:])


def test_between_two_frameworks_a_failed_run_of_one_does_not_decide(
    campaign: Callable[..., Campaign],
) -> None:
    built = campaign(frameworks={"torch": 1.0, "jax": 1.0}, blocks=2)
    prints = {("jax", block): {"epochs": trained(0.5)} for block in (1, 2)}
    fewer = [
        run
        for run in told(built, prints, {"epochs": trained()}).runs
        if (run.record.planned.treatment.framework, run.record.planned.block) != ("torch", 2)
    ]
    assert len(equal_work.parted(fewer)) == len(fewer) == 3


def test_whoever_lies_in_the_middle_is_taken_for_sound(campaign: Callable[..., Campaign]) -> None:
    """The first and the last are further apart than rounding, and agree with it both."""
    built, bound = campaign(**THREE), SPEC.spread.of_losses(1)
    apart = {"tensorflow": 0.8 * bound, "jax": 1.6 * bound}
    prints = {(name, block): {"epochs": trained(by)} for name, by in apart.items() for block in (1, 2)}
    assert names(told(built, prints, {"epochs": trained()})) == {}


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_fewer_digits_part_nobody_by_as_much_as_they_round(
    campaign: Callable[..., Campaign], precision: str
) -> None:
    built = campaign(**THREE, settings=({"precision": precision},))
    rounded = {("jax", block): {"epochs": trained(4e-3)} for block in (1, 2)}
    parted = names(told(built, rounded, {"epochs": trained()}))
    assert list(parted) == (["jax"] if precision == "fp32" else [])


def test_a_parted_run_counts_in_no_table(campaign: Callable[..., Campaign]) -> None:
    built = told(campaign(**THREE), {("jax", 2): {"epochs": trained(0.5)}}, {"epochs": trained()})
    runs = tables(built).runs
    assert len(measured(runs)) == len(built.runs) - 1
    (reason,) = runs[runs["outcome"] == "invalid"]["reason"]
    assert reason.startswith(equal_work.WORDS)


def test_counts_of_work_that_differ_part_too(campaign: Callable[..., Campaign]) -> None:
    built = campaign(**THREE)
    runs = tuple(
        replace(run, events=(*run.events, Event(1, "work", {"samples": 9, "steps": 7})))
        if run.record.planned.treatment.framework == "jax"
        else replace(run, events=(*run.events, Event(1, "work", {"samples": 9, "steps": 60})))
        for run in told(built, {}, {"epochs": trained()}).runs
    )
    parted = names(replace(built, runs=runs))
    assert list(parted) == ["jax"] and "steps 7, of torch" in parted["jax"]


@given(
    st.lists(st.floats(-1, 1), min_size=3, max_size=9),
    st.floats(1e-9, 1e-2),
    st.randoms(use_true_random=False),
)
def test_a_majority_is_never_parted_whatever_the_order(
    shifts: Sequence[float], bound: float, draw: Any
) -> None:
    """Those within a third of the bound agree with each other; a strict majority of them is always kept."""
    near = [
        equal_work.Left(f"n{i}", "n", f"n{i}", {}, trained(shift * bound / 3))
        for i, shift in enumerate(shifts)
    ]
    far = [equal_work.Left(f"f{i}", "f", f"f{i}", {}, trained(0.5)) for i in range(len(near) - 1)]
    members = [*near, *far]
    draw.shuffle(members)
    spread = Spread(start=bound, tenfold_steps=1e9)
    sound = next(one for one in members if equal_work._agreeing(one, members, spread) * 2 > len(members))
    assert sound.who == "n"


def test_a_campaign_of_before_units_of_work_owes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = build(tmp_path / "c", Recipe())
    counted = CLASSIFIED.model_copy(update={"units": ("sample", "token")})
    monkeypatch.setattr("harness.inventory.tasks.here", lambda workload: counted)
    assert equal_work.parted(built.runs, Tasks({})) == {}
    owed = equal_work.parted(built.runs, Tasks({Recipe().workload: counted}))
    assert len(owed) == len(built.runs) and all("tokens" in why for why in owed.values())
