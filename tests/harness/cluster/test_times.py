"""How long a job may take, in each of the forms that sbatch(1) takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.cluster import times
from harness.errors import UsageError

HOURS, SIXTY = st.integers(0, 23), st.integers(0, 59)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1", 1), ("90", 90), ("1:30", 2), ("0:01", 1), ("1:30:00", 90), ("1-12", 2160),
     ("2-00:30", 2910), ("0-0:0:61", 2)],
)  # fmt: skip
def test_slurm_s_forms_are_minutes_rounded_up(text: str, expected: int) -> None:
    assert times.minutes(text) == expected


@given(st.integers(1, 300), HOURS, SIXTY, SIXTY)
def test_the_longest_form_says_what_its_parts_say(days: int, hours: int, minutes: int, seconds: int) -> None:
    whole = ((days * 24 + hours) * 60 + minutes) + (seconds > 0)
    assert times.minutes(f"{days}-{hours}:{minutes}:{seconds}") == whole
    assert times.minutes(f"{days * 24 + hours}:{minutes:02d}:{seconds:02d}") == whole


@given(st.text(max_size=12))
def test_any_other_text_is_refused_in_one_line_or_is_a_time(text: str) -> None:
    try:
        assert 1 <= times.minutes(text) <= times.MOST_MINUTES
    except UsageError as error:
        assert "--time" in str(error)


@pytest.mark.parametrize(
    "text", ["", "soon", "1:2:3:4", "-1", "0", "0:00", "1h", "99999999", "1-", "400-0", "١٢"]
)
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--time"):
        times.minutes(text)
