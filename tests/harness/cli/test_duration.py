"""Durations as they are written on the command line."""

from __future__ import annotations

from datetime import datetime, timedelta

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cli.duration import DURATION, until_morning, words


@pytest.mark.parametrize(
    ("written", "seconds"), [("90s", 90), ("10min", 600), ("8h", 28_800), ("1h30min", 5400), ("+1h", 3600)]
)
def test_each_unit_is_read(written: str, seconds: float) -> None:
    assert DURATION.convert(written, None, None) == seconds


@given(st.integers(1, 365 * 24 * 3600))
def test_what_is_told_is_read_again(seconds: int) -> None:
    assert DURATION.convert(words(seconds), None, None) == seconds


@pytest.mark.parametrize("written", ["", "10", "0s", "-1h", "over night", "1d", "366000h"])
def test_anything_else_is_refused_with_the_forms(written: str) -> None:
    with pytest.raises(click.BadParameter, match="10min, 8h or 1h30min"):
        DURATION.convert(written, None, None)


@pytest.mark.parametrize(
    ("now", "hours"),
    [(datetime(2026, 11, 26, 22), 10), (datetime(2026, 11, 27, 2, 30), 5.5), (datetime(2026, 11, 27, 8), 24)],
)
def test_overnight_ends_at_eight_in_the_morning(now: datetime, hours: float) -> None:
    assert until_morning(now) == hours * 3600


@given(st.datetimes(datetime(2000, 1, 1), datetime(2060, 1, 1)))
def test_overnight_is_never_longer_than_a_day_and_never_nothing(now: datetime) -> None:
    assert 0 < until_morning(now) <= timedelta(hours=25).total_seconds()


def test_overnight_is_a_duration() -> None:
    assert 0 < DURATION.convert("overnight", None, None) <= timedelta(hours=25).total_seconds()
