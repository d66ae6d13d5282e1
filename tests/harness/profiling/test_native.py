"""Frames of compiled code: seen by the real py-spy in a real library, marked, inert whatever they are called."""

import subprocess
import sys
import time

import pytest

from harness.attribution.functions import MORE, is_native, name_of
from harness.profiling import spy, stacks_file, trace
from harness.profiling.spy_program import LOOKS_PER_S, NATIVE_LOOKS_PER_S, described, words
from reports.flames import package
from tests.harness.profiling.native_program import HOSTILE, start

LASTS_S = 5.0
IN_C = 0.75  # of the time, see native_program
DEEP = """
import sys, time
def deep(levels):
    if levels:
        return deep(levels - 1)
    print(flush=True)
    input()
    began_s, used_s = time.monotonic(), time.process_time()
    while time.monotonic() < began_s + 5:
        pass
    print((time.process_time() - used_s) / (time.monotonic() - began_s), flush=True)
    input()
sys.setrecursionlimit(10_000)
deep(2_000)
"""
MARKED = f"{HOSTILE.replace(MORE, ',')} [native] libburn.so"


@pytest.fixture
def stacks(tmp_path):
    process, done = start(tmp_path, LASTS_S)
    try:
        with spy.beside(process.pid, tmp_path, native=True):
            deadline = time.monotonic() + 60
            while not done.exists() and time.monotonic() < deadline:
                time.sleep(0.05)
        return [list(map(name_of, one.split(MORE))) for one in stacks_file.read(tmp_path).stacks if one]
    finally:
        process.kill()
        process.wait()


@pytest.mark.unhurried
def test_time_in_a_library_goes_to_its_functions_below_python_s(stacks):
    inside = [one for one in stacks if "suite.run.compute" in one and one[-1].endswith("libburn.so")]
    assert len(inside) > 0.3 * LASTS_S * NATIVE_LOOKS_PER_S
    own = [one[-1] for one in inside]
    assert set(own) <= {"burn_in_c [native] libburn.so", "both [native] libburn.so", MARKED}
    by_chance = (IN_C * (1 - IN_C) / len(own)) ** 0.5
    assert own.count("burn_in_c [native] libburn.so") / len(own) == pytest.approx(IN_C, abs=5 * by_chance)
    assert {one[0] for one in inside} == {"suite.run.<module>"}  # not what starts Python
    assert {one[-2] for one in inside if one[-1] == MARKED} == {"both [native] libburn.so"}
    assert all(is_native(one) != one.startswith("suite.run") for one in inside[0])
    assert "/" not in "".join(one for stack in inside for one in stack if is_native(one) and one != MARKED)


@pytest.mark.unhurried
def test_a_worker_with_deep_stacks_gets_on(tmp_path):
    """A look at TensorFlow while it traces takes 30 ms: at 50 a second it had not ended after ten minutes."""
    script = tmp_path / "suite" / "run.py"
    script.parent.mkdir()
    script.write_text(DEEP)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, script], **pipes, text=True) as worker:
        worker.stdout.readline()
        with spy.beside(worker.pid, tmp_path, native=True):
            print(file=worker.stdin, flush=True)
            share = float(worker.stdout.readline())
        worker.kill()
    assert share > 0.3


@pytest.mark.parametrize(
    ("name", "file", "told"),
    [
        ("sgemm_", "/home/someone/env/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so",
         "sgemm_ [native] libtorch_cpu.so"),
        ("at::(unnamed)::relu", "/srv/libtorch.so.2", "at::(unnamed)::relu [native] libtorch.so.2"),
        ("0x7f7d9f64524a", "/usr/lib/x86_64-linux-gnu/libc.so.6", "unknown [native] libc.so.6"),
        ("0x7fb653694319", "?", "unknown [native]"),
        ("call", "/build/someone/callproc.c", "call [native] callproc.c"),
        ("Tensor.backward", "/env/lib/python3.11/site-packages/torch/_tensor.py", "torch._tensor.Tensor.backward"),
        ("forward", "<eval_with_key>.1", "<eval_with_key>.1.forward"),
        ("pretends [native] libc.so.6", "/home/someone/notes.py", "notes.pretends native libc.so.6"),
        ("one", "/home/someone/a [native] b.py", "a native b.one"),
        ("n" * 10_000, "/lib/" + "l" * 10_000, f"{'n' * 90} [native] {'l' * 90}"),
        ("two\nlines\x1b[2J", "/lib/liba.so", None),
    ],
)  # fmt: skip
def test_a_frame_tells_its_library_and_whether_it_is_native_whatever_it_is_called(name, file, told):
    (frame,) = trace.native_frame(name, file).split(MORE)
    assert frame.isprintable() and len(frame) <= stacks_file.LONGEST_FRAME
    assert told is None or name_of(frame) == told
    assert is_native(name_of(frame)) == is_native(frame) == ((told or "[native]").count("[native]") > 0)


def test_its_library_is_the_package_that_colours_it():
    assert package("at::native::relu [native] libtorch_cpu.so") == "libtorch_cpu.so"
    assert package("torch.nn.functional.relu") == "torch"


def test_without_native_frames_nothing_passes_for_one():
    assert not is_native(trace.python_frame("sgemm_ [native] libm.so", "/srv/liba.so"))


def test_how_often_it_looks_and_at_what_is_told():
    assert described(native=True)["looks_per_s"] == NATIVE_LOOKS_PER_S < LOOKS_PER_S
    assert described(native=True)["native"] is True and "native" not in described()
    assert "native frames, too" in words(native=True) and "native" not in words()
