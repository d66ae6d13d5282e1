"""suite gate fails closed: what failed, is missing, did other work or is not proven has not passed, and says why."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from pathlib import Path

import pytest

from harness.analysis import gating
from harness.analysis.withheld import Doubt
from harness.records import IMPORTED, Finding, Outcome
from tests.campaigns import Recipe, build
from tests.harness.analysis.test_equal_work import without
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
OLD, NEW = "torch@2.12.0", "torch@2.13.0"
USUAL = {"frameworks": {OLD: 1.0, "jax": 1.0}, "blocks": 6, "noise": 0.002, "period_s": 0.3}
PASS, REGRESSION, INCONCLUSIVE = 0, 1, 3
STALE = Finding(code="stale-image", severity="warning", message="other workloads", advice="")


def campaign(folder: Path, **more: object) -> Path:
    return build(folder, Recipe(**{**USUAL, **more})).folder  # type: ignore[arg-type]


def newer(folder: Path, factor: float = 1.0, **more: object) -> Path:
    """The same beside a new version of torch."""
    return campaign(folder / "new", **{"frameworks": {NEW: factor, "jax": 1.0}, "seed": 2, **more})


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return campaign(tmp_path_factory.mktemp("base") / "old", control_s=2.0)


def gated(suite: Suite, *folders: Path, at: str = "5%", more: tuple[str, ...] = ()) -> Answer:
    return suite("gate", *folders, "--max-increase", at, "--quantity", "time", *more)


def why(answer: Answer) -> list[str]:
    """One line for each ratio that has shown nothing."""
    return [line for line in answer.out.splitlines() if line.startswith("inconclusive: duration_s of ")]


@pytest.mark.parametrize(
    ("factor", "code"), [(1.0, PASS), (0.8, PASS), (1.2, REGRESSION), (1.05, INCONCLUSIVE)]
)
def test_a_sound_pair_of_campaigns_passes_or_not_by_what_it_costs(
    suite: Suite, base: Path, tmp_path: Path, factor: float, code: int
) -> None:
    answer = gated(suite, base, newer(tmp_path, factor, control_s=2.0))
    assert answer.code == code, answer.out
    assert bool(why(answer)) is (code == INCONCLUSIVE)


def test_a_treatment_that_failed_in_every_new_run_has_not_passed(
    suite: Suite, base: Path, tmp_path: Path
) -> None:
    """The other one is as it was: that alone was a pass."""
    failed = {(NEW, block): Outcome.FAILED for block in range(1, 7)}
    answer = gated(suite, base, newer(tmp_path, control_s=2.0, outcomes=failed))
    assert answer.code == INCONCLUSIVE
    (line,) = why(answer)
    assert (
        "torch 2.13.0 against torch 2.12.0: no ratio; 6 of 6 blocks have no run of torch 2.13.0 that counts"
        in line
    )
    assert "failed: the worker ended with exit code 1" in line


def test_a_treatment_that_the_new_campaign_lacks_has_not_passed(
    suite: Suite, base: Path, tmp_path: Path
) -> None:
    answer = gated(suite, base, newer(tmp_path, control_s=2.0, frameworks={"jax": 1.0}))
    assert answer.code == INCONCLUSIVE
    assert "against torch 2.12.0: no ratio; 2026-01-02-test lacks it" in why(answer)[0]


def test_where_no_run_of_the_new_campaign_counts_nothing_passes(
    suite: Suite, base: Path, tmp_path: Path
) -> None:
    failed = {(name, block): Outcome.FAILED for block in range(1, 7) for name in (NEW, "jax")}
    answer = gated(suite, base, newer(tmp_path, control_s=2.0, outcomes=failed))
    assert (answer.code, len(why(answer))) == (INCONCLUSIVE, 2)


def test_half_the_work_has_not_passed(suite: Suite, base: Path, tmp_path: Path) -> None:
    """It costs half: that was 0.498, pass."""
    answer = gated(suite, base, newer(tmp_path, 0.498, work={"steps": 16}, control_s=2.0))
    assert answer.code == INCONCLUSIVE
    assert "unequal-work: steps 16" in answer.out and "0.49" in answer.out


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"proven": False}, "not-verified"),
        ({"isolation": IMPORTED}, "imported"),
        ({"run_findings": (STALE,)}, "stale-image"),
        ({"weights": 2.0}, "unequal-work"),
        (
            {"outcomes": {(NEW, 3): Outcome.INVALID}},
            "1 of 6 blocks have no run of torch 2.13.0 that counts (invalid",
        ),
        ({"unfinished": 3}, "not carried out"),
    ],
)
def test_what_is_not_proven_doubted_invalid_or_unfinished_has_not_passed(
    suite: Suite, base: Path, tmp_path: Path, changed: dict[str, object], word: str
) -> None:
    answer = gated(suite, base, newer(tmp_path, control_s=2.0, **changed))
    assert answer.code == INCONCLUSIVE
    assert any(word in line for line in why(answer)), answer.out


def test_without_anything_unchanged_two_sessions_have_not_passed(
    suite: Suite, base: Path, tmp_path: Path
) -> None:
    answer = gated(suite, base, newer(tmp_path))
    lines = [line for line in why(answer) if "jax" in line]
    assert answer.code == INCONCLUSIVE and "each campaign is one session" in lines[0]


def test_what_is_named_is_all_that_is_expected(suite: Suite, base: Path, tmp_path: Path) -> None:
    new = newer(tmp_path, control_s=2.0, frameworks={NEW: 1.0, "jax": 1.5})
    assert gated(suite, base, new).code == REGRESSION
    assert gated(suite, base, new, more=("--candidate", "torch", "--reference", "torch")).code != REGRESSION


def test_within_one_campaign_the_reference_is_named(refused: Callable[..., str], base: Path) -> None:
    line = refused("gate", base, "--max-increase", "5%")
    assert "needs --reference: none is chosen from what was measured" in line


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"proven": False}, "not-verified: no proof shows that jax"),
        ({"isolation": IMPORTED}, "imported runs, whose work nobody can prove"),
        (
            {"outcomes": {("jax", block): Outcome.FAILED for block in range(1, 7)}},
            "6 of 6 blocks have no run of jax",
        ),
        ({"outcomes": {(OLD, 2): Outcome.FAILED}}, "1 of 6 blocks have no run of torch 2.12.0"),
        ({"stages": ("train", "infer"), "unfinished": 1}, "not carried out"),
    ],
)
def test_within_one_campaign_it_fails_closed_as_well(
    suite: Suite, tmp_path: Path, changed: dict[str, object], word: str
) -> None:
    answer = gated(suite, campaign(tmp_path / "c", **changed), at="10%", more=("--reference", OLD))
    assert answer.code == INCONCLUSIVE
    assert any(word in line for line in why(answer)), answer.out


def test_within_one_campaign_what_is_sound_passes(suite: Suite, base: Path) -> None:
    assert gated(suite, base, at="10%", more=("--reference", OLD)).code == PASS


@pytest.mark.parametrize(
    ("spread", "allowed", "room", "said"),
    [
        (0.03, 0.05, 0.01, False), (0.05, 0.05, 0.05, True), (0.06, 0.05, 0.05, True), (0.06, 0.05, nan, True),
        (0.06, 0.05, 0.06, True), (0.06, 0.05, 0.25, False), (0.06, 0.05, -0.2, True),
    ],
)  # fmt: skip
def test_a_control_that_spreads_by_what_is_allowed_lets_only_what_saves_more_pass(
    spread: float, allowed: float, room: float, said: bool
) -> None:
    doubt = Doubt("control-unsteady", "it spread, as much as is claimed", "control_energy_j", up_to=spread)
    told = list(gating._unsteady([doubt], "energy_j", allowed, room))
    assert told == (["control-unsteady: it spread, where 5% more is allowed"] if said else [])
    assert not list(gating._unsteady([doubt], "duration_s", allowed, room))


@pytest.mark.parametrize("kinds", [(), ("work", "fingerprint")], ids=str)
def test_half_the_work_passes_no_gate_once_its_word_is_deleted(
    suite: Suite, tmp_path: Path, kinds: tuple[str, ...]
) -> None:
    built = build(tmp_path / "c", Recipe(frameworks={"torch": 1.0, "jax": 0.5}, blocks=8, noise=0.005))
    asked = ("gate", built.folder, "--reference", "torch", "--max-increase", "5%")
    assert suite(*asked).code == 0
    without(built, "jax", *kinds)
    answer = suite(*asked)
    assert answer.code == 3 and "better" not in answer.out
