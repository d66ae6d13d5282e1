"""When our number is the printed one, as laws."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from harness.studies.matching import (
    BOUND,
    CUT,
    EXACT,
    ROUNDED,
    SLACK_UNITS,
    WITHIN,
    Printed,
    rule,
)

NUMBERS = some.decimals(-10_000, 10_000, allow_nan=False, allow_infinity=False, places=6)
DECIMALS = some.integers(0, 4)
SHARES = some.integers(0, 100).map(lambda pairs: pairs / 100)


def in_print(value: Decimal, decimals: int, rounding: str) -> Printed:
    return Printed.of(str(value.quantize(Decimal(1).scaleb(-decimals), rounding=rounding)))


@pytest.mark.parametrize(
    ("text", "ours", "by"),
    [
        ("0.48", 0.4727, None),  # one unit off, and 48 units in all
        (".48", 0.4787, ROUNDED), (".47", 0.4787, CUT), (".46", 0.4787, None),
        ("1", 0.0, None), ("1", 1.0, EXACT), ("1.0", 0.96, ROUNDED),
        ("185357", 185355.9, None), ("185357", 185356.2, WITHIN), ("185356", 185356.7, CUT),
        ("99", 98.2, None), ("100", 99.2, WITHIN),
        ("0.60", 0.6, EXACT), ("0.60", 0.609, CUT), ("0.6", 0.649, ROUNDED),
        ("<0.001", 0.00018, BOUND), ("< .001", 0.00018, BOUND), ("<0.05", 0.05, None), ("<=0.05", 0.05, BOUND),
        ("≤ .05", 0.05, BOUND), (">0.9", 0.95, BOUND), ("<0.001", 0.001, None),
        ("0.001", 0.00018, None), ("0.001", 0.0019, CUT), ("0.9", 1.0, None),
        ("-26.83", -26.8349, ROUNDED), ("−26.83", -26.8399, CUT), ("0", -0.3, ROUNDED), ("1", -0.9, None),
        ("2.0057822661250468e-12", 2.00578226612504e-12, EXACT), ("1e308", 1e307, None),
    ],
)  # fmt: skip
def test_by_which_rule_a_number_is_the_printed_one(text: str, ours: float, by: str | None) -> None:
    assert rule(Printed.of(text), ours) == by


@given(value=NUMBERS, decimals=DECIMALS)
def test_whatever_is_rounded_or_cut_matches(value: Decimal, decimals: int) -> None:
    assert rule(in_print(value, decimals, ROUND_HALF_EVEN), float(value)) in (EXACT, ROUNDED)
    assert rule(in_print(value, decimals, ROUND_DOWN), float(value)) in (EXACT, ROUNDED, CUT)


@given(value=NUMBERS, decimals=DECIMALS, off=some.integers(-3, 3), ours=NUMBERS)
def test_what_matches_is_less_than_a_unit_off_or_a_unit_of_a_hundred(
    value: Decimal, decimals: int, off: int, ours: Decimal
) -> None:
    printed = in_print(value, decimals, ROUND_DOWN)
    for mine in (float(value) + off * printed.unit, float(ours)):
        found, apart = rule(printed, mine), abs(mine - printed.value)
        if found:
            assert apart <= printed.unit * (1 + 1e-6)
        if found == WITHIN:
            assert abs(printed.value) >= SLACK_UNITS * printed.unit
        if found is None and abs(printed.value) >= SLACK_UNITS * printed.unit:
            assert apart > printed.unit * (1 - 1e-6)


@given(value=NUMBERS, ours=NUMBERS, decimals=DECIMALS)
def test_signs_do_not_matter(value: Decimal, ours: Decimal, decimals: int) -> None:
    printed = in_print(value, decimals, ROUND_DOWN)
    mirrored = in_print(-value, decimals, ROUND_DOWN)
    assert rule(printed, float(ours)) == rule(mirrored, -float(ours))


@given(ours=NUMBERS, decimals=DECIMALS)
def test_a_small_number_one_unit_off_never_matches(ours: Decimal, decimals: int) -> None:
    printed = in_print(ours, decimals, ROUND_HALF_EVEN)
    assume(abs(printed.value) < (SLACK_UNITS - 2) * printed.unit)
    for away in (-1.51, 1.51):
        text = f"{float(ours) + away * printed.unit:.{decimals}f}"
        assert rule(Printed.of(text), float(ours)) is None


@given(share=SHARES)
def test_a_folded_effect_size_has_no_direction(share: float) -> None:
    larger = max(Decimal(str(share)), 1 - Decimal(str(share)))
    printed = in_print(larger, 1, ROUND_DOWN)
    for mine in (share, 1 - share):
        assert rule(printed, mine, folded=True)
    assert rule(Printed.of("1").with_decimals(1), 0.0, folded=True) == "folded, exact"
    assert rule(Printed.of("1").with_decimals(1), 0.9, folded=True) is None
    assert rule(Printed.of(".9"), 0.03, folded=True) == "folded, cut"
    assert rule(Printed.of("1").with_decimals(1), 0.0) is None


@given(value=some.floats(-1e9, 1e9), other=some.floats(-1e9, 1e9))
def test_a_number_with_all_its_digits_is_only_itself(value: float, other: float) -> None:
    assert rule(Printed.exactly(value), value) == EXACT
    if abs(other - value) > 1e-8 * max(abs(value), abs(other)):
        assert rule(Printed.exactly(value), other) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "many",
        "nan",
        "inf",
        "1e999",
        "1,234",
        "<",
        "<<1",
        "0.1.2",
        "1 2",
        "0x10",
        "1" * 60,
        "٣",
        "1e9999",
        "--1",
    ],
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no number"):
        Printed.of(text)


@given(text=some.text(max_size=50))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    try:
        found = Printed.of(text)
    except ValueError:
        return
    assert found.unit > 0 or found.text
