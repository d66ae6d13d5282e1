"""Functions of stacks by the names that their users know."""

import numpy as np
import pytest

from harness.attribution.functions import OTHERS, folded, innermost, name_of, own_frame


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ("relu (torch/nn/functional.py)", "torch.nn.functional.relu"),
        ("__init__ (numpy/__init__.py)", "numpy.__init__"),
        ("_find (<frozen importlib._bootstrap>)", "importlib._bootstrap._find"),
        ("<module> (suite/run.py)", "suite.run.<module>"),
        ("", "no Python function"),
    ],
)
def test_names_are_as_they_are_imported(frame, name):
    assert name_of(frame) == name


def test_what_is_seldom_seen_is_one_kind():
    stacks = ["a (x.py)"] * 150 + ["a (x.py);b (y.py)"] * 49 + ["c (z.py)"]
    found = innermost(range(200), stacks)
    assert found.names == ["x.a", "y.b", OTHERS]
    assert np.bincount(found.looks.kind).tolist() == [150, 49, 1]


LOADS, WAITS = "_value (jax/_src/array.py)", "syscall [native] (libc.so.6)"
OPENMP = "GOMP_parallel [native] (libgomp.so.1)", "unknown [native] (libgomp.so.1)"
FUTEX = "absl::FutexWaiter::WaitUntil [native] (libjax_common.so)"


@pytest.mark.parametrize(
    ("stack", "name"),
    [
        ([LOADS, FUTEX, WAITS], "jax._src.array._value"),
        ([LOADS, FUTEX, "syscall [native] (libc-2.31.so)"], "jax._src.array._value"),
        (
            [LOADS, "pthread_cond_wait [native] (libpthread-2.28.so)", "unknown [native] (ld-2.28.so)"],
            "jax._src.array._value",
        ),
        ([LOADS, FUTEX], "absl::FutexWaiter::WaitUntil [native] libjax_common.so"),  # it computes, or spins
        (
            ["_retrieve (joblib/parallel.py)", "time_sleep [native] (libpython3.11.so.1.0)",
             "pthread_cond_timedwait [native] (libc.so.6)", "unknown [native] (libc.so.6)"],
            "joblib.parallel._retrieve",
        ),
        ([LOADS, "sgemm [native] (libmkl.so)", "unknown [native] (libc.so.6)"], "sgemm [native] libmkl.so"),
        ([LOADS, "malloc [native] (libc.so.6)", "unknown [native] (libc.so.6)"], "malloc [native] libc.so.6"),
        ([LOADS, "gemm [native] (libtorch.so)", *OPENMP], "gemm [native] libtorch.so"),
        ([LOADS, "gemm [native] (libtorch.so)", *OPENMP, WAITS], "gemm [native] libtorch.so"),
        ([LOADS, "unknown [native] (libgomp-a34b3233.so.1.0.0)"], "jax._src.array._value"),
        ([*OPENMP, "kernel [native] (libtorch.so)"], "kernel [native] libtorch.so"),  # which it called
        (["unknown [native] (libgomp.so.1)"], "unknown [native] libgomp.so.1"),
        (["syscall (libc.so.6)"], "libc.so.6.syscall"),  # Python's, whatever it is called
        (["unknown [native] (libc.so.6)"], "unknown [native] libc.so.6"),
        ([WAITS], "syscall [native] libc.so.6"),
    ],
)  # fmt: skip
def test_what_waits_or_has_no_name_is_the_time_of_who_called_it(stack, name):
    found = innermost(range(2), [";".join(stack)] * 2)
    assert found.names == [name, OTHERS]


@pytest.mark.timeout(60)
def test_a_long_name_of_a_strangers_library_is_read_in_one_pass():
    """Tried from each of its letters anew, this one would take hours."""
    frame = f"{'_' * 1_000_000} [native] (libc.so.6)"
    assert own_frame(f"fit (a.py);{frame}") == frame


def test_joules_of_equal_stacks_are_added():
    assert folded(["a (x.py);b (y.py)", "a (x.py)", "a (x.py);b (y.py)"], np.array([1.0, 2.0, 3.0])) == {
        "x.a;y.b": 4.0, "x.a": 2.0,
    }  # fmt: skip
