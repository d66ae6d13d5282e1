"""A finding that voids a verdict leaves the ratio with its words; one that does not, leaves the verdict."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.analysis import withheld
from harness.analysis.costs import COST_COLUMNS
from harness.analysis.groups import GROUP
from harness.analysis.summary import Analysis, analyse
from harness.analysis.withheld import Doubt, each_of, withhold
from harness.conformance.kept_proofs import CERTIFICATE_FILE
from harness.findings.codes import Code, Severity
from harness.records import IMPORTED, Finding
from harness.store import load_campaign
from tests.campaigns import VERSIONS, Recipe, build
from tests.harness.analysis.test_equal_work import told, trained

KEY = dict(zip(GROUP, ("w", "d", "train", "cpu", "{}"), strict=True))
WORK = tuple(KEY.values())
THREE = {"torch": 1.0, "tensorflow": 1.3, "jax": 1.6}


def finding(code: str) -> Finding:
    return Finding(code=code, severity=Severity.WARNING, message="a message", advice="")


def costs(**verdicts: str) -> pd.DataFrame:
    """Of energy: torch is the reference and the lowest; the others have a verdict and a ratio."""
    ratios = {"better": 0.98, "worse": 1.02, "equivalent": 1.001, "inconclusive": 1.01}
    rows = [
        {**KEY, "treatment": name, "quantity": quantity, "mean": 1.0, "best": name == "torch",
         "reference": "torch", "ratio": 1.0 if verdict == "reference" else ratios[verdict], "low": 0.9,
         "high": 1.1, "blocks": 8, "verdict": verdict, "margin": 0.02, "ratio_reason": None,
         "rests_on": "3", "may_be_cheapest": name == "torch"}
        for quantity in ("energy_j", "duration_s", "memory_peak_bytes")
        for name, verdict in {"torch": "reference", **verdicts}.items()
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=COST_COLUMNS)


def verdicts(found: pd.DataFrame, quantity: str = "energy_j") -> dict[str, str | None]:
    rows = found[found["quantity"] == quantity]
    return {one.treatment: one.verdict if isinstance(one.verdict, str) else None for one in rows.itertuples()}


def test_a_voided_verdict_leaves_its_ratio_and_says_why() -> None:
    found = withhold(costs(jax="worse", keras="better"), [Doubt("not-verified", "no proof", treatment="jax")])
    assert verdicts(found) == {"torch": "reference", "jax": None, "keras": "better"}
    row = found[found["treatment"] == "jax"].iloc[0]
    assert (row["ratio"], row["low"], row["ratio_reason"]) == (1.02, 0.9, "not-verified: no proof")
    assert list(found.columns) == COST_COLUMNS


def test_a_doubt_of_the_reference_voids_all_that_are_held_against_it() -> None:
    found = withhold(
        costs(jax="worse", keras="better"), [Doubt("not-verified", "no proof", treatment="torch")]
    )
    assert verdicts(found) == {"torch": "reference", "jax": None, "keras": None}


def test_where_one_verdict_is_withheld_nobody_is_best() -> None:
    doubt = Doubt("drift", "rising", "energy_j", treatment="jax")
    best = withhold(costs(jax="worse"), [doubt]).groupby("quantity")["best"].any()
    assert best.to_dict() == {"energy_j": False, "duration_s": True, "memory_peak_bytes": True}


def test_other_work_is_not_doubted() -> None:
    doubt = Doubt("not-verified", "no proof", work=("other", *WORK[1:]), treatment="jax")
    pd.testing.assert_frame_equal(withhold(costs(jax="worse"), [doubt]), costs(jax="worse"))


@pytest.mark.parametrize(
    ("code", "seen_in", "void"),
    [
        ("drift", "energy_j", {"energy_j"}),
        ("drift", "duration_s", {"duration_s"}),
        ("counter-disagrees", "", {"energy_j"}),
        ("baseline-moved", "", set()),
        ("computed-otherwise", "", {"energy_j", "duration_s", "memory_peak_bytes"}),
    ],
)
def test_each_finding_voids_what_it_speaks_of(code: str, seen_in: str, void: set[str]) -> None:
    found = withhold(costs(jax="worse"), [Doubt(code, "why", seen_in)])
    assert {name for name in found["quantity"] if verdicts(found, name)["jax"] is None} == void


def test_an_idle_machine_that_moved_voids_net_energies_alone() -> None:
    doubt = Doubt(Code.BASELINE_MOVED, "it moved")
    assert doubt.speaks_of("energy_net_j") and not doubt.speaks_of("energy_j")


@pytest.mark.parametrize(
    ("verdict", "spread", "stays"),
    [
        ("worse", 0.015, True),  # 2 % are claimed
        ("worse", 0.025, False),
        ("equivalent", 0.015, True),  # within 2 %
        ("equivalent", 0.025, False),
        ("inconclusive", 0.5, True),  # claims nothing
    ],
)
def test_a_control_that_spreads_voids_claims_of_no_greater_difference(
    verdict: str, spread: float, stays: bool
) -> None:
    doubt = Doubt("control-unsteady", "why", "control_energy_j", up_to=spread)
    assert (verdicts(withhold(costs(jax=verdict), [doubt]))["jax"] == verdict) is stays


def analysis(folder: Path, **recipe: object) -> Analysis:
    return analyse(build(folder / "c", Recipe(frameworks=THREE, blocks=8, **recipe)), "torch")  # type: ignore[arg-type]


def judged(found: Analysis, quantity: str = "energy_j") -> dict[str, str | None]:
    return {name.split()[0]: verdict for name, verdict in verdicts(found.costs, quantity).items()}


def test_a_campaign_without_findings_keeps_every_verdict(tmp_path: Path) -> None:
    found = analysis(tmp_path)
    assert (found.doubts, withheld.reasons(found.costs)) == ((), [])
    assert judged(found) == {"torch": "reference", "tensorflow": "worse", "jax": "worse"}


def test_work_that_nobody_has_proven_has_no_verdict(tmp_path: Path) -> None:
    found = analysis(tmp_path, proven=False)
    assert judged(found) == {"torch": "reference", "tensorflow": None, "jax": None}
    assert "no proof shows that jax 0.10.2 does the same work" in withheld.reasons(found.costs)[-1]
    assert found.costs.loc[found.costs["quantity"] == "energy_j", "ratio"].notna().all()
    assert not found.costs["best"].any()
    assert found.statistics["p"].isna().all()  # a p-value is a verdict by another name


def test_a_proof_that_is_missing_or_failed_voids_what_it_would_have_covered(tmp_path: Path) -> None:
    folder = build(tmp_path / "c", Recipe(frameworks=THREE, blocks=8)).folder
    text = (folder / CERTIFICATE_FILE).read_text()
    (folder / CERTIFICATE_FILE).write_text(text.replace(VERSIONS["jax"], "0.9.0"))
    assert judged(analyse(load_campaign(folder), "torch")) == {
        "torch": "reference", "tensorflow": "worse", "jax": None,
    }  # fmt: skip
    (folder / CERTIFICATE_FILE).write_text(text.replace('"value": 1e-15', '"value": 1.0'))
    assert judged(analyse(load_campaign(folder), "torch"))["tensorflow"] is None


def test_versions_of_a_workload_that_one_framework_implements_have_no_verdict(tmp_path: Path) -> None:
    recipe = Recipe(frameworks={"sklearn@1.9.0": 1.0, "sklearn@1.9.1": 1.3}, workload="svm", blocks=8)
    found = analyse(build(tmp_path / "c", recipe))
    assert set(found.costs["verdict"].dropna()) == {"reference"}
    assert "one-implementation: " in withheld.reasons(found.costs)[0]


def test_runs_that_computed_something_else_void_what_is_left_of_their_treatment(tmp_path: Path) -> None:
    """One of eight parted: it is invalid; of the seven others nobody knows why they should be sound."""
    built = build(tmp_path / "c", Recipe(frameworks=THREE, blocks=8, fingerprints=False))
    odd = told(built, {("jax", 3): {"epochs": trained(1.0)}}, {"epochs": trained()})
    found = analyse(odd, "torch")
    assert judged(found) == {"torch": "reference", "tensorflow": "worse", "jax": None}
    (why,) = withheld.reasons(found.costs)
    assert why.startswith("computed-otherwise: jax 0.10.2 computed something else: loss of step 1")


def test_imported_runs_keep_their_verdicts(tmp_path: Path) -> None:
    """Nobody can prove here what others measured: the page says so, see reports.headline."""
    found = analysis(tmp_path, proven=False, isolation=IMPORTED)
    assert judged(found)["jax"] == "worse"


@pytest.mark.parametrize("code", ["not-verified", "computed-otherwise", "stale-image"])
def test_a_finding_of_the_campaign_voids_though_nothing_else_tells_of_it(tmp_path: Path, code: str) -> None:
    found = analysis(tmp_path, findings=(finding(code),))
    assert judged(found) == {"torch": "reference", "tensorflow": None, "jax": None}


@pytest.mark.parametrize(
    "code", ["scaled-down", "foreign-load", "gpu-slowed", "blocks-only-by-number", "unheard-of"]
)
def test_a_warning_that_voids_nothing_leaves_the_verdicts(tmp_path: Path, code: str) -> None:
    found = analysis(tmp_path, findings=(finding(code),), run_findings=(finding(code),))
    assert judged(found)["jax"] == "worse"


def test_runs_of_a_stale_image_or_of_a_meter_that_disagrees_void_what_they_measured(tmp_path: Path) -> None:
    found = analysis(tmp_path / "1", run_findings=(finding("counter-disagrees"),))
    assert (judged(found)["jax"], judged(found, "duration_s")["jax"]) == (None, "worse")
    found = analysis(tmp_path / "2", run_findings=(finding("stale-image"),))
    assert judged(found, "duration_s")["jax"] is None


def test_a_treatment_that_drifts_loses_its_verdict_in_what_drifts() -> None:
    frame = pd.DataFrame(
        [
            {**KEY, "framework": name, "version": "1", "block": block, "position": 2 * block + place,
             "energy_j": 100.0 + np.sin(7 * block + place) + (5.0 * block if name == "jax" else 0.0),
             "duration_s": 10.0 + np.cos(5 * block + place), "idle_power_w": 50.0, "run_id": f"{block}-{name}"}
            for block in range(10) for place, name in enumerate(("torch", "jax"))
        ]
    )  # fmt: skip
    (doubt,) = withheld._of_the_machine(frame, steady())
    assert (doubt.code, doubt.seen_in, doubt.work, doubt.treatment) == ("drift", "energy_j", WORK, "jax 1")


def steady(**last: float) -> pd.DataFrame:
    even = {"idle_power_w": 50.0, "control_energy_j": 100.0, "control_duration_s": 5.0}
    return pd.DataFrame([*[even] * 9, {**even, **last}])


def test_the_machine_before_the_blocks_is_doubted_by_what_it_showed() -> None:
    none = pd.DataFrame(
        columns=[*GROUP, "framework", "version", "block", "position", "energy_j", "duration_s"]
    )
    assert list(withheld._of_the_machine(none, steady())) == []
    (moved,) = withheld._of_the_machine(none, steady(idle_power_w=60.0))
    (energy,) = withheld._of_the_machine(none, steady(control_energy_j=104.0))
    (time,) = withheld._of_the_machine(none, steady(control_duration_s=5.2))
    assert [one.code for one in (moved, energy, time)] == ["baseline-moved", *["control-unsteady"] * 2]
    assert (energy.seen_in, time.seen_in) == ("control_energy_j", "control_duration_s")
    assert energy.up_to == pytest.approx(0.0126, abs=1e-3)


def test_each_finding_of_a_reason_keeps_a_message_that_has_a_semicolon_of_its_own() -> None:
    apart = ["not-verified: no proof; none at all", "drift: torch rose; by 3 %"]
    assert each_of("; ".join(apart)) == apart
    assert each_of("one block: an interval needs two") == ["one block: an interval needs two"]
