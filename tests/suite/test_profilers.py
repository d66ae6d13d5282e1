"""What a worker tells of its functions: what Python's own pstats says of the same, and only where it is asked to."""

import json
import pstats

import pytest

from suite.profilers import CPROFILE, OPERATORS, Profiled, cprofile


def falling(steps):
    """Calls itself: its calls are more than its primitive ones."""
    return falling(steps - 1) if steps else len(sorted(range(20_000), key=str))


def told(profiled):
    return json.loads(b"".join(profiled.told()) or b"null")


def recorded(*numbers):
    profiled = Profiled(CPROFILE, "sklearn", "cpu")
    for number in numbers:
        with profiled.recording(number):
            falling(10)
    return profiled


def test_it_tells_what_pstats_says():
    profiled = recorded(1, 2)
    ours, theirs = told(profiled), pstats.Stats(profiled._recorder._profile)
    assert ours["profiler"] == CPROFILE
    assert ours["own_s"] == pytest.approx(theirs.total_tt)
    rows = {(file, line, name): numbers for file, line, name, *numbers in ours["functions"]}
    assert {key: tuple(numbers) for key, numbers in rows.items()} == {
        key: (primitive, calls, own, total) for key, (primitive, calls, own, total, _) in theirs.stats.items()
    }
    names = list(rows)
    pairs = {(names[caller], names[callee]): calls for caller, callee, calls, *_ in ours["calls"]}
    assert pairs == {
        (caller, key): calls for key, row in theirs.stats.items() for caller, (calls, *_) in row[4].items()
    }


def test_the_longest_functions_are_kept_and_the_time_of_all_is_told(monkeypatch):
    whole = told(recorded(1))
    monkeypatch.setattr(cprofile, "MOST_FUNCTIONS", 2)
    few = told(recorded(1))
    assert [row[2] for row in few["functions"]] == [row[2] for row in whole["functions"][:2]]
    assert few["own_s"] > sum(row[5] for row in few["functions"])
    assert all(max(caller, callee) < 2 for caller, callee, *_ in few["calls"])


def test_nothing_is_told_where_nothing_is_asked_for():
    profiled = Profiled("", "sklearn", "cpu")
    with profiled.recording(1):
        falling(1)
    assert told(profiled) is None


@pytest.mark.parametrize("profiler", [OPERATORS, "perf"])
def test_a_profiler_that_a_framework_lacks_is_an_error(profiler):
    with pytest.raises(ValueError, match="sklearn has no profiler"):
        Profiled(profiler, "sklearn", "cpu")
