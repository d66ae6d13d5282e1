"""One row of the registry, one metric of a task or one unit of work is everywhere by itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis import quantities
from harness.analysis.arrivals import ANSWERED
from harness.analysis.families import families
from harness.analysis.points import points
from harness.analysis.quantity import Quantity
from harness.analysis.serving import SERVED
from harness.analysis.summary import analyse
from harness.analysis.tables import EPOCH_COLUMNS, RUN_COLUMNS, tables
from harness.records import MetricRecord, TaskRecord
from harness.store import load_campaign
from reports.sections import tradeoffs
from suite.task import Direction
from tests.campaigns import Recipe, build
from tests.harness.analysis.test_arrivals import ANSWERS
from tests.harness.analysis.test_serving import GENERATES
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
QUEUE = Quantity("queue_s", "Time in the queue", "s", told=quantities.from_event("facts", "queue_s"))
DISTANCE = MetricRecord(name="distance", title="edit distance", direction=Direction.LOWER, unit="edits")
BLEU = MetricRecord(name="bleu", title="BLEU")
TRANSLATION = Recipe(
    frameworks={"torch": 1.0, "jax": 0.8}, blocks=7, workload="reverse_words", epochs=2,
    task=TaskRecord(metrics=(DISTANCE, BLEU), units=("sample", "token")),
    qualities={"distance": 2.0, "bleu": 11.0}, units={"sample": 2874, "token": 60_000}, told={"queue_s": 0.25},
)  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign of a workload that this checkout does not have."""
    folder = tmp_path_factory.mktemp("quantities") / "c"
    build(folder, TRANSLATION)
    return folder


@pytest.fixture
def folder(stored: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(stored, tmp_path / "c"))


def test_one_row_is_in_compare_gate_report_exports_and_latex(
    folder: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quantities, "QUANTITIES", (*quantities.QUANTITIES, QUEUE))
    rows = json.loads(suite("compare", folder, "--format", "json").out)
    assert [row["ratio"] for row in rows if row["quantity"] == "queue_s"] == [1.0]
    gate = suite("gate", folder, "--reference", "torch", "--max-increase", "5%", "--quantity", "queue_s")
    assert "queue_s may rise by 5%" in gate.out
    assert suite("report", folder).code == 0
    assert "Time in the queue" in (folder / "report.html").read_text()
    for form in ("csv", "latex"):
        assert suite("export", folder, "--format", form).code == 0
    assert set(pd.read_csv(folder / "runs.csv")["queue_s"]) == {0.25}
    assert "queue_s" in set(pd.read_csv(folder / "costs.csv")["quantity"])
    assert "Time in the queue" in (folder / "costs.tex").read_text()


def test_a_unit_of_work_has_joules_and_a_rate_of_its_own(folder: Path, suite: Suite) -> None:
    suite("export", folder)
    runs, costs = pd.read_csv(folder / "runs.csv"), pd.read_csv(folder / "costs.csv")
    assert list(runs.columns) == [*RUN_COLUMNS, "units_token"] and set(runs["units_token"]) == {60_000}
    mean = costs[costs["treatment"].str.startswith("torch")].set_index("quantity")["mean"]
    assert mean["stage_energy_j_per_token"] == pytest.approx(mean["stage_energy_j"] / 60_000)
    assert mean["stage_tokens_per_s"] == pytest.approx(60_000 / mean["stage_duration_s"])
    suite("export", folder, "--format", "latex")
    assert "Energy per token" in (folder / "costs.tex").read_text()


def test_joules_of_a_token_and_its_time_are_in_compare_gate_and_exports(tmp_path: Path, suite: Suite) -> None:
    folder = build(tmp_path / "c", GENERATES).folder
    told = {row["quantity"]: row for row in json.loads(suite("compare", folder, "--format", "json").out)}
    for one in (each for each in quantities.SERVING if each.compared):
        assert told[one.name]["ratio"] == pytest.approx(
            1.25 if one.direction is Direction.HIGHER else 0.8, rel=0.1
        )
    for short in ("generated-token", "first-token"):
        gate = suite("gate", folder, "--reference", "torch", "--max-increase", "5%", "--quantity", short)
        assert (
            gate.code == 3 and "may rise by 5%" in gate.out
        )  # nobody has proven a workload that is not there
    suite("export", folder)
    runs, costs = pd.read_csv(folder / "runs.csv"), pd.read_csv(folder / "costs.csv")
    assert {*SERVED} < set(runs.columns) and runs["decode_energy_j"].notna().all()
    assert {one.name for one in quantities.SERVING} < set(costs["quantity"])


def test_joules_of_a_request_and_its_latency_are_in_compare_gate_and_exports(
    tmp_path: Path, suite: Suite
) -> None:
    folder = build(tmp_path / "c", replace(ANSWERS, blocks=3)).folder
    told = {row["quantity"]: row for row in json.loads(suite("compare", folder, "--format", "json").out)}
    assert {one.name for one in quantities.ARRIVING if one.compared} < set(told)
    for short in ("request", "answer-token", "latency", "request-first-token"):
        gate = suite("gate", folder, "--reference", "torch", "--max-increase", "5%", "--quantity", short)
        assert gate.code == 3 and "may rise by 5%" in gate.out
    suite("export", folder)
    runs, costs = pd.read_csv(folder / "runs.csv"), pd.read_csv(folder / "costs.csv")
    assert {*ANSWERED} < set(runs.columns) and runs["request_p95_s"].notna().all()
    assert {one.name for one in quantities.ARRIVING} < set(costs["quantity"])


