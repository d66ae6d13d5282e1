"""The wire: what one side writes the other reads, and a worker never outlives its harness."""

import io
import json
import os
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

from suite import protocol
from suite.protocol import EventWriter, LeaseHolder, Pipe, ProtocolError, Request

REQUEST = Request("r1", "mnist_cnn", "torch", "train", "digits", seed=3, settings={"epochs": 2})
WORKER = """
import sys, time
from pathlib import Path
from suite.protocol import Lease
lease = Lease(Path(sys.argv[1]))
print("opened", flush=True)
lease.wait_for_go()
print("gone on", flush=True)
if sys.argv[2] == "wait":
    lease.wait_for_bye()
time.sleep(60 if sys.argv[2] == "stay" else 0)
"""


def test_a_request_comes_back_as_it_was_written(tmp_path):
    REQUEST.write(tmp_path)
    assert Request.read(tmp_path) == REQUEST


def test_a_request_of_another_version_is_refused(tmp_path):
    REQUEST.write(tmp_path)
    file = tmp_path / protocol.REQUEST_FILE
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": 99}))
    with pytest.raises(ProtocolError, match="version 99"):
        Request.read(tmp_path)


@pytest.fixture
def pipe(tmp_path):
    with closing(Pipe(tmp_path / protocol.EVENTS)) as one:
        yield one


def told(pipe):
    return [json.loads(line) for line in pipe.read().splitlines()]


def test_events_come_out_in_order_with_monotonic_times(tmp_path, pipe):
    before_ns = time.monotonic_ns()
    writer = EventWriter(tmp_path)
    writer.send("ready", pid=7)
    with writer.phase("train", epoch=1):
        pass
    events = told(pipe)
    times_ns = [before_ns, *(event.pop("t_ns") for event in events), time.monotonic_ns()]
    assert events == [
        {"kind": "ready", "pid": 7},
        {"kind": "phase", "name": "train", "edge": "begin", "epoch": 1},
        {"kind": "phase", "name": "train", "edge": "end", "epoch": 1},
    ]
    assert times_ns == sorted(times_ns)


def test_a_phase_that_fails_has_no_end(tmp_path, pipe):
    writer = EventWriter(tmp_path)
    with pytest.raises(RuntimeError), writer.phase("build"):
        raise RuntimeError
    assert [event["edge"] for event in told(pipe)] == ["begin"]


def test_nothing_came_is_an_empty_read_and_never_a_wait(pipe):
    assert pipe.read() == b""


def test_a_pipe_is_the_worker_s_to_write_whatever_the_umask(tmp_path):
    before = os.umask(0o077)
    try:
        with closing(Pipe(tmp_path / "p")), closing(LeaseHolder(tmp_path)):
            REQUEST.write(tmp_path)
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"p": 0o622, protocol.LEASE: 0o444, protocol.REQUEST_FILE: 0o644}


def test_a_lease_that_somebody_filled_never_keeps_the_host_waiting(tmp_path):
    with closing(LeaseHolder(tmp_path)) as holder:
        (tmp_path / protocol.LEASE).chmod(0o666)
        filler = os.open(tmp_path / protocol.LEASE, os.O_WRONLY | os.O_NONBLOCK)
        with suppress(BlockingIOError):
            while os.write(filler, bytes(4096)):
                pass
        holder.go()
        holder.bye()
        os.close(filler)


def test_what_a_worker_leaves_behind_is_a_stream(tmp_path):
    with closing(Pipe(tmp_path / protocol.OUTPUT)) as pipe:
        with protocol.output(tmp_path) as stream:
            np.savez(stream, w=np.arange(5.0))
        with np.load(io.BytesIO(pipe.read()), allow_pickle=False) as found:
            assert found["w"].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "open_it", ["EventWriter(Path(sys.argv[1]))", "output(Path(sys.argv[1])).__enter__()"]
)
def test_a_pipe_whose_host_has_died_ends_the_worker_instead_of_keeping_it(tmp_path, open_it):
    for name in (protocol.EVENTS, protocol.OUTPUT):
        Pipe(tmp_path / name).close()
    source = f"import sys; from pathlib import Path; from suite.protocol import *; {open_it}; print('opened')"
    environment = {**os.environ, "PYTHONPATH": str(Path(protocol.__file__).parents[1])}
    command = [sys.executable, "-c", source, str(tmp_path)]
    ended = subprocess.run(command, env=environment, timeout=10, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (protocol.EXIT_LEASE_LOST, "")


@pytest.fixture
def worker(tmp_path):
    """Starts a real worker process; yields a function (stay, wait or leave) -> process and the holder of its lease."""
    processes = []

    def start(behaviour):
        holder = LeaseHolder(tmp_path)
        environment = {**os.environ, "PYTHONPATH": str(Path(protocol.__file__).parents[1])}
        command = [sys.executable, "-c", WORKER, str(tmp_path), behaviour]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        processes.append(process)
        assert process.stdout.readline() == "opened\n"
        return process, holder

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_a_worker_goes_on_after_go(worker):
    process, holder = worker("leave")
    holder.go()
    assert process.stdout.readline() == "gone on\n"
    assert process.wait(10) == 0
    holder.close()


def test_a_worker_does_nothing_before_go(worker):
    process, holder = worker("leave")
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    holder.close()


def test_a_waiting_worker_exits_when_the_harness_is_gone(worker):
    process, holder = worker("stay")
    holder.close()
    assert process.wait(10) == protocol.EXIT_LEASE_LOST


def test_a_working_worker_exits_when_the_harness_is_gone(worker):
    process, holder = worker("stay")
    holder.go()
    assert process.stdout.readline() == "gone on\n"
    holder.close()
    assert process.wait(10) == protocol.EXIT_LEASE_LOST


def test_a_worker_that_is_done_stays_until_bye(worker):
    process, holder = worker("wait")
    holder.go()
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    holder.bye()
    assert process.wait(10) == 0
    holder.close()


def test_a_worker_that_is_done_exits_when_the_harness_is_gone(worker):
    process, holder = worker("wait")
    holder.go()
    holder.close()
    assert process.wait(10) == protocol.EXIT_LEASE_LOST


def test_a_worker_that_starts_after_the_harness_died_exits(tmp_path):
    LeaseHolder(tmp_path).close()
    environment = {**os.environ, "PYTHONPATH": str(Path(protocol.__file__).parents[1])}
    command = [sys.executable, "-c", WORKER, str(tmp_path), "leave"]
    result = subprocess.run(command, env=environment, timeout=10, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (protocol.EXIT_LEASE_LOST, "opened\n")
