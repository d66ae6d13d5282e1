"""Native frames of a worker in namespaces of its own, as a container's, by the real py-spy and the real kernel."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from harness.attribution.functions import MORE, is_native, name_of
from harness.profiling import joining, spy, spy_program, stacks_file
from harness.profiling.joining import JoiningFailed, is_whole, number_inside
from harness.profiling.rights import CAP_SYS_PTRACE
from harness.profiling.spy_program import SpyFailed, described
from tests.harness.profiling.native_program import start

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes such namespaces")
AT_MOST_LATE_NS = 500_000_000  # on a busy machine
APART = ["unshare", "--pid", "--mount-proc", "--fork", "--kill-child"]


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[int]:
    """That burns in C, the first process of its namespace, behind a mount that the host does not see."""
    process, _ = start(tmp_path, 60, APART)
    try:
        while not (children := psutil.Process(process.pid).children()):
            time.sleep(0.01)
        while number_inside(children[0].pid) is None or "python" not in children[0].name():
            time.sleep(0.01)
        yield children[0].pid
    finally:
        process.kill()
        process.wait()


@as_root
@pytest.mark.unhurried
def test_native_frames_are_seen_with_one_right_of_root_s_and_nothing_else_joins(
    worker: int, tmp_path: Path
) -> None:
    assert number_inside(worker) == 1
    with spy.beside(worker, tmp_path, native=True) as spied:
        (looks,) = (one for one in psutil.Process().children() if one.name() == "py-spy")
        status = dict(
            line.split(":\t", 1) for line in Path(f"/proc/{looks.pid}/status").read_text().splitlines()
        )
        time.sleep(5)
    assert spied.joined and spied.cpu_s
    assert {int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd")} == {1 << CAP_SYS_PTRACE}
    assert status["NoNewPrivs"] == "1"
    seen = stacks_file.read(tmp_path)
    frames = {name_of(frame) for stack in seen.stacks for frame in stack.split(MORE)}
    assert "burn_in_c [native] libburn.so" in frames and "suite.run.compute" in frames
    assert sum(map(is_native, seen.stacks)) > 0.5 * len(seen.stacks) > 10
    child = psutil.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with child:
        assert number_inside(child.pid) is None


@as_root
@pytest.mark.unhurried
def test_looks_are_when_they_were_however_long_it_took_to_join(
    worker: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = tmp_path / "late-python"
    late.write_text(f'#!/bin/sh\nsleep 1\nexec {sys.executable} "$@"\n')
    late.chmod(0o755)
    program = spy_program.program()
    monkeypatch.setattr(spy_program, "program", lambda: program)
    monkeypatch.setattr(sys, "executable", str(late))
    with spy.beside(worker, tmp_path, native=True):
        begun_ns = time.monotonic_ns()
        time.sleep(1)
        ended_ns = time.monotonic_ns()
    times_ns = stacks_file.read(tmp_path).t_ns
    assert times_ns[0] == pytest.approx(begun_ns, abs=AT_MOST_LATE_NS)
    assert times_ns[-1] == pytest.approx(ended_ns, abs=AT_MOST_LATE_NS)


@as_root
@pytest.mark.unhurried
def test_python_s_frames_alone_are_looked_at_from_where_we_are(worker: int, tmp_path: Path) -> None:
    with spy.beside(worker, tmp_path) as spied:
        time.sleep(0.5)
    assert not spied.joined and len(stacks_file.read(tmp_path).stacks) > 10


@as_root
@pytest.mark.unhurried
def test_with_the_container_ends_what_looks_at_it_and_says_so(worker: int, tmp_path: Path) -> None:
    with (
        pytest.raises(SpyFailed, match="py-spy was ended by SIGKILL"),
        spy.beside(worker, tmp_path, native=True),
    ):
        psutil.Process(worker).kill()
        time.sleep(0.3)
    assert not list(tmp_path.glob("py-spy*"))


@as_root
@pytest.mark.unhurried
def test_a_program_that_would_load_the_container_s_libraries_is_refused(
    worker: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spy_program, "program", lambda: sys.executable)
    with pytest.raises(SpyFailed, match="would take a container's") as found:
        spy_program.look_once(worker, native=True)
    assert "\n" not in str(found.value)


def test_who_may_not_join_is_told_what_else_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*words: object, **more: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(joining, "_begin", refuse)
    with pytest.raises(JoiningFailed, match="run suite as root, or take --tool py-spy or --environment virt"):
        joining.start(os.getpid(), [spy_program.program()])


@pytest.mark.parametrize(
    ("own", "its", "number"),
    [("7", "1234", None), ("7", "1234\t7", 7), ("3\t7", "1234\t1", None), ("3\t7", "1234\t70\t2", 2)],
)
def test_who_is_deeper_than_we_are_is_in_a_container(
    tmp_path: Path, own: str, its: str, number: int | None
) -> None:
    for name, told in (("self", own), ("1234", its)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(f"Name:\tNSpid:\nNSpid:\t{told}\nThreads:\t1\n")
    assert number_inside(1234, tmp_path) == number
    assert number_inside(99, tmp_path) is None


def test_py_spy_needs_no_library_and_python_does(tmp_path: Path) -> None:
    assert is_whole(Path(spy_program.program()))
    assert not is_whole(Path(sys.executable).resolve())
    for content in (b"", b"#!/bin/sh\n", b"\x7fELF\x02\x01", b"\x7fELF\x02\x01" + bytes(58)):
        (tmp_path / "program").write_bytes(content)
        assert not is_whole(tmp_path / "program")


def test_a_run_tells_what_py_spy_kept() -> None:
    assert described(native=True, joined=True)["capabilities_kept"] == ["CAP_SYS_PTRACE"]
    assert described(native=True, joined=True)["capabilities_added"] == []
    assert "capabilities_kept" not in described(native=True)
