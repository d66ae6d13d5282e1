"""Numbers as readers see them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reports.formats import interval, known, listed, number, plural, probability, quantity, ratio, unit_for


@pytest.mark.parametrize(("value", "base", "text"), [
    (12.345, "J", "12.3 J"), (1234.5, "J", "1.23 kJ"), (0.0012, "J", "1.20 mJ"), (2.5e6, "J", "2.50 MJ"),
    (0, "J", "0 J"), (-3.0, "W", "−3.00 W"), (7213.4, "s", "7 213 s"), (0.0599, "s", "59.9 ms"),
    (502_000_000, "bytes", "502 MB"), (16e9, "bytes", "16.0 GB"), (0.5, "", "0.500"), (1e-9, "J", "0.00100 µJ"),
])  # fmt: skip
def test_quantities(value: float, base: str, text: str) -> None:
    assert quantity(value, base).replace("\u202f", " ") == text


def test_a_column_has_one_unit_that_of_its_largest_value() -> None:
    unit = unit_for([900.0, None, 1200.0, float("nan")], "J")
    assert [unit.text(value) for value in (900.0, 1200.0)] == ["0.900\u202fkJ", "1.20\u202fkJ"]


@pytest.mark.parametrize(("value", "low", "high", "text"), [
    (1.234, 1.18, 1.291, "1.23× (1.18–1.29)"), (1.05, 1.0023, 1.11, "1.05× (1.002–1.11)"), (1.0, None, None, "1.00×"),
    (1.00001, None, None, "1.0000×"), (123.4, 99.9, 150, "123× (99.9–150)"), (0.0512, None, None, "0.0512×"),
])  # fmt: skip
def test_ratios(value: float, low: float | None, high: float | None, text: str) -> None:
    assert ratio(value, low, high) == text


@given(st.floats(1.0001, 9.9))
def test_a_bound_on_one_side_of_one_never_reads_as_one(value: float) -> None:
    assert interval(value, value) not in ("(1.00–1.00)", "(1.000–1.000)")


@given(st.floats(1e-6, 1e9))
def test_three_digits_are_within_half_a_percent(value: float) -> None:
    assert float(number(value).replace("\u202f", "")) == pytest.approx(value, rel=0.0051)


def test_words() -> None:
    assert (listed([]), listed(["a"]), listed(["a", "b", "c"])) == ("", "a", "a, b and c")
    assert (plural(1, "run"), plural(0, "run"), plural(2, "series", "series")) == (
        "1 run",
        "0 runs",
        "2 series",
    )
    assert (known(None), known(float("nan")), known(2)) == (None, None, 2.0)
    assert (number(float("inf")), number(float("nan"))) == ("∞", "not a number")


@pytest.mark.parametrize(
    ("p", "text"), [(0.04213, "0.0421"), (1e-9, "<\u202f0.0001"), (0, "<\u202f0.0001"), (1, "1.0000")]
)
def test_probabilities_have_four_decimals_unless_they_are_tiny(p: float, text: str) -> None:
    assert probability(p) == text
