"""The tables of a profile in a run's folder: what was written is read, and what anybody altered is one line."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import SuiteError, UsageError
from harness.exports.csv_text import as_text
from harness.profiling import function_files, operator_files
from harness.profiling.function_files import CALLS_FILE, FUNCTION_COLUMNS, FUNCTIONS_FILE, FunctionProfile
from harness.profiling.operator_files import OPERATORS_FILE


def profile(*own_s, calls=()):
    rows = [("torch/f.py", n, f"f{n}", 1, 1, one, one, one) for n, one in enumerate(own_s)]
    return FunctionProfile.of(
        pd.DataFrame(rows, columns=FUNCTION_COLUMNS), [[*pair, 1, 0.0, 0.0] for pair in calls]
    )


def write(folder, found):
    (folder / FUNCTIONS_FILE).write_text(as_text(found.functions))
    (folder / CALLS_FILE).write_text(as_text(found.calls))


def names(found):
    callers, callees = (found.functions["function"][found.calls[one]] for one in ("caller", "callee"))
    return set(zip(callers, callees, strict=True))


def test_what_is_written_is_read(tmp_path):
    found = profile(0.1, 0.6, 0.3, calls=[(0, 1), (1, 2)])
    write(tmp_path, found)
    again = function_files.read(tmp_path)
    pd.testing.assert_frame_equal(again.functions, found.functions)
    pd.testing.assert_frame_equal(again.calls, found.calls)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9), st.data())
def test_whatever_the_order_each_calls_whom_it_called(own_s, data):
    places = st.integers(0, len(own_s) - 1)
    calls = data.draw(st.lists(st.tuples(places, places), unique=True))
    found = profile(*own_s, calls=calls)
    assert found.functions["own_s"].is_monotonic_decreasing
    assert names(found) == {(f"f{a}", f"f{b}") for a, b in calls}
    kept = found.kept(0.5)
    large = {f"f{n}" for n, one in enumerate(own_s) if one >= 0.5}
    assert names(kept) == {pair for pair in names(found) if set(pair) <= large}


def test_what_calls_what_takes_time_is_kept_though_it_takes_none_itself():
    rows = [
        ("f.py", n, f"f{n}", 1, 1, own, total, own)
        for n, (own, total) in enumerate([(0, 1), (1, 1), (0, 0.01)])
    ]
    found = FunctionProfile.of(
        pd.DataFrame(rows, columns=FUNCTION_COLUMNS), [[0, 1, 1, 1, 1], [0, 2, 1, 0, 0]]
    )
    assert names(found.kept(0.01)) == {("f0", "f1")}


def test_a_profile_that_was_imported_before_calls_were_kept_has_functions_alone(tmp_path):
    write(tmp_path, profile(0.5, 0.5, calls=[(0, 1)]))
    (tmp_path / CALLS_FILE).unlink()
    again = function_files.read(tmp_path)
    assert (len(again.functions), len(again.calls)) == (2, 0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (FUNCTIONS_FILE, ""),
        (FUNCTIONS_FILE, "a,b\n1,2\n"),
        (FUNCTIONS_FILE, ",".join(FUNCTION_COLUMNS) + "\nf,1,g,1,1,nan,1,1\n"),
        (FUNCTIONS_FILE, ",".join(FUNCTION_COLUMNS) + "\nf,1,g,1,1,-1,1,1\n"),
        (FUNCTIONS_FILE, ",".join(FUNCTION_COLUMNS) + "\nf,1,g,1,1,inf,1,1\n"),
        (FUNCTIONS_FILE, ",".join(FUNCTION_COLUMNS) + f"\nf,{10**30},g,1,1,1,1,1\n"),
        (CALLS_FILE, "caller,callee,calls,own_s,cumulative_s\n0,7,1,0,0\n"),
        (CALLS_FILE, "caller,callee,calls,own_s,cumulative_s\n0,-1,1,0,0\n"),
    ],
)
def test_a_table_that_was_altered_is_one_line(tmp_path, name, text):
    write(tmp_path, profile(1.0))
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match="suite profile") as refused:
        function_files.read(tmp_path)
    assert "\n" not in str(refused.value)


def test_a_link_is_not_followed(tmp_path):
    write(tmp_path, profile(1.0))
    (tmp_path / FUNCTIONS_FILE).rename(tmp_path / "elsewhere")
    (tmp_path / FUNCTIONS_FILE).symlink_to("elsewhere")
    with pytest.raises(SuiteError, match="no link"):
        function_files.read(tmp_path)


def test_without_a_table_the_remedy_is_told(tmp_path):
    for read in (function_files.read, operator_files.read):
        with pytest.raises(UsageError, match="is not there: profile anew"):
            read(tmp_path)


def test_an_operator_without_flops_has_none(tmp_path):
    (tmp_path / OPERATORS_FILE).write_text(
        "name,scope,calls,seconds,bytes,flops,recorded_s,source\nNA,,2,0.5,,8,1.5,jax\n"
    )
    (row,) = operator_files.read(tmp_path).to_dict("records")
    assert all(pd.isna(row.pop(name)) for name in ("bytes", "began_ns", "covered_s"))
    assert row == {
        "name": "NA",
        "scope": "",
        "calls": 2,
        "seconds": 0.5,
        "flops": 8.0,
        "recorded_s": 1.5,
        "source": "jax",
    }
