"""Drift, an idle machine that changed, and unequal work are found in the runs together, and only where they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from harness.analysis import campaign_findings, equal_work

BLOCKS = 10


def frame(**columns: object) -> pd.DataFrame:
    """Two frameworks, a run in each block, evenly measured but for what a test changes."""
    draw = np.random.default_rng(1)
    rows = [
        {
            "workload": "w", "dataset": "d", "stage": "train", "device": "cpu", "settings": "{}",
            "framework": name, "version": "1", "block": block, "position": 2 * block + place,
            "energy_j": draw.normal(100, 1), "duration_s": draw.normal(10, 0.1), "idle_power_w": 50.0,
            "samples": 6000, "steps": 60, "parameters": 10, "flops_per_step": 1000, "data_bytes": 80,
        }
        for block in range(BLOCKS)
        for place, name in enumerate(("torch", "jax"))
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(**columns)


def before(idle_w: float = 50.0, energy_j: float = 100.0, duration_s: float = 5.0) -> pd.DataFrame:
    """The machine before each block, the same every time but for the last block."""
    even = {"idle_power_w": 50.0, "control_energy_j": 100.0, "control_duration_s": 5.0}
    frame = pd.DataFrame([even] * BLOCKS)
    frame.loc[BLOCKS - 1] = [idle_w, energy_j, duration_s]
    return frame


def codes(runs: pd.DataFrame) -> list[str]:
    return [finding.code for finding in campaign_findings.of_a_campaign(runs, before())]


def test_even_runs_of_equal_work_have_no_finding() -> None:
    assert codes(frame()) == []
    assert codes(frame().head(0)) == []


def test_a_machine_that_drifts_is_found_in_what_drifts() -> None:
    runs = frame()
    runs["energy_j"] += runs["position"] * (runs["framework"] == "jax")
    (found,) = campaign_findings.of_a_campaign(runs, before())
    assert (found.code, found.severity) == ("drift", "warning")
    assert "energy of jax 1, w train: rank correlation with the order +" in found.message
    assert codes(runs[runs["block"] < campaign_findings.MIN_BLOCKS - 1]) == []  # too few to tell


def test_noise_is_rarely_taken_for_drift() -> None:
    """Over many campaigns without any, at most one in twenty is said to drift."""
    draw, false = np.random.default_rng(7), 0
    for _ in range(200):
        runs = frame()
        runs = runs.assign(energy_j=draw.lognormal(size=len(runs)), duration_s=draw.lognormal(size=len(runs)))
        false += bool(codes(runs))
    assert false <= 16  # 5 % of 200, and two standard deviations


@pytest.mark.parametrize(("last_w", "found"), [(52.4, []), (52.6, ["baseline-moved"])])
def test_an_idle_machine_that_changed_is_found(last_w: float, found: list[str]) -> None:
    assert [one.code for one in campaign_findings.of_a_campaign(frame(), before(idle_w=last_w))] == found


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"energy_j": 104.0}, "the energy of the same work"),
        ({"duration_s": 5.2}, "the time of the same work"),
    ],
)
def test_control_work_that_spreads_is_found(changed: dict[str, float], words: str) -> None:
    """One block of ten that is 4 % off: a spread of 1.3 %."""
    (found,) = campaign_findings.of_a_campaign(frame(), before(**changed))
    assert (found.code, found.severity) == ("control-unsteady", "warning")
    assert found.message == f"{words} spread by 1.3% over {BLOCKS} blocks"


def test_steady_or_absent_control_work_has_no_finding() -> None:
    assert list(campaign_findings.of_a_campaign(frame(), before(energy_j=102.0))) == []
    absent = before().assign(control_energy_j=np.nan, control_duration_s=np.nan)
    assert list(campaign_findings.of_a_campaign(frame(), absent)) == []


def test_who_computed_something_else_is_named_once_for_each_treatment() -> None:
    runs = frame(reason="")
    assert list(campaign_findings.computed_otherwise(runs)) == []
    runs.loc[runs["framework"] == "jax", "reason"] = f"{equal_work.WORDS}steps 7, of torch 1 60"
    (found,) = campaign_findings.computed_otherwise(runs)
    assert (found.code, found.severity) == ("computed-otherwise", "invalid")
    assert found.message == "jax 1, w train: it computed something else: steps 7, of torch 1 60"


def test_what_is_unknown_does_not_differ() -> None:
    runs = frame(idle_power_w=None, samples=None, energy_j=None)
    assert codes(runs.astype({"idle_power_w": float, "samples": float, "energy_j": float})) == []
