"""What the machine resolves stands beside every claim, from what is kept with the campaign alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from harness import store
from harness.analysis.summary import analyse
from harness.calibration import on_disk
from harness.errors import UnsafeFile
from harness.exports.anonymised import anonymised
from harness.records import IMPORTED, Finding
from reports import resolution
from reports.render import render
from reports.resolution import NEVER, NULL, Resolution, noted
from tests.calibrations import CREATED, QUIET, calibration_of, campaign, keep
from tests.campaigns import Recipe, build

TELLS = "this machine resolves 1.4 % of energy and 0.93 % of time in 10 blocks (calibrated 2025-12-20, mnist_mlp on "


def test_the_smallest_differences_and_whence_they_are(tmp_path: Path) -> None:
    assert resolution.of(campaign(tmp_path)).words == f"{TELLS}torch 2.13.0)"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"created": CREATED - timedelta(days=100)}, ", OLD: 112 days before this campaign)"),
        ({"suite_sha256": "ab"}, ", OLD: the workloads have changed since)"),
        ({"isolation": "docker", "profile": "standard"}, "torch 2.13.0, profile standard, docker)"),
    ],
)
def test_what_is_old_or_was_made_otherwise_says_so(tmp_path: Path, changes: Any, words: str) -> None:
    assert resolution.of(campaign(tmp_path, **changes)).words.endswith(words)


def test_90_days_are_not_old_and_a_time_that_is_none_is(tmp_path: Path) -> None:
    one = campaign(tmp_path, created=CREATED - timedelta(days=76))
    assert "OLD" not in resolution.of(one).words
    odd = replace(one, record=one.record.model_copy(update={"created": "yesterday"}))
    assert "OLD" in resolution.of(odd).words


def test_more_blocks_resolve_more_and_one_block_nothing(tmp_path: Path) -> None:
    found = resolution.of(campaign(tmp_path))
    sizes = [found.smallest("energy_j", blocks) for blocks in (1, 2, 5, 10, 40)]
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == 1.0
    one = build(tmp_path / "one", Recipe(blocks=1))
    keep(one.folder, calibration_of())
    assert "resolves nothing in a single block" in resolution.of(one).words


def test_without_a_calibration_the_remedy_is_named(tmp_path: Path) -> None:
    made = build(tmp_path / "c")
    assert resolution.of(made).words == NEVER == "not calibrated: run suite calibrate"
    keep(made.folder, None, "the last one does not count here: governors changed")
    assert resolution.of(made).words == f"{NEVER} (the last one does not count here: governors changed)"
    (made.folder / on_disk.CALIBRATION_FILE).write_text("{")
    assert resolution.of(made).words == f"{NEVER} (calibration.json of the campaign is damaged)"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    made = campaign(tmp_path)
    kept = made.folder / on_disk.CALIBRATION_FILE
    kept.rename(tmp_path / "elsewhere")
    kept.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafeFile):
        resolution.of(made)


def test_a_campaign_that_went_on_elsewhere_is_not_calibrated(tmp_path: Path) -> None:
    moved = Finding(code="new-machine", severity="warning", message="resumed", advice="")
    found = resolution.of(campaign(tmp_path, replace(QUIET, blocks=2, run_findings=(moved,))))
    assert found.calibration is None and "went on on another machine" in found.words


def test_what_other_tools_measured_is_not_to_be_calibrated_here(tmp_path: Path) -> None:
    found = resolution.of(campaign(tmp_path, Recipe(isolation=IMPORTED, blocks=2)))
    assert found.calibration is None and found.words == "not calibrated: other tools measured it"


def test_a_null_campaign_is_named(tmp_path: Path) -> None:
    null = campaign(tmp_path, Recipe(frameworks={"torch": 1.0}, settings=({}, {}), blocks=2))
    assert resolution.of(null).words == NULL


def row(ratio: float, verdict: str = "worse", **more: Any) -> dict[str, Any]:
    return {"quantity": "energy_j", "ratio": ratio, "verdict": verdict, "blocks": 10.0, **more}


@pytest.mark.parametrize(
    ("one", "below"),
    [
        (row(1.013), True),
        (row(1.016), False),
        (row(0.987, "better"), True),
        (row(0.985, "better"), False),
        (row(1.013, blocks=20.0), False),
        (row(1.013, blocks=1.0), True),
        (row(1.013, "equivalent"), False),  # shown to be small is no claim of a difference
        (row(1.013, "inconclusive"), False),
        (row(1.013, quantity="cpu_s"), False),  # of which nothing is known
        (row(np.nan, None), False),
    ],
)
def test_a_claim_below_what_the_machine_resolves_gets_a_note(one: dict[str, Any], below: bool) -> None:
    found = Resolution(calibration_of(), "")
    assert bool(found.note(one)) is below
    table = noted(pd.DataFrame([one], index=[7]), found)
    assert bool(table["note"].iloc[0]) is below and table.index.tolist() == [7]


def test_without_a_calibration_nothing_is_noted() -> None:
    table = noted(pd.DataFrame([row(1.001)]), Resolution(None, NEVER))
    assert table["resolves"].isna().all() and table["note"].tolist() == [""]


def test_of_two_campaigns_the_coarser_counts_and_an_unknown_one_above_all() -> None:
    fine, coarse, none = (Resolution(one, "") for one in (calibration_of(0.01), calibration_of(0.02), None))
    assert resolution.coarsest([fine, coarse]) is resolution.coarsest([coarse, fine]) is coarse
    assert resolution.coarsest([coarse, none]) is none


def test_no_verdict_of_a_quiet_campaign_passes_for_resolved_on_a_noisy_machine(tmp_path: Path) -> None:
    """4 % is seen within blocks, and the machine is known for twice that: each claim has its note in the report."""
    made = campaign(tmp_path, sd=0.141)
    rows = noted(analyse(made).costs, resolution.of(made))
    claims = rows[
        rows["verdict"].isin(["better", "worse"]) & rows["quantity"].isin(["energy_j", "duration_s"])
    ]
    assert len(claims) == 2 and (claims["note"] != "").all()
    page = render(made).replace("\u202f", " ")
    assert "This machine resolves 13 % of energy and 8.9 % of time in 10 blocks" in page
    assert page.count("Below the 13 % that this machine resolves in 10 blocks.") >= 2  # sentence and table
    assert page.count("Below the 8.9 % that this machine resolves in 10 blocks.") >= 2


def test_a_report_of_what_is_resolved_has_no_note(tmp_path: Path) -> None:
    page = render(campaign(tmp_path, sd=0.002))
    assert "Below the" not in page and "This machine resolves" in page


def test_the_same_is_told_of_an_anonymous_copy(tmp_path: Path) -> None:
    made = campaign(tmp_path)
    with anonymised(made.folder) as folder:
        copy = store.load_campaign(folder)
        assert copy.record.machine["machine_id"] is None
        assert resolution.of(copy).words == resolution.of(made).words
