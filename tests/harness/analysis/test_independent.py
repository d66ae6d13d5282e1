"""Ratios between campaigns: what pairs with what, what they are measured by, and when there is no verdict."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from harness.analysis import independent
from harness.cli import comparing
from harness.errors import UsageError
from harness.records import IMPORTED, Finding, Outcome
from harness.store import Campaign, load_campaign
from tests.campaigns import Recipe, build

OLD, NEW = "torch@2.12.0", "torch@2.13.0"
STALE = Finding(code="stale-image", severity="warning", message="other workloads", advice="")


@pytest.mark.parametrize(
    ("new", "old", "pairs"),
    [
        (["torch 2", "jax 1"], ["torch 2"], {"torch 2": "torch 2"}),
        (["torch 3", "jax 1"], ["torch 2"], {"torch 3": "torch 2"}),
        (["torch 3", "jax 1"], ["jax 1", "torch 2"], {"jax 1": "jax 1", "torch 3": "torch 2"}),
    ],
)
def test_treatments_pair_by_name_then_by_framework(
    new: list[str], old: list[str], pairs: dict[str, str]
) -> None:
    assert independent.pairs_of(new, old) == pairs


@pytest.mark.parametrize("new", [["jax 1"], ["torch 3", "torch 4"]])
def test_what_does_not_pair_is_asked_for(new: list[str]) -> None:
    with pytest.raises(UsageError, match="--candidate"):
        independent.pairs_of(new, ["torch 2"])


def campaign(
    folder: Path, factor: float = 1.0, version: str = OLD, seed: int = 1, **more: object
) -> Campaign:
    """A version of torch beside jax, which is the same every time."""
    recipe = {
        "frameworks": {version: factor, "jax": 1.0},
        "blocks": 8,
        "noise": 0.005,
        "seed": seed,
        "period_s": 0.3,
    }
    return build(folder, Recipe(**{**recipe, **more}))  # type: ignore[arg-type]


def rows(
    new: Campaign | list[Campaign], old: Campaign | list[Campaign], treatment: str = "torch"
) -> pd.DataFrame:
    found = comparing.between(new, old)
    return found[found["treatment"].str.startswith(treatment)].set_index("quantity")


def test_a_new_version_is_measured_by_what_is_unchanged_in_both_campaigns(tmp_path: Path) -> None:
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", 1.2, NEW, 2, session=1.5)
    found = rows(new, old)
    assert found.loc["duration_s", "ratio"] == pytest.approx(1.2, rel=0.02)  # not 1.8: the session has gone
    assert (found.loc["energy_j", "verdict"], found.loc["duration_s", "verdict"]) == ("worse", "worse")
    assert set(found["method"]) == {"within blocks, relative to jax 0.10.2"}
    assert "mean_power_w" not in found.index


def test_of_unchanged_treatments_nobody_can_tell_which_one_has_moved(tmp_path: Path) -> None:
    """Against each other one would seem better where the other is worse: the control work alone can tell."""
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", 0.8, seed=2)
    found = comparing.between(new, old)
    assert found["verdict"].isna().all() and found["low"].isna().all()
    assert found["ratio_reason"].str.contains("each campaign is one session").all()
    assert rows(new, old).loc["duration_s", "ratio"] == pytest.approx(0.8, rel=0.02)  # still told


def test_the_control_work_is_a_yardstick_of_time_and_energy(tmp_path: Path) -> None:
    old = campaign(tmp_path / "old", control_s=2.0)
    new = campaign(tmp_path / "new", 0.8, seed=2, session=1.5, control_s=2.0)
    torch, jax = rows(new, old), rows(new, old, "jax")
    assert torch.loc["duration_s", "ratio"] == pytest.approx(0.8, rel=0.03)
    assert (torch.loc["energy_j", "verdict"], torch.loc["duration_s", "verdict"]) == ("better", "better")
    assert jax.loc["duration_s", "verdict"] in ("equivalent", "inconclusive")
    assert torch.loc["duration_s", "method"] == "within blocks, relative to the control work"
    assert pd.isna(torch.loc["memory_peak_bytes", "verdict"])  # of which the control says nothing


def test_control_work_of_other_rounds_or_another_interpreter_is_no_yardstick(tmp_path: Path) -> None:
    old, new = campaign(tmp_path / "old", control_s=2.0), campaign(tmp_path / "new", seed=2)
    assert rows(new, old)["verdict"].isna().all()


@pytest.mark.parametrize(
    "changed", [{"environments": {"jax": "ef" * 32}}, {"suite_sha256": "ef" * 32}, {"suite_sha256": ""}]
)
def test_what_ran_in_another_environment_or_of_other_sources_is_no_yardstick(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", 1.2, NEW, 2, **changed)
    assert rows(new, old)["verdict"].isna().all()


def test_several_sessions_are_the_replicates_and_a_session_of_two_is_none_of_four(tmp_path: Path) -> None:
    old = [campaign(tmp_path / f"old{n}", seed=n, session=s) for n, s in enumerate((1.0, 1.01, 0.99))]
    new = [campaign(tmp_path / f"new{n}", 1.2, NEW, 10 + n, session=s) for n, s in enumerate((1.0, 1.02))]
    found = rows(new, old)
    assert found.loc["duration_s", "ratio"] == pytest.approx(1.2, rel=0.03)
    assert found.loc["duration_s", ["verdict", "blocks", "freedom", "method"]].tolist() == [
        "worse", 2, 3, "sessions: 2 against 3",
    ]  # fmt: skip
    assert rows(new[:1], old)["method"].iloc[0] == "within blocks, relative to jax 0.10.2"


def test_intervals_of_several_treatments_hold_together(tmp_path: Path) -> None:
    both = {"frameworks": {OLD: 1.0, "tensorflow@2.20.0": 1.0, "jax": 1.0}}
    later = {"frameworks": {NEW: 1.0, "tensorflow@2.21.0": 1.0, "jax": 1.0}, "seed": 2}
    old, new = campaign(tmp_path / "old", **both), campaign(tmp_path / "new", **later)
    together = comparing.between(new, old)
    alone = comparing.between(new, old, candidate="torch", reference="torch")
    one, other = (
        found[found["treatment"].eq("torch 2.13.0") & found["quantity"].eq("duration_s")].iloc[0]
        for found in (together, alone)
    )
    assert (one["family"], other["family"]) == (3, 1)
    assert one["low"] < other["low"] < other["high"] < one["high"]


def withheld(new: Campaign, old: Campaign) -> set[str]:
    """Why there is no verdict on torch in any quantity."""
    found = rows(new, old)
    assert found["verdict"].isna().all() and found.loc["duration_s", "ratio"] > 0
    return set(found["ratio_reason"])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"work": {"steps": 17}}, "unequal-work: steps 17, of torch 2.12.0 33, in the other campaign"),
        ({"weights": 1.5}, "unequal-work: loss of step 1 3, of torch 2.12.0 2, in the other campaign"),
        ({"epochs": 2}, "unequal-work: samples 2874, of torch 2.12.0 4311, in the other campaign"),
        ({"data_sha256": "0" * 64}, "unequal-work: digits holds other data in the other campaign"),
        ({"plan_seed": 7}, "other-seed: 1 and 7; what is computed from them cannot be compared"),
        ({"proven": False}, "not-verified: no proof kept with 2026-01-02-test shows that torch 2.13.0"),
        ({"isolation": IMPORTED}, "not-verified: the runs of one of them were imported, so that nobody"),
    ],
)  # fmt: skip
def test_work_that_differs_or_is_not_proven_has_no_verdict(
    tmp_path: Path, changed: dict[str, object], words: str
) -> None:
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", 1.2, NEW, 2, **changed)
    assert any(words in why for why in withheld(new, old))


@pytest.mark.parametrize("changed", [{"work": {"samples": None}}, {"fingerprints": False}], ids=str)
def test_work_that_is_not_known_is_not_compared(tmp_path: Path, changed: dict[str, object]) -> None:
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", 1.2, NEW, 2, **changed)
    with pytest.raises(UsageError, match="no work in common that counts"):
        rows(new, old)


def test_the_same_code_needs_no_proof(tmp_path: Path) -> None:
    more = {"control_s": 2.0, "proven": False}
    old, new = campaign(tmp_path / "old", **more), campaign(tmp_path / "new", 1.2, seed=2, **more)
    assert rows(new, old).loc["duration_s", "verdict"] == "worse"


def test_what_was_measured_on_other_data_is_no_yardstick(tmp_path: Path) -> None:
    old = campaign(tmp_path / "old")
    for told, found in (("0" * 64, set()), ("", {("jax", "within blocks, relative to jax 0.10.2")})):
        new = campaign(tmp_path / f"new{told}", 1.2, NEW, 2, data_sha256=told)
        methods = {("jax", method) for method in rows(new, old)["method"] if "jax" in str(method)}
        assert methods == found


def test_a_finding_of_either_campaign_withholds_the_verdict(tmp_path: Path) -> None:
    """Six of eight runs have left something else; so have those that the yardstick stands on."""
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", 1.2, NEW, 2)
    disagreeing = campaign(tmp_path / "odd", 1.2, NEW, 3, run_findings=(STALE,))
    assert rows(new, old).loc["duration_s", "verdict"] == "worse"
    for pair in (
        (disagreeing, old),
        (campaign(tmp_path / "newer", 1.2, NEW, 4), campaign(tmp_path / "odder", run_findings=(STALE,))),
    ):
        assert any("stale-image" in why for why in withheld(*pair))


def test_a_strangers_environment_may_hold_anything(tmp_path: Path) -> None:
    """And is then no other's: nothing in it is known to be unchanged."""
    campaigns = [
        campaign(tmp_path / "old", control_s=2.0),
        campaign(tmp_path / "new", 1.2, NEW, 2, control_s=2.0),
    ]
    for one in campaigns:
        for path in one.folder.glob("runs/*/run.json"):
            path.write_text(
                path.read_text().replace('"python": "3.11.9"', '"python": ["x"], "labels": "none"')
            )
    new, old = (load_campaign(one.folder) for one in reversed(campaigns))
    assert rows(new, old)["ratio"].notna().any()


