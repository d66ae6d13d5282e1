"""No output prints a verdict beside a finding that voids it: not the page, no table, no export, no screen."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from harness.analysis.summary import analyse
from harness.cli import ratios_told, statistics, summary_told
from harness.conformance.kept_proofs import CERTIFICATE_FILE
from harness.exports.frames import as_csv, as_json, frames
from harness.findings.codes import Severity
from harness.records import IMPORTED, Finding
from harness.store import Campaign
from reports.contents import sections_of
from reports.latex import latex
from reports.render import render
from tests.campaigns import VERSIONS, Recipe, build

JUDGED = r'class="mark mark-(better|worse|equivalent|inconclusive|lowest|highest|on-it)"'
WORDS = r"\b(better|worse|equivalent|inconclusive)\b"
RECIPE = {"frameworks": {"torch": 1.0, "tensorflow": 1.3, "jax": 1.6}, "blocks": 6}
SETTINGS = ({"batch_size": 32}, {"batch_size": 64})


def campaign(folder: Path, **more: object) -> Campaign:
    return build(folder / "c", Recipe(**{**RECIPE, **more}))  # type: ignore[arg-type]


VOIDING = pytest.mark.parametrize(
    "more",
    [
        {"proven": False},
        {
            "findings": (
                Finding(
                    code="computed-otherwise", severity=Severity.WARNING, message="other steps", advice=""
                ),
            )
        },
    ],
)


@VOIDING
def test_the_page_has_the_ratios_the_reasons_and_no_verdict(tmp_path: Path, more: dict[str, object]) -> None:
    found = campaign(tmp_path, settings=SETTINGS, **more)
    page = render(found)
    assert re.findall(JUDGED, page) == []
    assert "costs least of all" not in page and "may each cost least" not in page
    assert 'class="mark mark-no-verdict"' in page
    assert 'Verdicts are withheld: <a href="#works">each workload</a> says which, and why.' in page
    assert 'id="works"' in page
    assert "× the energy of torch 2.13.0 without a verdict: " in page and "No trade-off: " in page


def test_no_test_of_all_treatments_has_one_whose_verdict_is_withheld(tmp_path: Path) -> None:
    """jax alone is not proven: the others keep their own tests."""
    found = campaign(tmp_path)
    assert "Friedman over 6 blocks" in render(found)
    path = found.folder / CERTIFICATE_FILE
    path.write_text(path.read_text().replace(VERSIONS["jax"], "0.9.0"))
    page = render(found)
    assert "Friedman over" not in page and "worse" in re.findall(JUDGED, page)


def test_the_page_of_a_proven_campaign_has_its_verdicts(tmp_path: Path) -> None:
    page = render(campaign(tmp_path))
    assert {"worse", "lowest", "on-it"} <= set(re.findall(JUDGED, page))
    assert "Verdicts are withheld" not in page


def test_imported_runs_are_labelled_as_unproven_beside_their_verdicts(tmp_path: Path) -> None:
    page = render(campaign(tmp_path, proven=False, isolation=IMPORTED))
    assert "worse" in re.findall(JUDGED, page)
    assert (
        "That imported runs did the same work is their authors&#39; word: nobody can prove it here." in page
    )


def test_a_chart_of_ratios_has_no_interval_where_there_is_no_verdict(tmp_path: Path) -> None:
    def bars(found: Campaign) -> set[bool]:
        sections = [one for one in sections_of(analyse(found), found) if one.name in ("overview", "verdict")]
        figures = [one for part in sections for _, one in part.figures]
        specs = json.dumps([panel.drawing.spec for figure in figures for panel in figure.panels])
        return {
            "low" in one
            for one in re.findall(r'\{[^{}]*"ratio": 1\.[1-9][^{}]*\}', specs)
            if '"low": null' not in one
        }

    assert bars(campaign(tmp_path / "proven")) == {True}
    assert bars(campaign(tmp_path / "unproven", proven=False)) == set()


@VOIDING
def test_no_export_has_a_verdict_and_each_has_the_reason(tmp_path: Path, more: dict[str, object]) -> None:
    found = campaign(tmp_path, **more)
    analysis = analyse(found)
    rows = json.loads(as_json(frames(found, analysis))["tables.json"])["costs"]
    assert {row["verdict"] for row in rows} == {None, "reference"}
    assert not any(row["best"] for row in rows)
    assert re.findall(WORDS, as_csv(frames(found, analysis))["costs.csv"].decode()) == []
    tables = [table for one in sections_of(analysis, found) if one.name == "costs" for _, table in one.tables]
    assert "no verdict: " in latex(tables, "joules")


@pytest.mark.parametrize(("proven", "told"), [(True, True), (False, False)])
def test_suite_statistics_tests_nothing_that_has_no_verdict(tmp_path: Path, proven: bool, told: bool) -> None:
    folder = campaign(tmp_path, proven=proven).folder
    asked = CliRunner().invoke(statistics.command, [str(folder), "--format", "csv"])
    rows = pd.read_csv(io.StringIO(asked.output))
    assert bool(rows["p"].notna().any()) is told
    words = CliRunner().invoke(statistics.command, [str(folder)]).output
    assert ("Friedman" in words or "friedman" in words) is told


@VOIDING
def test_the_first_screen_and_compare_say_why_there_is_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: dict[str, object]
) -> None:
    found = campaign(tmp_path, **more)
    summary_told.print_summary(found)
    first = capsys.readouterr()
    assert "no verdict: " in first.out + first.err
    rows: pd.DataFrame = analyse(found).costs
    ratios_told.print_ratios(rows[(rows["quantity"] == "energy_j") & (rows["verdict"] != "reference")])
    told = capsys.readouterr()
    assert "no verdict: " in told.out + told.err and not re.findall(WORDS, told.out + told.err)
