"""The section on prefill and decode: its numbers are the analysis', with intervals; absent where nothing generates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness.analysis.compare import geometric_mean
from harness.analysis.summary import analyse
from tests.campaigns import TEXT, Recipe, build
from tests.harness.analysis.test_serving import GENERATES
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of
from tests.reports.studies import Study

TABLE, BATCHES = "tokens-table-1", (1, 2, 8)
SHORT = replace(GENERATES, seconds=2.0, blocks=3)
DECODE = "decode_energy_j_per_generated_token"


def made(folder: Path, recipe: Recipe) -> Study:
    campaign = build(folder / "c", recipe)
    return analyse(campaign), campaign


@pytest.fixture(scope="module")
def over_batches(tmp_path_factory: pytest.TempPathFactory) -> Study:
    settings = tuple({"predict_batch_size": size} for size in BATCHES)
    return made(tmp_path_factory.mktemp("tokens"), replace(SHORT, settings=settings))


def test_each_cell_is_the_mean_of_its_runs_with_an_interval_around_it(over_batches: Study) -> None:
    section = section_of("tokens", *over_batches)
    assert section is not None
    page, runs = page_of(section), over_batches[0].counted
    for size in BATCHES:
        mine = runs[(runs["framework"] == "jax") & (runs["settings"] == f'{{"predict_batch_size": {size}}}')]
        cells = page.cells[TABLE][f"jax 0.10.2 predict_batch_size {size}"]
        for name in (DECODE, "prefill_energy_j_per_prompt_token", "first_token_s", "output_token_p95_s"):
            assert float(str(cells[name].value)) == pytest.approx(geometric_mean(mine[name]), rel=1e-12)
        assert (cells["padding"].text, cells["cache_bytes"].value) == ("0.200", str(float(3 << 20)))
        text = cells[DECODE].text.replace("\u202f", " ")
        mean, low, high = (
            float(one) for one in text.replace("mJ", "").strip(")").replace("–", "(").split("(")
        )
        assert low < mean < high


def test_energy_lies_over_latency_and_over_the_batch_a_mark_for_each_framework(over_batches: Study) -> None:
    section = section_of("tokens", *over_batches)
    assert section is not None
    panels = {title: panel for (_, title), panel in panels_of(section).items()}
    assert [title.partition(" against ")[2] for title in panels] == [
        "time per output token, median", "batch", "time to first token", "batch",
    ]  # fmt: skip
    (marks,) = numbers_in(panels["Decode energy per generated token against batch"])
    assert sorted(marks["x"]) == [1, 1, 2, 2, 8, 8] and set(marks["treatment"]) == {
        "torch 2.13.0",
        "jax 0.10.2",
    }
    (waits,) = numbers_in(panels["Decode energy per generated token against time per output token, median"])
    assert len(waits) == 6 and (waits["low"] < waits["y"]).all() and (waits["y"] < waits["high"]).all()
    jax, torch = (waits[waits["treatment"].str.startswith(name)]["x"].mean() for name in ("jax", "torch"))
    assert jax / torch == pytest.approx(0.8, rel=0.1)


def test_the_first_other_token_is_told_of_whoever_is_not_the_reference(tmp_path: Path) -> None:
    other = TEXT.copy()
    other[3, 9:] += 1
    section = section_of("tokens", *made(tmp_path, replace(SHORT, blocks=2, texts={"jax": other})))
    assert section is not None
    rows = page_of(section).cells[TABLE]
    assert rows["torch 2.13.0"][DECODE].value is None, "of two that part neither counts"
    assert rows["torch 2.13.0"]["first_apart"].text == "reference"
    assert rows["jax 0.10.2"]["first_apart"].value == "10.0"
    assert rows["jax 0.10.2"]["first_apart"].text.replace("\u202f", " ") == "10of 17, in 12.5 % of rows"


def test_a_framework_of_which_no_run_counts_says_so(tmp_path: Path) -> None:
    three = replace(SHORT, blocks=2, frameworks={"torch": 1.0, "tensorflow": 1.1, "jax": 0.8})
    section = section_of("tokens", *made(tmp_path, replace(three, texts={"jax": np.roll(TEXT, 1, 0)})))
    assert section is not None
    cell = page_of(section).cells[TABLE]["jax 0.10.2"][DECODE]
    assert cell.value is None and "no run counts" in page_of(section).text


def test_joules_of_two_kinds_have_no_chart(tmp_path: Path) -> None:
    section = section_of("tokens", *made(tmp_path, replace(SHORT, blocks=2, meters={"jax": "estimate"})))
    assert section is not None
    assert panels_of(section) == {}
    assert page_of(section).value(TABLE, "jax 0.10.2", DECODE) is not None


def test_a_campaign_that_generates_nothing_goes_without_it(tmp_path: Path) -> None:
    assert section_of("tokens", *made(tmp_path, Recipe(blocks=1))) is None