def test_joules_of_different_provenance_do_not_meet(tmp_path: Path) -> None:
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", 1.2, NEW, 2, meter="estimate")
    found = rows(new, old)
    assert "never compared" in found.loc["energy_j", "ratio_reason"]
    assert pd.isna(found.loc["energy_j", "ratio"]) and pd.notna(found.loc["duration_s", "ratio"])


def test_one_block_of_each_has_a_ratio_and_no_verdict(tmp_path: Path) -> None:
    old, new = campaign(tmp_path / "old", blocks=1), campaign(tmp_path / "new", 1.2, NEW, 2)
    assert withheld(new, old) == {"one-block: a campaign has a single block with both"}


def test_campaigns_without_common_work_are_refused(tmp_path: Path) -> None:
    old, new = campaign(tmp_path / "old"), campaign(tmp_path / "new", dataset="mnist")
    with pytest.raises(UsageError, match="no work in common"):
        comparing.between(new, old)


def test_a_treatment_of_which_no_run_counts_is_not_compared(tmp_path: Path) -> None:
    old = campaign(tmp_path / "old")
    new = campaign(
        tmp_path / "new", 1.2, NEW, 2, outcomes={(NEW, block): Outcome.FAILED for block in range(1, 9)}
    )
    assert set(comparing.between(new, old)["treatment"]) == {"jax 0.10.2"}