def test_more_of_a_rate_is_better_and_a_gate_asks_whether_it_fell(tmp_path: Path, suite: Suite) -> None:
    folder = build(tmp_path / "c", replace(TRANSLATION, workload="mnist_cnn")).folder  # whose work is proven
    rows = json.loads(suite("compare", folder, "--format", "json").out)
    verdicts = {row["quantity"]: row["verdict"] for row in rows}
    assert verdicts["stage_duration_s"] == verdicts["stage_tokens_per_s"] == "better"  # by 1.25 times as many
    gate = ("gate", folder, "--max-increase", "10%", "--quantity", "stage_tokens_per_s", "--reference")
    passed, fell = (suite(*gate, reference) for reference in ("torch", "jax"))
    assert passed.code == 0 and fell.code == 1
    assert passed.out.rstrip().endswith("pass: stage_tokens_per_s may fall by 9.09%")  # to 1 of 1.1


def test_a_gate_says_how_far_down_a_rate_may_reach(tmp_path: Path, suite: Suite) -> None:
    near = replace(TRANSLATION, workload="mnist_cnn", frameworks={"torch": 1.0, "jax": 1.08}, noise=0.05)
    folder = build(tmp_path / "c", near).folder
    gate = (
        "gate",
        folder,
        "--max-increase",
        "9%",
        "--quantity",
        "stage_tokens_per_s",
        "--reference",
        "torch",
    )
    answer = suite(*gate)
    assert answer.code == 3
    assert "its interval reaches to 0." in answer.out


def test_a_rate_that_no_run_told_is_no_evidence(folder: Path, suite: Suite) -> None:
    asked = ("--max-increase", "10%", "--quantity", "stage_pages_per_s", "--reference", "torch")
    answer = suite("gate", folder, *asked)
    assert answer.code == 3 and "no stage_pages_per_s was read" in answer.out
    assert suite("statistics", folder, "--quantity", "stage_pages_per_s").code == 2


def test_a_metric_is_carried_with_its_title_unit_and_direction(folder: Path, suite: Suite) -> None:
    campaign = load_campaign(folder)
    epochs = tables(campaign).epochs
    assert list(epochs.columns) == [*EPOCH_COLUMNS[:7], "distance", "bleu", *EPOCH_COLUMNS[7:]]
    found = analyse(campaign)
    assert {"distance", "bleu"} == set(found.finals["metric"])
    best = found.costs[found.costs["best"] & (found.costs["quantity"] == "quality")]
    assert best.empty  # all alike
    assert "quality_per_kj" not in set(found.costs["quantity"])
    suite("report", folder)
    page = (folder / "report.html").read_text()
    assert "Edit distance" in page and "BLEU" in page


def test_the_front_of_what_should_be_little_lies_down_and_left(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", replace(TRANSLATION, workload="mnist_cnn"))
    found = analyse(campaign)
    (alike,) = tradeoffs.view(found, campaign)["blocks"]
    assert alike.figure is None and "No front is drawn: all reached the same edit distance" in str(
        alike.sentences
    )
    table = found.costs.copy()
    dear = (table["quantity"] == "quality") & table["treatment"].str.startswith("torch")
    table["mean"] = table["mean"].mask(dear, 1.0)
    (apart,) = tradeoffs.view(replace(found, costs=table), campaign)["blocks"]
    assert "Down and left is better" in apart.figure.caption
    assert "Energy to edit distance" in str(apart.tables)


def test_less_of_what_should_be_little_is_on_the_front(folder: Path) -> None:
    found = analyse(load_campaign(folder))
    (family,) = families(found.groups)
    table = found.costs.copy()
    dear = (table["quantity"] == "quality") & table["treatment"].str.startswith("torch")
    table["mean"] = table["mean"].mask(dear, 1.0)  # fewer edits for more joules
    assert points(table, family, Direction.LOWER)["front"].tolist() == [True, True]
    assert points(table, family, Direction.HIGHER)["front"].tolist() == [False, True]


def test_a_worker_s_metrics_name_no_column_of_ours(tmp_path: Path) -> None:
    odd = {"run_id": 1.0, "energy_j": 2.0, **{f"m{i}": 1.0 for i in range(60)}}
    found = tables(build(tmp_path / "c", Recipe(blocks=1, qualities=odd))).epochs
    assert set(found["run_id"].str[:3]) == {"001"} and (found["energy_j"] != 2.0).all()
    assert not found.columns.duplicated().any()


def test_a_campaign_that_keeps_no_task_has_that_of_the_checkout(tmp_path: Path) -> None:
    found = analyse(build(tmp_path / "c", Recipe(blocks=1)))
    task = found.tasks.task("mnist_cnn")
    assert [one.name for one in task.metrics] == ["accuracy", "precision", "recall", "f1"]
    assert task.units == ("sample",)
    assert list(found.raw.runs.columns) == RUN_COLUMNS and list(found.raw.epochs.columns) == EPOCH_COLUMNS


def test_a_run_that_tells_no_tokens_of_a_task_that_counts_them_does_not_count(tmp_path: Path) -> None:
    found = tables(build(tmp_path / "c", replace(TRANSLATION, blocks=1, units={"sample": 2874})))
    assert set(found.runs["outcome"]) == {"invalid"} and found.runs["reason"].str.contains("tokens").all()
