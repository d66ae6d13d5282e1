"""How often the statistics are wrong, over 20 000 simulated campaigns: where they promise 5 %, they keep it."""

from __future__ import annotations

import numpy as np
import pytest

from harness import paths
from harness.analysis.intervals import log_t
from tests.harness.analysis import simulation
from tests.harness.analysis.simulation import COLUMNS, DEGRADED, SOUND, courses, rates, rows

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


def test_the_table_in_the_documentation_is_what_was_measured() -> None:
    text = (paths.ROOT / "docs" / "statistics.md").read_text()
    assert f"| {' | '.join(COLUMNS)} |" in text
    for row in (*rows(), *courses()):
        assert row in text, row


def test_the_simulated_machines_are_what_their_names_say() -> None:
    persisting = simulation.Machine(noise=0.0, favour=1.0).differences(3)
    assert persisting.std() == pytest.approx(1, abs=0.01)
    assert np.mean(persisting[:, 1:] * persisting[:, :-1]) == pytest.approx(0.7, abs=0.01)
    assert simulation.Machine(noise=0.03).differences(4).std() == pytest.approx(0.03 * np.sqrt(2), rel=0.01)
