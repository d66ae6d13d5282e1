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
from harness.records import Finding
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
