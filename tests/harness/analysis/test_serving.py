"""Prefill and decode of stage generate: joules and seconds of each by itself, against the raw files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness import store
from harness.analysis import quantities
from harness.analysis.summary import Analysis, analyse
from harness.analysis.tables import RUN_COLUMNS, tables
from harness.records import MetricRecord, StageRecord, TaskRecord
from tests.campaigns import MOMENT_NS, Recipe, build
from tests.harness.analysis.test_tables import energy_from_scratch, events, rewrite

REQUESTS, PROMPT, LATER, PASSES, BATCHES = 8, 32, 16, 2, 4  # tokens that are made after the first one
PADDED = 2  # rows of a pass, which is more than the requests fill
CONTINUATION = MetricRecord(name="continuation", title="continuation")
UNITS = ("sample", "prompt_token", "generated_token")
TASK = TaskRecord(
    metrics=(CONTINUATION,), units=UNITS,
    stages={"generate": StageRecord(metrics=("continuation",), units=UNITS, parts=("prefill", "decode"))},
)  # fmt: skip
GENERATES = Recipe(
    frameworks={"torch": 1.0, "jax": 0.8}, blocks=4, workload="reverse_words", stages=("generate",), seconds=8.0,
    ripple=0.05, task=TASK, parts={"prefill": 0.25, "decode": 0.75}, passes=PASSES, batches=BATCHES,
    qualities={"continuation": 0.1},
    units={"sample": PASSES * REQUESTS, "prompt_token": PASSES * REQUESTS * PROMPT,
           "generated_token": PASSES * REQUESTS * LATER},
    work={"samples": PASSES * REQUESTS, "padding_tokens": PASSES * PADDED * PROMPT, "cache_bytes": 3 << 20},
)  # fmt: skip


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> store.Campaign:
    return build(tmp_path_factory.mktemp("serving") / "c", GENERATES)


@pytest.fixture(scope="module")
def analysis(campaign: store.Campaign) -> Analysis:
    return analyse(campaign)


def marked(folder: Path, name: str) -> list[tuple[int, int]]:
    told = [one["t_ns"] for one in events(folder) if one["kind"] == "phase" and one["name"] == name]
    return list(zip(told[::2], told[1::2], strict=True))


def windows(folder: Path, name: str) -> list[tuple[int, int]]:
    """Of each pass the first batch's beginning and the last one's end."""
    spans = marked(folder, name)
    assert len(spans) == PASSES * BATCHES
    return [(spans[first][0], spans[first + BATCHES - 1][1]) for first in range(0, len(spans), BATCHES)]


def joules(folder: Path, spans: list[tuple[int, int]]) -> float:
    return sum(energy_from_scratch(folder, *one) for one in spans)


def rows(campaign: store.Campaign) -> list[tuple[Path, dict[str, Any]]]:
    runs = tables(campaign).runs.to_dict("records")
    return [(run.folder, dict(row)) for run, row in zip(campaign.runs, runs, strict=True)]


def test_each_part_has_the_joules_of_its_own_windows_the_last_batch_s_too(campaign: store.Campaign) -> None:
    for folder, row in rows(campaign):
        for name in ("prefill", "decode"):
            assert row[f"{name}_energy_j"] == pytest.approx(joules(folder, windows(folder, name)), rel=1e-9)
        assert row["decode_energy_j"] == pytest.approx(3 * row["prefill_energy_j"], rel=0.15)


def test_padding_and_the_cache_are_as_runs_tell_them(
    campaign: store.Campaign, analysis: Analysis, tmp_path: Path
) -> None:
    for _, row in rows(campaign):
        assert (row["padding"], row["cache_bytes"]) == (PADDED / (PADDED + REQUESTS), 3 << 20)
    costs = analysis.costs[analysis.costs["quantity"].isin(["padding", "cache_bytes"])]
    assert set(costs["mean"].round(9)) == {0.2, 3 << 20}
    silent = build(tmp_path / "c", replace(GENERATES, blocks=1, work={"samples": PASSES * REQUESTS}))
    assert all(row["padding"] != row["padding"] for _, row in rows(silent))  # not 0


def test_the_stage_is_its_parts_and_compiling(campaign: store.Campaign) -> None:
    for folder, row in rows(campaign):
        compiling = joules(folder, marked(folder, "compile"))
        both = row["prefill_energy_j"] + row["decode_energy_j"]
        assert row["parts_energy_j"] == pytest.approx(both, rel=1e-12)
        assert row["stage_energy_j"] == pytest.approx(compiling + row["parts_energy_j"], rel=1e-12)
        assert row["stage_energy_j"] < 0.8 * row["energy_j"]


def test_a_part_is_as_unsure_as_its_outer_borders(campaign: store.Campaign) -> None:
    """Adding up the batches, each with two borders of its own, would tell twice as much of four of them."""
    found = tables(campaign)
    for (_, row), run in zip(rows(campaign), campaign.runs, strict=True):
        phases = found.phases[found.phases["run_id"] == run.record.planned.run_id]
        for name in ("prefill", "decode"):
            blindly = np.sqrt((phases.loc[phases["phase"] == name, "energy_uncertainty_j"] ** 2).sum())
            assert 0.25 * blindly < row[f"{name}_energy_uncertainty_j"] < 0.85 * blindly
        apart = np.hypot(row["prefill_energy_uncertainty_j"], row["decode_energy_uncertainty_j"])
        assert 0 < row["parts_energy_uncertainty_j"] < apart
        compiling = phases.loc[phases["phase"] == "compile", "energy_uncertainty_j"].item()
        whole = np.hypot(compiling, row["parts_energy_uncertainty_j"])
        assert row["stage_energy_uncertainty_j"] == pytest.approx(whole, rel=1e-12)


def test_tokens_are_those_that_the_part_took_or_made(analysis: Analysis) -> None:
    for row in analysis.runs.to_dict("records"):
        requests = PASSES * REQUESTS
        wanted = {
            "prefill_energy_j_per_prompt_token": row["prefill_energy_j"] / (requests * PROMPT),
            "decode_energy_j_per_generated_token": row["decode_energy_j"] / (requests * LATER),
            "energy_j_per_request": (row["prefill_energy_j"] + row["decode_energy_j"]) / requests,
            "prefill_tokens_per_s": requests * PROMPT / row["prefill_duration_s"],
            "decode_tokens_per_s": requests * LATER / row["decode_duration_s"],
        }
        assert {name: row[name] for name in wanted} == pytest.approx(wanted, rel=1e-12)


def test_latencies_are_those_of_a_batch(campaign: store.Campaign) -> None:
    for folder, row in rows(campaign):
        first, later = (np.diff(marked(folder, name)).ravel() / 1e9 for name in ("prefill", "decode"))
        assert row["first_token_s"] == pytest.approx(first.mean())
        assert row["output_token_s"] == pytest.approx(np.median(later) / LATER)
        assert row["output_token_p95_s"] == pytest.approx(np.quantile(later, 0.95) / LATER)
        assert row["output_token_s"] < row["output_token_p95_s"] < row["first_token_s"]


def test_nothing_is_told_of_all_the_stage_s_joules_per_token_of_one_part(analysis: Analysis) -> None:
    told = set(analysis.costs["quantity"])
    assert {one.name for one in quantities.SERVING} <= told
    assert not told & {"stage_energy_j_per_prompt_token", "stage_generated_tokens_per_s"}


def test_a_ratio_of_tokens_has_an_interval_and_says_what_measuring_leaves_unsure(analysis: Analysis) -> None:
    costs = analysis.costs[analysis.costs["treatment"].str.startswith("jax")].set_index("quantity")
    for name, ratio in (("decode_energy_j_per_generated_token", 0.8), ("decode_tokens_per_s", 1.25)):
        row = costs.loc[name]
        assert row["low"] < row["ratio"] < row["high"] and row["ratio"] == pytest.approx(ratio, rel=0.1)
    assert costs.loc["decode_energy_j_per_generated_token", "measured"] > 0


def test_a_part_without_its_energy_leaves_the_other_known_and_the_stage_unknown(tmp_path: Path) -> None:
    folder = build(tmp_path / "c", replace(GENERATES, blocks=1)).runs[0].folder
    rewrite(folder, [one for one in events(folder) if one.get("name") != "decode"])
    row = tables(store.load_campaign(tmp_path / "c")).runs.iloc[0]
    assert row["prefill_energy_j"] > 0
    assert row[["decode_energy_j", "output_token_s"]].isna().all()
    assert np.isnan(row["parts_energy_uncertainty_j"])


def test_moments_between_batches_are_in_the_part(campaign: store.Campaign) -> None:
    folder, row = rows(campaign)[0]
    inside = np.diff(marked(folder, "decode")).sum() / 1e9
    between = PASSES * (BATCHES - 1) * MOMENT_NS / 1e9
    assert row["decode_duration_s"] == pytest.approx(inside + between, abs=1e-9)


def test_a_campaign_without_such_parts_has_none_of_these_columns(tmp_path: Path) -> None:
    found = analyse(build(tmp_path / "c", Recipe(blocks=1)))
    assert list(found.raw.runs.columns) == RUN_COLUMNS
    assert not {one.name for one in quantities.SERVING} & set(found.costs["quantity"])
