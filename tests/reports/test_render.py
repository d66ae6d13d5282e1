"""The page says what the analysis says, to the last digit."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from harness.analysis.quantities import costed
from harness.analysis.summary import Analysis, analyse
from harness.records import Finding, Skipped, Treatment, Unavailable
from harness.store import Campaign
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.scrape import SENTENCE, Page

pytestmark = pytest.mark.unhurried


@pytest.fixture(scope="module")
def analysis(campaign: Campaign) -> Analysis:
    return analyse(campaign)


def same(shown: float | None, expected: float) -> bool:
    return shown is None if pd.isna(expected) else shown == expected


def test_every_cost_and_ratio_on_the_page_is_the_analysis(page: Page, analysis: Analysis) -> None:
    compared = 0
    for index, group in enumerate(analysis.groups, 1):
        for row in group.select(analysis.costs).itertuples():
            table = f"costs-stage-{index}" if row.quantity.startswith("stage_") else f"costs-whole-{index}"
            if group.stage == "infer" and row.quantity == "stage_energy_j_per_epoch":
                assert row.quantity not in page.cells[table][row.treatment]
                continue
            assert same(page.value(table, row.treatment, row.quantity), row.mean), (table, row)
            assert page.value(table, row.treatment, "runs") == row.runs
            if f"{row.quantity}-ratio" in page.cells[table][row.treatment]:
                assert same(page.value(table, row.treatment, f"{row.quantity}-ratio"), row.ratio), row
                verdicts = page.cells[f"verdict-table-{index}"]
                if row.treatment == row.reference:  # of itself it says nothing
                    assert row.treatment not in verdicts and len(verdicts) == 2
                else:
                    shown = page.value(f"verdict-table-{index}", row.treatment, row.quantity)
                    assert same(shown, row.ratio), row
            compared += 1
    assert compared == 2 * 3 * len(costed()) - 3  # inference has no cost per epoch


def test_every_phase_on_the_page_is_the_analysis(page: Page, analysis: Analysis) -> None:
    for index, group in enumerate(analysis.groups, 1):
        rows = group.select(analysis.parts)
        assert len(rows) >= 24
        for row in rows.itertuples():
            assert same(page.value(f"phases-energy_j-{index}", row.part, row.treatment), row.energy_j)
            assert same(page.value(f"phases-duration_s-{index}", row.part, row.treatment), row.duration_s)


def test_every_quality_on_the_page_is_the_analysis(page: Page, analysis: Analysis) -> None:
    train = analysis.groups[0]
    for row in train.select(analysis.finals).itertuples():
        assert page.value("quality-final-1", row.treatment, row.metric) == row.mean
    for row in train.select(analysis.epochs).itertuples():
        assert page.value("quality-epochs-1", f"{row.treatment} {row.epoch:.0f}", row.metric) == row.mean
    assert "quality-epochs-2" not in page.cells  # inference has no epochs


def test_every_run_is_a_row(page: Page, analysis: Analysis) -> None:
    assert set(page.cells["runs-table"]) == set(analysis.runs["run_id"])
    for row in analysis.runs.itertuples():
        for column in ("duration_s", "energy_j", "mean_power_w"):
            assert same(page.value("runs-table", row.run_id, column), getattr(row, column))
        assert page.cells["runs-table"][row.run_id]["outcome"].value == row.outcome
        assert page.cells["runs-table"][row.run_id]["exclusion"].text.strip() == row.exclusion
    assert set(page.cells["excluded"]) == set(analysis.excluded["run_id"])


def test_a_number_on_the_page_recomputed_from_the_raw_files_alone(page: Page, campaign: Campaign) -> None:
    joules = []
    for folder in sorted((campaign.folder / "runs").iterdir()):
        record = json.loads((folder / "run.json").read_text())
        planned, treatment = record["planned"], record["planned"]["treatment"]
        if (planned["purpose"], record["outcome"], treatment["framework"], treatment["stage"]) != (
            "measure",
            "ok",
            "keras",
            "train",
        ):
            continue
        rows = pq.read_table(folder / "samples.parquet").to_pandas()
        run_j = 0.0
        for channel in (one for one in record["channels"] if one["boundary"]):
            mine = rows[rows["channel"] == channel["name"]]
            grown = np.concatenate(([0.0], np.cumsum(np.diff(mine["value"]) % channel["wraps_at"])))
            run_j += float(np.diff(np.interp([record["go_ns"], record["done_ns"]], mine["t_ns"], grown))[0])
        joules.append(run_j)
    assert len(joules) == 3  # one of four failed
    shown = page.value("costs-whole-1", "keras 3.15.1", "energy_j")
    assert shown == pytest.approx(np.exp(np.mean(np.log(joules))), rel=1e-9)


@pytest.mark.parametrize("recipe", [Recipe(meter="estimate"), Recipe(meters={"tensorflow": "estimate"})])
def test_no_joule_or_watt_stands_without_its_provenance(tmp_path: Path, recipe: Recipe) -> None:
    page = Page(render(build(tmp_path / "c", recipe)))
    said, found = ("measured", "estimated", "mixed provenance"), 0
    for table in set(page.cells) - {"plan"}:  # the plan's watts are those of the power model
        heads = dict(zip(page.columns[table], page.headers[table], strict=True))
        for row in page.cells[table].values():
            words = " ".join(cell.text for cell in row.values())
            for column, cell in row.items():
                if re.search(r"\d\u202f[kMmµ]?[JW]\b", cell.text):
                    found += 1
                    assert any(word in heads[column] + words for word in said), (table, column, cell.text)
    assert found > 40


def test_the_text_of_a_number_is_its_value_rounded(page: Page) -> None:
    cell = page.cells["costs-whole-1"]["tensorflow 2.21.0"]["energy_j"]
    assert re.match(rf"^{float(str(cell.value)):.0f}\u202fJ", cell.text)


def test_the_first_lines_say_what_was_measured_and_how(page: Page) -> None:
    head = page.text[: page.text.index("All ratios", page.text.index("Skip") + 40)]
    for word in (
        "mnist_cnn (train and infer) on digits", "torch 2.13.0, tensorflow 2.21.0 and keras 3.15.1", "virtualenv",
        "4 repetitions", "Example CPU", "8 logical CPUs", "16.0\u202fGB",
        "measured by RAPL: cpu_package + dram",
        "20 runs count, 4 are excluded.",
    ):  # fmt: skip
        assert word in head, word


@pytest.mark.parametrize(
    ("meter", "words", "badge"),
    [
        ("rapl", "Energy is measured by RAPL: cpu_package + dram.", "measured"),
        (
            "estimate",
            "Energy is ESTIMATED from CPU time (10 W idle + 8 W per busy CPU), not measured.",
            "estimated",
        ),
        ("simulated", "Energy is SIMULATED: readings of an emulated RAPL meter", "simulated"),
        (None, "No energy was measured", ""),
    ],
)
def test_nobody_can_mistake_where_the_joules_come_from(
    tmp_path: Path, meter: str | None, words: str, badge: str
) -> None:
    page = Page(render(build(tmp_path / "c", Recipe(meter=meter))))
    assert words in page.text
    tables = ("verdict-table-1", "costs-whole-1", "costs-stage-1", "runs-table")
    heads = [head for table in tables for head in page.headers[table] if "Energy" in head or "power" in head]
    assert len(heads) == 11
    assert all(head.endswith(badge) for head in heads)


def test_mixed_joules_are_not_compared_and_each_says_what_it_is(tmp_path: Path) -> None:
    page = Page(render(build(tmp_path / "c", Recipe(meters={"tensorflow": "estimate"}))))
    assert "is not compared: estimated and measured energy are never compared." in page.text
    row = page.cells["costs-whole-1"]
    assert (
        "measured" in row["torch 2.13.0"]["energy_j"].text
        and "estimated" in row["tensorflow 2.21.0"]["energy_j"].text
    )
    assert row["tensorflow 2.21.0"]["energy_j-ratio"].value is None
    assert "worse" in page.cells["verdict-table-1"]["tensorflow 2.21.0"]["duration_s"].text
    titles = re.findall(r'panel-title">([^<]*)', page.html)
    assert titles and not any("nergy" in title for title in titles)  # no chart with both on one axis


@pytest.mark.parametrize(("blocks", "noise", "word", "caution"), [
    (1, 0.01, "inconclusive", "in the only block they share: an interval needs at least two"),
    (3, 0.005, "worse", "only 3 blocks"),
    (5, 0.5, "inconclusive", "too close to tell, which does not make them equal"),
    (8, 0.01, "worse", "; 8 blocks)"),
])  # fmt: skip
def test_the_verdict_in_words(tmp_path: Path, blocks: int, noise: float, word: str, caution: str) -> None:
    page = Page(render(build(tmp_path / "c", Recipe(blocks=blocks, noise=noise, seed=2)), reference="torch"))
    sentence = next(s for s in re.findall(SENTENCE, page.html, re.DOTALL) if "the time of torch" in s)
    assert f">{word}</span>" in sentence and caution in sentence


@pytest.mark.parametrize(
    ("margin", "word", "words"),
    [
        (0.02, "equivalent", "8 blocks): they differ by less than the margin of 2\u202f%."),
        (0.001, "worse", "8 blocks)."),
    ],
)
def test_equivalence_and_the_margin_in_words(tmp_path: Path, margin: float, word: str, words: str) -> None:
    recipe = Recipe(frameworks={"torch": 1.0, "tensorflow": 1.008}, blocks=8, noise=0.002)
    page = Page(render(build(tmp_path / "c", recipe), "torch", margin))
    sentence = next(s for s in re.findall(SENTENCE, page.html, re.DOTALL) if "the time of torch" in s)
    assert f">{word}</span>" in sentence and words in sentence
    assert f"within {100 * margin:g}\u202f% of 1" in page.text
    assert page.cells["verdict-table-1"]["tensorflow 2.21.0"]["duration_s"].text.count(word) == 1


def test_findings_skipped_treatments_and_missing_meters_are_told_with_their_remedy(tmp_path: Path) -> None:
    finding = Finding(code="hot", severity="warning", message="it was hot", advice="wait longer")
    skipped = Skipped(
        treatment=Treatment(
            workload="mnist_cnn", framework="sklearn", version="1.9.1", stage="train", dataset="digits"
        ),
        reason="it has no convolution",
    )
    lack = Unavailable(meter="nvml", reason="no GPU", remedy="plug one in")
    recipe = Recipe(blocks=2, run_findings=(finding, finding), findings=(finding.model_copy(update={"code": "c"}),),
                    skipped=(skipped,), unavailable=(lack,), unfinished=1)  # fmt: skip
    page = Page(render(build(tmp_path / "c", recipe)))
    assert page.cells["findings"]["hot"]["where"].text.strip() == "3 runs"
    assert page.cells["findings"]["hot"]["message"].text.strip() == "it was hot"
    assert page.cells["findings"]["c"]["where"].text.strip() == "campaign"
    assert "wait longer" in page.cells["findings"]["hot"]["advice"].text
    assert "it has no convolution" in page.cells["skipped"]["sklearn 1.9.1"]["reason"].text
    assert "plug one in" in page.cells["unavailable"]["nvml"]["remedy"].text
    assert len(page.cells["open"]) == 1
    assert "1 of the plan not carried out" in page.text


def test_provenance_names_seed_machine_versions_and_channels(page: Page) -> None:
    assert page.cells["plan"]["seed"]["value"].text.strip() == "1"
    assert page.cells["plan"]["data of digits"]["value"].text.strip() == "SHA-256 " + "ef" * 32
    assert page.cells["machine"]["kernel"]["value"].text.strip() == "6.8.0"
    channel = page.cells["channels"]["rapl/package-0"]
    assert [channel[key].text.strip() for key in ("unit", "kind", "scope", "provenance", "boundary", "wraps")] == [
        "J", "counter", "cpu_package", "measured", "yes", "262143 J",
    ]  # fmt: skip
    assert "numpy 2.4.6" in page.text and "ab" * 32 in page.text


def test_unknown_is_a_dash_with_its_reason_in_a_footnote(tmp_path: Path) -> None:
    page = Page(render(build(tmp_path / "c", Recipe(meter=None))))
    cell = page.cells["costs-whole-1"]["torch 2.13.0"]["energy_j"]
    assert cell.value is None and re.fullmatch(r"–note 1", cell.text.strip())
    assert "no energy channel on this machine" in page.text
