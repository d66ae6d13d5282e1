"""What py-spy tells as looks: the main thread's stacks, on the meters' clock, without places of this machine."""

import json

import pytest

from harness.profiling import trace


def event(ph, name, ts, file="torch/nn/functional.py", tid=1):
    return {"ph": ph, "name": name, "ts": ts, "tid": tid, "args": {"filename": file, "line": 1}}


RUN = event("B", "main", 0, "/home/someone/checkout/suite/run.py")


@pytest.fixture
def seen(tmp_path):
    def of(*events):
        path = tmp_path / "trace.json"
        path.write_text(json.dumps(events))
        return trace.looks(path, began_ns=1000, looks_per_s=100)

    return of


def test_between_two_changes_each_look_saw_the_same(seen):
    found = seen(RUN, event("B", "relu", 50_000), event("E", "relu", 80_000), event("E", "main", 100_000))
    assert found.stacks == ["main (suite/run.py)"] * 5 + [
        "main (suite/run.py);relu (torch/nn/functional.py)"
    ] * 3 + ["main (suite/run.py)"] * 2 + [""]
    assert found.t_ns[:3] == [1000, 10_001_000, 20_001_000]
    assert found.t_ns[5] == 50_001_000


def test_other_threads_are_left_out(seen):
    other = event("B", "wait", 0, "/usr/lib/python3.11/threading.py", tid=2)
    assert set(seen(other, RUN, event("B", "relu", 10_000)).stacks) == {
        "main (suite/run.py)", "main (suite/run.py);relu (torch/nn/functional.py)",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("/home/someone/env/lib/python3.11/site-packages/torch/optim/sgd.py", "torch/optim/sgd.py"),
        ("/usr/lib/python3.11/json/decoder.py", "json/decoder.py"),
        ("/home/someone/checkout/suite/svm/spec.py", "suite/svm/spec.py"),
        ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"),
        ("/home/someone/notes/secret.py", "secret.py"),
        ("/tmp/home-12-34/torchinductor_someone/fl/cfl5.py", "cfl5.py"),
    ],
)
def test_where_files_lie_is_not_told(seen, file, told):
    assert seen(RUN, event("B", "one", 10_000, file)).stacks[-1] == f"main (suite/run.py);one ({told})"


@pytest.mark.parametrize(
    "name", ["a;b", "a\nfunctions 1 J = 9 J", "\x1b[2J\x1b[31mred", "a\u202eb", "n" * 100_000]
)
def test_a_hostile_name_is_one_frame_on_one_line_of_modest_length(seen, name):
    stack = seen(RUN, event("B", name, 10_000)).stacks[-1]
    assert stack.count(";") == 1
    assert stack.isprintable()
    assert len(stack) < 1000


def test_of_a_worker_that_was_never_seen_there_is_nothing(seen):
    assert seen(event("B", "one", 0)).stacks == []


@pytest.mark.parametrize(
    "text", ["", "[1]", '[{"tid": 1}]', "[", '[{"ph": "B", "name": "x", "ts": 0, "tid": 1, "args": 5}]']
)
def test_what_is_no_trace_is_an_error(tmp_path, text):
    path = tmp_path / "trace.json"
    path.write_text(text)
    with pytest.raises((ValueError, LookupError, TypeError)):
        trace.looks(path, 0, 100)


@pytest.mark.timeout(30)
def test_a_worker_that_hides_who_it_is_keeps_nobody_busy(seen):
    """Its own code is sought once, not for each event of a trace that has none of it."""
    hidden = [event(kind, "one", t, "/srv/other.py") for t in range(50_000) for kind in "BE"]
    assert not seen(*hidden).stacks
