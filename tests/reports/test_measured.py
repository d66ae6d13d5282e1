"""What was measured: the work with its data, the sum that is called energy, and the protocol, or that it is unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.analysis.summary import analyse
from harness.records import CoolDown, Outcome
from harness.store import Campaign
from reports.sections import measured
from reports.wording import energy_statement
from tests.campaigns import Recipe, build
from tests.reports.parts_of import page_of, section_of
from tests.reports.scrape import Page
from tests.reports.studies import study


def shown(campaign: Campaign) -> Page:
    section = section_of("measured", analyse(campaign), campaign)
    assert section is not None
    return page_of(section)


def words(page: Page, name: str) -> str:
    return page.cells["protocol"][name]["value"].text.replace("\u202f", " ")


def test_the_work_with_its_data_set_and_the_runs_that_count(tmp_path: Path) -> None:
    recipe = Recipe(stages=("train", "infer"), outcomes={("torch", 2): Outcome.FAILED})
    page = shown(build(tmp_path / "c", recipe))
    assert list(page.cells["work"]) == ["work-1", "work-2"]
    row = page.cells["work"]["work-1"]
    assert (
        row["dataset"].text == "UCI handwritten digits, embedded in scikit-learn, resized to 28x28 (digits)"
    )
    assert row["mode"].text == "eager torch 2.13.0 and eager tensorflow 2.21.0"
    assert row["each"].text.replace("\u202f", " ") == (
        "4 311 samples, 33 steps, 268 362 parameters, 25.0 GFLOP a step, 1.42 MB of data"
    )
    assert row["runs"].text == "2 of 3 torch 2.13.0 and 3 of 3 tensorflow 2.21.0"


@pytest.mark.parametrize(("meter", "addends"), [
    ("rapl", "cpu_package (RAPL, measured) + dram (RAPL, measured)"),
    ("estimate", "cpu_model (estimate, estimated)"), (None, "nothing: no energy channel"),
])  # fmt: skip
def test_the_sum_that_is_called_energy(tmp_path: Path, meter: str | None, addends: str) -> None:
    assert words(shown(build(tmp_path / "c", Recipe(meter=meter))), "energy is the sum of") == addends


def test_the_protocol_in_words(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=3))
    page = shown(campaign)
    assert words(page, "order") == "3 blocks, each with every treatment once, at random (seed 1)"
    assert words(page, "before each run") == "no wait" and words(page, "before each block") == "nothing"
    plan = campaign.record.plan.model_copy(
        update={"baseline_s": 30.0, "control_rounds": 2, "warm_up_s": 300.0, "rehearse": True, "idle_s": 60.0,
                "cool_down": CoolDown(at_most_s=180.0), "retries": 1}
    )  # fmt: skip
    careful = measured._protocol(
        Campaign(campaign.folder, campaign.record.model_copy(update={"plan": plan}), campaign.runs)
    )
    told = {name: text.replace("\u202f", " ") for name, text in careful.items()}
    assert (
        told["before the first block"]
        == "warm-up runs for 300 s, in no number; every framework and data set read once"
    )
    assert (
        told["before each block"]
        == "the idle machine sampled for 30.0 s; a container at rest and fixed work, as a control"
    )
    assert told["before each run"] == (
        "a pause of 60.0 s; rest until power is within 5 % and temperatures within 3 K of the idle machine's for "
        "10.0 s, waited for 180 s at most"
    )
    assert told["failed runs"] == "repeated 1 time at the end of their block"


def test_of_an_imported_study_neither_data_nor_protocol_are_invented(tmp_path: Path) -> None:
    _, campaign = study("sotillos23", tmp_path / "c")
    page = shown(campaign)
    assert page.cells["work"]["work-1"]["dataset"].text == "cifar10"
    assert "not in the files" in words(page, "protocol") and "order" not in page.cells["protocol"]


def test_integrated_power_is_called_derived_as_its_badge_says(tmp_path: Path) -> None:
    _, campaign = study("sotillos23", tmp_path / "c")
    assert energy_statement(campaign) == (
        "Energy is measured by nvidia-smi: gpu. What was read is power: energy is its integral over time, and derived."
    )


def test_an_empty_plan_still_says_what_energy_would_have_been(tmp_path: Path) -> None:
    page = shown(build(tmp_path / "c", Recipe(frameworks={})))
    assert "work" not in page.cells and "measured by RAPL" in words(page, "energy")
