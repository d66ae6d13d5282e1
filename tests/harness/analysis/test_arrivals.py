"""Requests that arrive while others are answered: joules and waits of each run, against the raw files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness import store
from harness.analysis import quantities
from harness.analysis.summary import Analysis, analyse
from harness.analysis.tables import tables
from harness.records import StageRecord, TaskRecord
from tests.campaigns import build
from tests.harness.analysis.test_serving import CONTINUATION, GENERATES, joules, marked
from tests.harness.analysis.test_tables import events, rewrite

PASSES, REQUESTS, TOKENS = 3, 20, 700
UNITS = ("sample", "answer_token")
ANSWERS = replace(
    GENERATES, stages=("serve",), parts={"answer": 1.0}, passes=PASSES, batches=1, requests=REQUESTS,
    task=TaskRecord(
        metrics=(CONTINUATION,), units=UNITS,
        stages={"serve": StageRecord(metrics=("continuation",), units=UNITS, parts=("answer",))},
    ),
    units={"sample": PASSES * REQUESTS, "answer_token": TOKENS},
    work={"samples": PASSES * REQUESTS, "slot_steps": 1000, "idle_slot_steps": 250, "cache_bytes": 4096},
)  # fmt: skip


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> store.Campaign:
    return build(tmp_path_factory.mktemp("arrivals") / "c", ANSWERS)


@pytest.fixture(scope="module")
def analysis(campaign: store.Campaign) -> Analysis:
    return analyse(campaign)


def test_joules_are_those_of_all_passes_and_of_no_compiling(campaign: store.Campaign) -> None:
    for run, row in zip(campaign.runs, tables(campaign).runs.to_dict("records"), strict=True):
        spans = marked(run.folder, "answer")
        inside = joules(run.folder, [(spans[0][0], spans[-1][1])])  # with the moments between passes
        assert row["parts_energy_j"] == pytest.approx(inside, rel=1e-9)
        compiling = joules(run.folder, marked(run.folder, "compile"))
        assert row["stage_energy_j"] == pytest.approx(compiling + inside, rel=1e-9)
        assert row["parts_duration_s"] == pytest.approx((spans[-1][1] - spans[0][0]) / 1e9)
        assert 0 < row["parts_energy_uncertainty_j"] < row["stage_energy_uncertainty_j"]


def test_costs_are_per_request_and_per_token_of_an_answer(analysis: Analysis) -> None:
    for row in analysis.runs.to_dict("records"):
        assert row["energy_j_per_request"] == pytest.approx(row["parts_energy_j"] / (PASSES * REQUESTS))
        assert row["energy_j_per_answer_token"] == pytest.approx(row["parts_energy_j"] / TOKENS)
        assert row["requests_per_s"] == pytest.approx(PASSES * REQUESTS / row["parts_duration_s"])
        assert row["answer_tokens_per_s"] == pytest.approx(TOKENS / row["parts_duration_s"])
        assert (row["idle_slots"], row["cache_bytes"]) == (0.25, 4096)


def test_waits_are_of_all_requests_of_all_passes_from_their_arrival(tmp_path: Path) -> None:
    folder = build(tmp_path / "c", replace(ANSWERS, blocks=1)).runs[0].folder
    generator, told = np.random.default_rng(1), []
    for one in (one for one in events(folder) if one["kind"] == "requests"):
        first = generator.integers(1_000, 1_000_000, REQUESTS)
        last = first + generator.integers(1_000, 5_000_000, REQUESTS)
        told.append((first, last))
        for name, waited in (("first_token_ns", first), ("last_token_ns", last)):
            one[name] = (np.array(one["arrived_ns"]) + waited).tolist()
        rewrite(
            folder,
            [one if e["kind"] == "requests" and e["t_ns"] == one["t_ns"] else e for e in events(folder)],
        )
    row = tables(store.load_campaign(tmp_path / "c")).runs.iloc[0]
    first, last = (np.concatenate([each[n] for each in told]) / 1e9 for n in (0, 1))
    assert row["request_s"] == pytest.approx(np.median(last))
    assert row["request_p95_s"] == pytest.approx(np.quantile(last, 0.95))
    assert row["request_first_token_s"] == pytest.approx(np.median(first))
    assert row["request_first_token_p95_s"] == pytest.approx(np.quantile(first, 0.95))


def test_stamps_in_no_order_leave_waits_unknown_and_joules_known(tmp_path: Path) -> None:
    folder = build(tmp_path / "c", replace(ANSWERS, blocks=1)).runs[0].folder
    turned = [
        {**one, "arrived_ns": one["last_token_ns"]} if one["kind"] == "requests" else one
        for one in events(folder)
    ]
    rewrite(folder, turned)
    row = tables(store.load_campaign(tmp_path / "c")).runs.iloc[0]
    assert row[["request_s", "request_first_token_p95_s"]].isna().all() and row["parts_energy_j"] > 0


def test_each_is_compared_but_what_no_framework_changes(analysis: Analysis) -> None:
    costs = analysis.costs[analysis.costs["treatment"].str.startswith("jax")].set_index("quantity")
    for one in quantities.ARRIVING:
        wanted = 1.25 if one.name.endswith("_per_s") else 0.8
        assert not one.compared or costs.loc[one.name, "ratio"] == pytest.approx(wanted, rel=0.1), one.name
    assert "stage_energy_j_per_answer_token" not in costs.index
    assert not set(costs.index) & {"first_token_s", "prefill_energy_j_per_prompt_token"}
