"""How often the statistics are wrong, over 20 000 simulated campaigns: where they promise 5 %, they keep it."""

from __future__ import annotations

import numpy as np
import pytest

from harness import paths
from tests.harness.analysis import simulation
from tests.harness.analysis.harsh_noise import (
    FAMILY_COLUMNS,
    SHAPE_COLUMNS,
    TABLES,
    coverage,
    family_rates,
    family_rows,
    lowest_as_reference,
    shape_rows,
)  # fmt: skip
from tests.harness.analysis.simulation import COLUMNS, DEGRADED, SOUND, courses, rates, rows
from tests.harness.analysis.vectorised import log_t

pytestmark = pytest.mark.unhurried

CAMPAIGNS = 20_000


@pytest.mark.parametrize("machine", SOUND)
@pytest.mark.parametrize("claim", ["fixed interval", "adaptive interval", "TOST", "adaptive TOST"])
def test_5_percent_are_kept_in_random_blocks_whatever_drifts_or_persists(machine: str, claim: str) -> None:
    assert rates()[machine][claim] == pytest.approx(0.05, abs=0.01)


def test_an_adaptive_campaign_too_noisy_to_be_equivalent_is_wrong_in_5_percent() -> None:
    assert rates()[next(iter(SOUND))]["adaptive verdict"] == pytest.approx(0.05, abs=0.01)


@pytest.mark.parametrize("machine", SOUND)
def test_an_adaptive_verdict_is_never_wrong_more_often(machine: str) -> None:
    assert rates()[machine]["adaptive verdict"] <= 0.06
    assert rates()[machine]["naive peeking"] > 0.15


@pytest.mark.parametrize("machine", DEGRADED)
def test_what_random_blocks_do_not_undo_degrades_every_interval(machine: str) -> None:
    assert rates()[machine]["fixed interval"] > 0.25
    assert rates()[machine]["adaptive interval"] > 0.10


def test_drift_of_2_percent_in_sequence_gives_56_percent_of_false_positives() -> None:
    assert rates()["the same drift, all runs of one treatment first"]["fixed interval"] == pytest.approx(
        0.56, abs=0.01
    )


@pytest.mark.parametrize("blocks", [2, 3, 5, 30])
def test_the_interval_covers_95_percent_at_every_number_of_blocks(blocks: int) -> None:
    differences = np.random.default_rng(blocks).normal(0, 0.04, (CAMPAIGNS, blocks))
    _, low, high = log_t(differences)
    assert ((low <= 0) & (high >= 0)).mean() == pytest.approx(0.95, abs=0.006)


def test_a_percentile_bootstrap_would_cover_85_percent_at_five_blocks() -> None:
    draw = np.random.default_rng(1)
    differences = draw.normal(0, 0.04, (4000, 5))
    means = np.take_along_axis(differences[:, None], draw.integers(0, 5, (4000, 1000, 5)), 2).mean(2)
    low, high = np.quantile(means, (0.025, 0.975), axis=1)
    assert ((low <= 0) & (high >= 0)).mean() == pytest.approx(0.85, abs=0.015)


def test_peeking_after_every_block_from_3_to_30_would_be_wrong_in_27_percent() -> None:
    differences = np.random.default_rng(2).normal(0, 0.04, (CAMPAIGNS, 30))
    wrong = np.zeros(CAMPAIGNS, dtype=bool)
    for blocks in range(3, 31):
        _, low, high = log_t(differences[:, :blocks])
        wrong |= (low > 0) | (high < 0)
    assert wrong.mean() == pytest.approx(0.27, abs=0.01)


@pytest.mark.parametrize("noise", ["log-normal", "heavy tails", "skewed"])
def test_ten_blocks_cover_95_percent_whatever_noise_both_have(noise: str) -> None:
    row = next(row for name, row in coverage().items() if name.startswith(noise))
    for column in ("log-t", "log-t, 30 blocks"):
        assert row[column] == pytest.approx(0.95, abs=0.01), column
    assert row["sign-flip"] == pytest.approx(0.95, abs=0.012)  # of 4 000 campaigns
    assert 0.94 < row["log-t, 5 blocks"] < 0.98  # too many, where tails are heavy and blocks few


def test_outliers_of_one_side_alone_and_differences_that_persist_cover_less() -> None:
    found = list(coverage().values())
    assert found[4]["log-t, 5 blocks"] < 0.25 and found[4]["log-t"] < 0.45
    assert found[5]["log-t"] < 0.9 and found[6]["log-t"] < 0.75
    assert found[5]["mean lag 1 of the differences"] > 0.05 > found[0]["mean lag 1 of the differences"]


@pytest.mark.parametrize("size", TABLES)
def test_the_family_errs_in_5_percent_and_in_little_more_where_only_the_reference_is_quiet(
    size: tuple[int, int],
) -> None:
    alone, together, quiet, noisy, heavy, skewed = family_rates()[size]
    assert together == pytest.approx(0.05, abs=0.01)
    assert max(quiet, noisy, heavy, skewed) < 0.07
    assert alone > 0.25 or size[0] < 10


def test_a_reference_picked_by_its_mean_would_be_wrong_in_half_of_null_campaigns() -> None:
    assert lowest_as_reference(10, 5) == pytest.approx(0.55, abs=0.02)


def test_the_tables_in_the_documentation_are_what_was_measured() -> None:
    text = (paths.ROOT / "docs" / "statistics.md").read_text()
    for columns in (COLUMNS, SHAPE_COLUMNS, FAMILY_COLUMNS):
        assert f"| {' | '.join(columns)} |" in text
    for row in (*rows(), *courses(), *shape_rows(), *family_rows()):
        assert row in text, row


def test_the_simulated_machines_are_what_their_names_say() -> None:
    persisting = simulation.Machine(noise=0.0, favour=1.0).differences(3)
    assert persisting.std() == pytest.approx(1, abs=0.01)
    assert np.mean(persisting[:, 1:] * persisting[:, :-1]) == pytest.approx(0.7, abs=0.01)
    assert simulation.Machine(noise=0.03).differences(4).std() == pytest.approx(0.03 * np.sqrt(2), rel=0.01)
