"""suite power: the numbers of the plan, and what is no share."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.analysis.power import blocks_needed


def test_it_plans_the_example_of_the_rules(suite: Callable[..., object]) -> None:
    answer = suite("power", "--noise", "3%", "--effect", "5%")
    assert answer.code == 0
    assert answer.out.splitlines() == [
        "8 blocks find a treatment that costs 5% less, in 83% of campaigns",
        "41 blocks show two that are alike to differ by less than 2%, in 80%",
        "paired log-t and TOST; noise of one run 3%, alpha 5%",
    ]


def test_more_comparisons_share_alpha_and_need_more_blocks(suite: Callable[..., object]) -> None:
    answer = suite("power", "--noise", "0.03", "--effect", "0.05", "--comparisons", 48)
    expected = blocks_needed(0.03, 0.05, alpha=0.05 / 48)
    assert expected > 8
    assert answer.out.startswith(f"{expected} blocks find")
    assert "alpha 0.104% in each of 48 comparisons" in answer.out


@pytest.mark.parametrize("share", ["0%", "100%", "3", "-1%", "many", "3%%", "nan", "inf"])
def test_what_is_no_share_is_one_line(refused: Callable[..., str], share: str) -> None:
    line = refused("power", "--noise", share, "--effect", "5%")
    assert f"'{share}' is no share between 0 and 1; write it as 3% or 0.03" in line


def test_a_plan_that_nobody_could_carry_out_is_one_line(refused: Callable[..., str]) -> None:
    assert "more than 100,000 blocks" in refused("power", "--noise", "50%", "--effect", "0.01%")
