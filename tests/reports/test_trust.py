"""What the box beside the matrix says of blocks, noise, short windows and calibration, and what mends it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.analysis.summary import analyse
from harness.findings.codes import Code
from harness.records import IMPORTED, Finding
from harness.store import Campaign
from reports.render import render
from reports.trust import trust
from reports.trust_fact import DOUBTFUL, SOUND, TrustFact
from reports.trust_of_ratios import CALIBRATION
from tests.campaigns import Recipe, build
from tests.harness.cli.test_documented import taken
from tests.reports.scrape import Page

SHORT = Finding.of(Code.WINDOW_TOO_SHORT, "the run lasted 0.4 s, less than 1 s")
PART = Finding.of(Code.PART_TOO_SHORT, "decode lasted 0.4 s in each pass, less than 1 s")
SMALL = Finding.of(Code.SCALED_DOWN, "less")
THREE = Recipe(blocks=8, noise=0.02, more_workloads=("mnist_mlp", "svm"))


def facts(campaign: Campaign) -> dict[str, TrustFact]:
    return {one.title: one for one in trust(analyse(campaign), campaign)}


def without(campaign: Campaign, blocks: int, *workloads: str) -> Campaign:
    """As by turns: of these workloads so many blocks alone."""
    planned = [(run, run.record.planned) for run in campaign.runs]
    left = [run for run, one in planned if one.treatment.workload not in workloads or one.block <= blocks]
    return replace(campaign, runs=tuple(left))


@pytest.mark.parametrize(
    ("stage", "finding", "setting"),
    [
        ("train", SHORT, "Raise epochs or iterations of mnist_cnn in"),
        ("infer", SHORT, "Raise infer_passes of mnist_cnn in"),
        ("generate", PART, "Raise requests of mnist_cnn in"),
    ],
)
@pytest.mark.parametrize("meter", ["estimate", "rapl"])
def test_of_short_windows_it_says_which_setting_lengthens_them(
    tmp_path: Path, stage: str, finding: Finding, setting: str, meter: str
) -> None:
    recipe = Recipe(stages=(stage,), run_findings=(finding,), meter=meter)
    one = facts(build(tmp_path / "c", recipe))["Too short"]
    assert setting in one.words and "meter" not in one.words  # of which estimates have none
    assert ".toml" in one.command
    taken(one.command)


def test_what_was_scaled_down_is_run_at_full_size_and_what_others_measured_is_not_run(tmp_path: Path) -> None:
    small = facts(build(tmp_path / "small", Recipe(run_findings=(SHORT,), findings=(SMALL,))))["Too short"]
    assert "--profile standard" in small.command and "my.toml" not in small.command
    others = facts(build(tmp_path / "others", Recipe(run_findings=(SHORT,), isolation=IMPORTED)))["Too short"]
    assert not others.command and "Raise" not in others.words


def test_the_blocks_of_works_that_have_unlike_many_are_told_from_least_to_most(tmp_path: Path) -> None:
    campaign = without(build(tmp_path / "c", THREE), 1, "mnist_mlp", "svm")
    one = facts(campaign)["Blocks"]
    assert (one.value, one.grade) == ("1 to 8", DOUBTFUL) and one.words.startswith("Only 1 in 2 of 3 works.")
    alike = facts(build(tmp_path / "alike", THREE))["Blocks"]
    assert (alike.value, alike.grade) == ("8", SOUND) and "works" not in alike.words


def test_noise_that_one_of_three_works_tells_is_not_ticked_off(tmp_path: Path) -> None:
    whole = build(tmp_path / "c", THREE)
    all_tell, one_tells = (
        facts(one)["Noise of a run"] for one in (whole, without(whole, 1, "mnist_mlp", "svm"))
    )
    assert all_tell.grade == SOUND and "3 of 3 works" in all_tell.words and not all_tell.command
    assert one_tells.grade == DOUBTFUL and "1 of 3 works" in one_tells.words
    taken(one_tells.command)


def test_a_machine_without_calibration_has_its_command_in_the_box_and_nowhere_else(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe())
    one = facts(campaign)[CALIBRATION]
    assert (one.grade, one.command) == (DOUBTFUL, "suite calibrate")
    page = Page(render(campaign))
    assert page.text.count("suite calibrate") == 1 and 'class="resolution"' not in page.html
    others = build(tmp_path / "others", Recipe(isolation=IMPORTED))
    assert CALIBRATION not in facts(others) and 'class="resolution"' in render(others)
