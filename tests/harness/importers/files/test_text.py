"""Lines of any text, numbers of any locale."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from harness.importers.base import SourceError
from harness.importers.files.text import lines, number, step

NARROW, HARD = "\u202f", "\u00a0"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("188,753.25", 188753.25),
        ("188.753,25", 188753.25),
        (f"188{NARROW}753,25", 188753.25),
        (f"188{HARD}753.25", 188753.25),
        ("188'753.25", 188753.25),
        ("1,188,753", 1188753.0),
        ("1,88,753.25", 188753.25),
        ("2575,763113276", 2575.763113276),
        ("2575.763113276", 2575.763113276),
        ("0,339", 0.339),
        ("1.234", 1.234),
    ],
)
def test_a_number_reads_the_same_in_every_locale(text: str, value: float) -> None:
    assert number(text) == value


@pytest.mark.parametrize("text", ["1,234", "12,345", "999,999"])
def test_a_comma_before_three_digits_alone_may_be_either_and_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="may be"):
        number(text)


@pytest.mark.parametrize("text", ["", "abc", "nan", "inf", "1.2.3,4,5", "1.0001.3", "12,34,5"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        number(text)


@settings(deadline=None)  # a busy machine is no fault
@given(some.integers(0, 10**12), some.sampled_from([(",", "."), (".", ","), (NARROW, ","), ("'", ".")]))
def test_thousands_and_two_decimals_come_back_to_the_cent(cents: int, marks: tuple[str, str]) -> None:
    """As perf prints joules."""
    thousands, decimal = marks
    text = f"{cents // 100:,}".replace(",", thousands) + f"{decimal}{cents % 100:02d}"
    assert number(text) == cents / 100


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(SourceError, match="is not text"):
        lines(tmp_path / "a.txt")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"gone\.txt: the file is missing"):
        lines(tmp_path / "gone.txt")


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("188,753.25", 0.01),
        ("188.753,25", 0.01),
        ("177518", 1.0),
        ("0.500", 0.001),
        ("6.62e-07", 1e-9),
        ("0.0017723816956802", None),
        ("206.08740234375000", None),
    ],
)
def test_the_last_digit_tells_the_step(text: str, worth: float | None) -> None:
    assert step(text) == (worth if worth is None else pytest.approx(worth))


@given(some.integers(1, 10**6), some.integers(4, 6))
def test_a_number_that_is_printed_is_within_half_a_step(sevenths: int, decimals: int) -> None:
    text = f"{sevenths / 7:.{decimals}f}"
    worth = step(text)
    assert worth is not None
    assert abs(number(text) - sevenths / 7) <= worth / 2 * 1.000001
