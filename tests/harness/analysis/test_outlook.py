"""What a campaign could see, and what would settle what it left open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.analysis.outlook import key_of, need
from harness.analysis.power import MOST_BLOCKS, noise_of_a_run, power
from harness.analysis.simultaneous import ALPHA
from harness.analysis.summary import analyse
from tests.campaigns import Recipe, build

CLOSE = Recipe(frameworks={"torch": 1.0, "jax": 1.03, "tensorflow": 1.5}, blocks=4, noise=0.03, seed=3)


def row(ratio: float, family: int = 1, blocks: int = 1) -> dict[str, object]:
    return {"ratio": ratio, "margin": 0.02, "family": family, "blocks": blocks}


@settings(deadline=None, max_examples=40)
@given(st.floats(1.03, 3.0), st.floats(0.005, 0.2), st.integers(1, 6))
def test_so_many_blocks_find_what_it_looks_like_and_one_less_does_not(
    ratio: float, spread: float, family: int
) -> None:
    found = need(row(ratio, family), spread)
    assert found.apart and found.blocks is not None
    noise, effect = noise_of_a_run(spread), 1 - 1 / ratio
    assert power(noise, effect, found.blocks, ALPHA / family) >= 0.8
    assert found.blocks == 2 or power(noise, effect, found.blocks - 1, ALPHA / family) < 0.8


@pytest.mark.parametrize("ratio", [0.7, 0.95, 1.01, 1.06, 1.4])
def test_it_does_not_matter_which_of_two_costs_more(ratio: float) -> None:
    assert need(row(ratio), 0.05) == need(row(1 / ratio), 0.05)


def test_within_the_margin_it_is_settled_by_showing_that_nothing_matters() -> None:
    assert not need(row(1.005), 0.02).apart and need(row(1.05), 0.02).apart


def test_as_many_as_have_left_it_open_do_not_settle_it() -> None:
    """As where the blocks that there are spread by less than it looks, or are looked at again and again."""
    assert need(row(1.5, blocks=9), 0.01).blocks == 10
    assert need(row(1.001, blocks=50), 0.001).blocks == 51
    assert need(row(1.05, blocks=4), 0.05) == need(row(1.05, blocks=1), 0.05)


def test_what_nobody_runs_has_no_number() -> None:
    assert need(row(1.021), 20.0).blocks is None
    assert (need(row(1.021), 0.05).blocks or 0) < MOST_BLOCKS


def test_only_open_ratios_need_more_and_their_blocks_are_more_than_there_are(tmp_path: Path) -> None:
    analysis = analyse(build(tmp_path / "c", CLOSE))
    costs = analysis.costs[analysis.costs["quantity"].isin(["energy_j", "duration_s"])]
    verdicts = {key_of(one): one["verdict"] for one in costs.to_dict("records")}
    needs = analysis.outlook.needs
    assert needs and set(needs) == {key for key, verdict in verdicts.items() if verdict == "inconclusive"}
    assert all(one.blocks is not None and one.blocks > 4 for one in needs.values())


def test_the_noise_is_found_again(tmp_path: Path) -> None:
    recipe = replace(CLOSE, blocks=40, noise=0.04, frameworks={"torch": 1.0, "jax": 1.0})
    outlook = analyse(build(tmp_path / "c", recipe)).outlook
    assert outlook.noise["duration_s"] == pytest.approx(0.04, rel=0.25)
    smallest = outlook.smallest["duration_s"]
    assert smallest is not None and power(outlook.noise["duration_s"] or 0, smallest, 40) == pytest.approx(
        0.8, abs=0.01
    )


def test_a_single_block_tells_neither(tmp_path: Path) -> None:
    outlook = analyse(build(tmp_path / "c", replace(CLOSE, blocks=1))).outlook
    assert set(outlook.noise.values()) == set(outlook.smallest.values()) == {None} and outlook.needs == {}
