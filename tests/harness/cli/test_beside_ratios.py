"""What stands beside a ratio: both costs, what its joules are, what was found in its runs, and who decided."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis.summary import analyse
from harness.records import Finding, Outcome
from harness.store import load_campaign
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
LOAD = Finding(severity="warning", code="foreign-load", message="2 CPUs were busy", advice="wait")
IDLE = Finding(severity="info", code="cool-down-unseen", message="nobody saw", advice="")
REGRESSION = 1
GATE = ("--reference", "torch", "--max-increase", "5%")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(
        frameworks={"torch": 1.0, "tensorflow": 1.3, "jax": 0.7}, blocks=4, meter="estimate",
        stages=("train", "infer"), run_findings=(LOAD, IDLE),
    )  # fmt: skip
    return build(tmp_path_factory.mktemp("c") / "campaign", recipe).folder


def rows_of(answer: Answer, form: str = "csv") -> pd.DataFrame:
    return pd.read_csv(io.StringIO(answer.out)) if form == "csv" else pd.DataFrame(json.loads(answer.out))


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize("command", [("compare",), ("gate",)])
def test_both_costs_stand_beside_each_ratio_of_a_program(
    suite: Suite, folder: Path, form: str, command: tuple[str, ...]
) -> None:
    more = GATE if command == ("gate",) else ()
    rows = rows_of(suite(*command, folder, *more, "--format", form), form)
    energy = rows[(rows["quantity"] == "energy_j") & (rows["treatment"] == "jax 0.10.2")]
    assert len(energy) == 2
    assert set(energy["unit"]) == {"J"} and set(energy["provenance"]) == {"estimated"}
    counted = analyse(load_campaign(folder)).counted
    for row in energy.to_dict("records"):
        mine = counted[(counted["treatment"] == "jax 0.10.2") & (counted["stage"] == row["stage"])]
        assert row["cost"] == pytest.approx(np.exp(np.log(mine["energy_j"]).mean()))
        assert row["cost"] / row["reference_cost"] == pytest.approx(row["ratio"])
        assert row["findings"] == "foreign-load"


def test_a_reader_sees_joules_and_seconds_and_what_they_are(suite: Suite, folder: Path) -> None:
    out = suite("compare", folder, "-s", "train").out
    energy = next(line for line in out.splitlines() if line.startswith("  energy_j"))
    assert energy.count(" J ") == 2
    assert "against torch 2.13.0 (joules ESTIMATED)" in out
    assert "warning: foreign-load: in 12 of the 12 runs compared, as: 2 CPUs were busy" in out
    assert "nobody saw" not in out
    assert out.splitlines()[-1] == "energy (ESTIMATED): 1 worse, 1 better; time: 1 worse, 1 better"


def test_a_gate_tells_which_ratios_decided(suite: Suite, folder: Path) -> None:
    answer = suite("gate", folder, *GATE)
    assert answer.code == REGRESSION
    *_, decided, outcome = answer.out.splitlines()
    assert decided.startswith(
        "decided by 2 of 4 ratios: energy_j of mnist_cnn train, tensorflow 2.21.0 against torch"
    )
    assert outcome == "regression: energy may rise by 5%"
    rows = rows_of(suite("gate", folder, *GATE, "--format", "csv"))
    assert list(rows["decided"]) == list(rows["outcome"] == "regression")
    passed = suite("gate", folder, *GATE, "-f", "jax")
    assert (passed.code, passed.out.splitlines()[-2][:26]) == (0, "decided by 2 of 2 ratios: ")


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_a_pull_request_gets_the_outcome_first_and_the_doubts_folded(
    suite: Suite, folder: Path, command: str
) -> None:
    out = suite(command, folder, *(GATE if command == "gate" else ()), "--format", "markdown").out
    lines = out.splitlines()
    assert lines[0].startswith(
        f"### suite {command}: {'regression' if command == 'gate' else 'energy (ESTIMATED)'}"
    )
    cells = [line for line in lines if line.startswith("| mnist\\_cnn train digits | tensorflow")]
    assert all("ESTIMATED" in line for line in cells if "energy\\_j " in line) and cells
    (energy,) = [
        number for number, line in enumerate(lines) if line.startswith("Energy is ESTIMATED from CPU")
    ]
    assert energy < lines.index("<details>")
    assert any(line.startswith("- warning: foreign-load: in ") for line in lines)


def test_what_is_left_out_changes_no_verdict(suite: Suite, folder: Path) -> None:
    everything = rows_of(suite("compare", folder, "--format", "csv"))
    some = rows_of(suite("compare", folder, "--format", "csv", "-f", "jax", "-s", "infer", "-w", "mnist_cnn"))
    of_it = everything[(everything["treatment"] == "jax 0.10.2") & (everything["stage"] == "infer")]
    pd.testing.assert_frame_equal(some, of_it.reset_index(drop=True))


def test_nothing_is_picked_by_a_gate_itself(refused: Callable[..., str], folder: Path) -> None:
    assert "a gate needs --reference" in refused("gate", folder, "--max-increase", "5%")
    assert "no ratio is of what -w, -f and -s name" in refused("compare", folder, "-f", "torch")
    assert "did you mean 'infer'?" in refused("gate", folder, *GATE, "-s", "infr")


@pytest.fixture(scope="module")
def unproven(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(frameworks={"torch": 1.0, "jax": 0.7}, blocks=4, proven=False)
    return build(tmp_path_factory.mktemp("u") / "campaign", recipe).folder


def test_a_verdict_that_is_withheld_is_so_in_every_form(suite: Suite, unproven: Path) -> None:
    """Markdown, which goes into pull requests, showed the bare ratios."""
    text, markdown = (suite("compare", unproven, "--format", form).out for form in ("text", "markdown"))
    rows = [line for line in markdown.splitlines() if line.startswith("| mnist")]
    assert rows and all(line.endswith("| no verdict |") for line in rows)
    for told in (text, markdown):
        assert "no verdict: " in told and "not-verified: no proof shows that jax 0.10.2" in told
    for form in ("csv", "json"):
        found = rows_of(suite("compare", unproven, "--format", form), form)
        assert found["verdict"].isna().all() and set(found["findings"]) == {"not-verified"}


def test_a_gate_that_shows_nothing_was_decided_by_nobody(suite: Suite, unproven: Path) -> None:
    out = suite("gate", unproven, *GATE).out
    assert "left open by 1 of 1 ratio: " in out and "decided" not in out
    assert "outcome" in out and "verdict" not in out.splitlines()[1]


def test_costs_whose_quotient_is_another_ratio_are_said_to_be_no_quotient(
    suite: Suite, tmp_path: Path
) -> None:
    told = "no quotient of costs"
    both = {"frameworks": {"torch": 1.0, "jax": 0.7}, "blocks": 4, "noise": 0.1}
    whole = build(tmp_path / "whole", Recipe(**both))
    lost = build(tmp_path / "lost", Recipe(**both, outcomes={("jax", 3): Outcome.INVALID}))
    for form in ("text", "markdown"):
        assert told not in suite("compare", whole.folder, "--format", form).out
        assert told in suite("compare", lost.folder, "--format", form).out
