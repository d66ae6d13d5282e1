"""The wire: what one side writes the other reads, and a worker never outlives its harness."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from suite import protocol
from suite.protocol import Event, EventWriter, LeaseHolder, ProtocolError, Request, read_events

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


def test_events_come_back_in_order_with_monotonic_times(tmp_path):
    before_ns = time.monotonic_ns()
    writer = EventWriter(tmp_path)
    writer.send("ready", pid=7)
    with writer.phase("train", epoch=1):
        pass
    events = read_events(tmp_path / protocol.EVENTS_FILE)
    assert [(event.kind, event.data) for event in events] == [
        ("ready", {"pid": 7}),
        ("phase", {"name": "train", "edge": "begin", "epoch": 1}),
        ("phase", {"name": "train", "edge": "end", "epoch": 1}),
    ]
    times_ns = [before_ns, *(event.t_ns for event in events), time.monotonic_ns()]
    assert times_ns == sorted(times_ns)


def test_a_phase_that_fails_has_no_end(tmp_path):
    writer = EventWriter(tmp_path)
    with pytest.raises(RuntimeError), writer.phase("build"):
        raise RuntimeError
    assert [event.data["edge"] for event in read_events(tmp_path / protocol.EVENTS_FILE)] == ["begin"]


def test_a_line_cut_short_ends_the_list(tmp_path):
    file = tmp_path / protocol.EVENTS_FILE
    file.write_bytes(b'{"t_ns": 1, "kind": "ready"}\n{"t_ns": 2, "kind": "do')
    assert read_events(file) == [Event(1, "ready")]


def test_no_file_means_no_events(tmp_path):
    assert read_events(tmp_path / protocol.EVENTS_FILE) == []


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
