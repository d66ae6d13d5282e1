"""The graph of calls: who holds the time, and who called it, of our own profiles and of a study's."""

import cProfile

import pandas as pd
import pytest

from harness.analysis import call_graph
from harness.importers.files import cprofile
from harness.profiling.function_files import FUNCTION_COLUMNS, FunctionProfile, with_share


def profile(own_s, total_s, calls, kept=None):
    rows = [
        ("torch/f.py", n, f"f{n}", 1, 1, own, total)
        for n, (own, total) in enumerate(zip(own_s, total_s, strict=True))
    ]
    frame = with_share(pd.DataFrame(rows, columns=FUNCTION_COLUMNS[:-1]), kept or sum(own_s))
    return FunctionProfile.of(frame, [[caller, callee, 1, 0.0, total] for caller, callee, total in calls])


def edges(graph):
    names = graph.functions["name"]
    return {
        (names[a], names[b]): share for a, b, share in graph.calls[["caller", "callee", "share"]].to_numpy()
    }


def test_who_calls_what_takes_time_is_drawn_though_it_takes_none_itself():
    found = profile([0.0, 9.9, 0.1], [10.0, 9.9, 0.05], [(0, 1, 9.9), (0, 2, 0.05)])
    graph = call_graph.call_graph(found, "torch")
    assert graph.functions["name"].tolist() == ["torch.f.f0", "torch.f.f1"]
    assert edges(graph) == {("torch.f.f0", "torch.f.f1"): pytest.approx(0.99)}
    assert graph.functions["own_share"].tolist() == pytest.approx([0.0, 0.99])


def test_shares_are_of_all_functions_also_of_those_that_were_not_kept():
    graph = call_graph.call_graph(profile([1.0, 1.0], [2.0, 1.0], [(0, 1, 1.0)], kept=4.0), "torch")
    assert graph.functions["total_share"].tolist() == [0.5, 0.25]


def test_no_more_is_drawn_than_a_person_can_look_at_and_what_is_left_out_is_counted():
    many = call_graph.MOST_FUNCTIONS + 7
    graph = call_graph.call_graph(profile([1.0] * many, [50.0] * many, []), "torch")
    assert (len(graph.functions), graph.left_out) == (call_graph.MOST_FUNCTIONS, 7)


def test_of_nothing_there_is_nothing():
    graph = call_graph.call_graph(profile([], [], []), "torch")
    assert (len(graph.functions), len(graph.calls), graph.left_out) == (0, 0, 0)


def inner():
    return sorted(range(30_000), key=str)


def outer():
    return [inner() for _ in range(3)]


def test_a_prof_file_goes_through_the_same(tmp_path):
    recorded = cProfile.Profile()
    recorded.runcall(outer)
    recorded.dump_stats(tmp_path / "a.prof")
    graph = call_graph.call_graph(cprofile.read(tmp_path / "a.prof").kept(0.001), "torch")
    names = [name.partition(" ")[0] for name in graph.functions["name"]]
    pairs = {
        (names[a], names[b]): calls
        for a, b, calls in graph.calls[["caller", "callee", "calls"]].to_numpy(int)
    }
    assert pairs["<listcomp>", "inner"] == 3
    assert ("outer", "<listcomp>") in pairs
