"""Tables of a campaign, read back by other programs than the one that wrote them."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from harness.analysis.summary import Analysis, analyse
from harness.analysis.tables import RUN_COLUMNS, tables
from harness.exports.frames import ENCODINGS, as_csv, as_json, as_parquet, frames
from harness.records import Outcome
from harness.store import Campaign
from tests.campaigns import Recipe, build

UNITS = ("_j", "_s", "_w", "_ns", "_bytes", "_js", "_per_kj")
REASON = 'a "b",\nc'


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    recipe = Recipe(blocks=2, outcomes={("torch", 1): Outcome.FAILED}, reason=REASON)
    return build(tmp_path_factory.mktemp("frames") / "c", recipe)


@pytest.fixture(scope="module")
def analysis(campaign: Campaign) -> Analysis:
    return analyse(campaign)


def test_floats_read_back_exactly_and_unknown_is_an_empty_cell(
    campaign: Campaign, analysis: Analysis
) -> None:
    text = as_csv(frames(campaign, analysis))["runs.csv"].decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    frame = tables(campaign).runs
    assert list(rows[0]) == RUN_COLUMNS and len(rows) == len(frame) == 4
    for row, (_, run) in zip(rows, frame.iterrows(), strict=True):
        assert (row["run_id"], row["outcome"]) == (run["run_id"], run["outcome"])
        if run["outcome"] == "failed":
            assert (row["duration_s"], row["energy_j"], row["samples"], row["quality"]) == ("", "", "", "")
            assert row["reason"] == REASON
        else:
            assert float(row["energy_j"]) == run["energy_j"] and float(row["duration_s"]) == run["duration_s"]
            assert (row["samples"], row["memory_peak_bytes"]) == ("4311", f"{run['memory_peak_bytes']:.0f}")
            assert (row["provenance"], row["quality_metric"]) == ("measured", "accuracy")


def test_every_form_holds_the_same_tables(campaign: Campaign, analysis: Analysis) -> None:
    found = frames(campaign, analysis)
    rows = json.loads(as_json(found)["tables.json"])
    packed = as_parquet(found)
    assert set(rows) == set(found) == {"runs", "phases", "epochs", "costs"}
    for name, frame in found.items():
        assert len(frame) > 0
        table = pq.read_table(io.BytesIO(packed[f"{name}.parquet"])).to_pylist()
        assert table == rows[name]
    energies = [row["mean"] for row in rows["costs"] if row["quantity"] == "energy_j"]
    assert energies == list(analysis.costs.query("quantity == 'energy_j'")["mean"])


def test_a_column_of_a_dimension_names_its_unit(campaign: Campaign, analysis: Analysis) -> None:
    for frame in frames(campaign, analysis).values():
        for name in frame.columns:
            if re.search("energy|power|duration|memory|delay", name) and not re.search(
                "reason|boundary", name
            ):
                assert name.endswith(UNITS), name
    quantities = set(analysis.costs["quantity"]) - {"quality"}
    assert all(name.endswith(UNITS) or "_j_per_" in name for name in quantities)


@pytest.mark.parametrize("form", ENCODINGS)
def test_the_same_campaign_gives_the_same_bytes(form: str, campaign: Campaign, analysis: Analysis) -> None:
    once, again = (ENCODINGS[form](frames(campaign, analysis)) for _ in range(2))
    assert once == again


@pytest.mark.parametrize("recipe", [Recipe(blocks=0), Recipe(frameworks={})])
def test_a_campaign_without_runs_is_headers_and_empty_lists(tmp_path: Path, recipe: Recipe) -> None:
    campaign = build(tmp_path / "c", recipe)
    found = frames(campaign, analyse(campaign))
    assert as_csv(found)["runs.csv"].decode() == ",".join(RUN_COLUMNS) + "\n"
    assert json.loads(as_json(found)["tables.json"])["phases"] == []
    assert pq.read_table(io.BytesIO(as_parquet(found)["runs.parquet"])).column_names == RUN_COLUMNS


def test_a_loss_that_grew_beyond_numbers_is_null_in_json(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    found = frames(campaign, analyse(campaign))
    endless = {**found, "epochs": found["epochs"].assign(loss=float("inf"))}
    assert {row["loss"] for row in json.loads(as_json(endless)["tables.json"])["epochs"]} == {None}
    assert b",inf," in as_csv(endless)["epochs.csv"]
