"""A container with exactly a run's settings refuses every way out of it, attacked from inside."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from contextlib import closing
from errno import EACCES, EBUSY, ECONNREFUSED, EEXIST, ENETUNREACH, ENOSPC, EPERM, EROFS, ESRCH, EXDEV
from typing import Any

import docker
import psutil
import pytest

from harness.environments import compose
from harness.environments.base import Job, RunningJob
from harness.environments.sandbox import memory_bytes
from harness.records import Limits
from tests.desk import Desk
from tests.harness.environments.containers import containers, exit_code

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]

Inside = Callable[..., RunningJob]
TIGHT = Limits(memory_share=2**26 / memory_bytes(Limits(memory_share=1)))

PRELUDE = """
import ctypes, json, os, shutil, signal, socket, stat, subprocess, sys, time
def libc(name, *arguments):
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)
def refused(action):
    try:
        action()
    except OSError as error:
        return error.errno
"""


def said(inside: Inside, job: Job, source: str, **options: Any) -> Any:
    """What the last expression of source is, inside."""
    *before, last = source.strip().splitlines()
    lines = [PRELUDE, *before, f"print(json.dumps({last}))"]
    running = inside("\n".join(lines), **options)
    code, console = exit_code(running), job.console.read_text()
    assert code == 0, console
    return json.loads(console)


@pytest.mark.parametrize(
    "path",
    [
        "/x", "/usr/x", "/opt/joulemark/suite/x", "/etc/x", "/sys/x", "/data/x", "/state.npz", "/request/x",
        "/request/request.json",
    ],
)  # fmt: skip
def test_no_file_of_the_host_or_the_image_can_be_written(path: str, inside: Inside, job: Job) -> None:
    """Nor data that the host lets everybody write."""
    assert job.state is not None
    job.data.chmod(0o777)
    job.state.chmod(0o666)
    assert said(inside, job, f"refused(lambda: open({path!r}, 'w'))") == EROFS


def test_tmp_can_be_written_and_the_job_s_pipes_are_all_there_is_of_the_host_s(
    inside: Inside, job: Job
) -> None:
    source = """
kinds = {name: stat.S_ISFIFO(os.stat("/job/" + name).st_mode) for name in sorted(os.listdir("/job"))}
[refused(lambda: open("/tmp/x", "w")), refused(lambda: open("/job/x", "w")), kinds]
"""
    assert said(inside, job, source) == [
        None,
        EACCES,
        {"answers": True, "events": True, "output": True},
    ]


@pytest.mark.parametrize("action", ["os.rename", "os.link", "os.symlink"])
def test_the_job_s_pipes_cannot_be_replaced(action: str, inside: Inside, job: Job) -> None:
    assert said(inside, job, f"refused(lambda: {action}('/etc/passwd', '/job/events'))") in (
        EACCES, EBUSY, EEXIST, EXDEV, EROFS, EPERM,
    )  # fmt: skip


def test_the_lease_cannot_be_filled(inside: Inside, job: Job) -> None:
    source = "refused(lambda: os.open('/request/lease', os.O_WRONLY | os.O_NONBLOCK))"
    assert said(inside, job, source) in (EACCES, EROFS)


def test_a_folder_in_memory_that_is_full_or_has_too_many_files_is_refused(inside: Inside, job: Job) -> None:
    source = """
def fill():
    with open("/tmp/x", "wb", buffering=0) as file:
        while file.write(bytes(2**20)) == 2**20: pass
        file.write(b"x")
def scatter():
    for number in range(1000):
        open(f"/tmp/{number}", "w").close()
full = refused(fill)
os.unlink("/tmp/x")
[full, refused(scatter)]
"""
    limits = Limits(scratch_bytes=4 << 20, scratch_files=64)
    assert said(inside, job, source, limits=limits) == [ENOSPC, ENOSPC]


def test_the_kernel_s_settings_cannot_be_written(inside: Inside, job: Job) -> None:
    assert said(inside, job, "refused(lambda: open('/proc/sys/kernel/hostname', 'w'))") in (EROFS, EACCES)


def test_no_address_can_be_reached(inside: Inside, job: Job) -> None:
    """TEST-NET-1 (RFC 5737): were there a network, the packets would end nowhere."""
    source = "refused(lambda: socket.create_connection(('192.0.2.1', 80), 1))"
    assert said(inside, job, source) == ENETUNREACH


def test_no_datagram_leaves(inside: Inside, job: Job) -> None:
    source = "refused(lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53)))"
    assert said(inside, job, source) == ENETUNREACH


def test_the_host_s_loopback_is_another(inside: Inside, job: Job) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        address = server.getsockname()
        source = f"refused(lambda: socket.create_connection({address!r}, 1))"
        assert said(inside, job, source) == ECONNREFUSED


def test_no_name_is_resolved(inside: Inside, job: Job) -> None:
    assert said(inside, job, "refused(lambda: socket.getaddrinfo('example.org', 80))") == socket.EAI_AGAIN


def test_there_is_no_interface_but_the_loopback(inside: Inside, job: Job) -> None:
    assert said(inside, job, "[name for _, name in socket.if_nameindex()]") == ["lo"]


def test_the_worker_has_no_capability_and_gets_none(inside: Inside, job: Job) -> None:
    source = """
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
[os.getuid() == 0, *(int(status[n], 16) for n in ("CapEff", "CapPrm", "CapInh", "CapBnd", "NoNewPrivs"))]
"""
    assert said(inside, job, source) == [False, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "action",
    [
        "os.setuid(0)",
        "os.setgid(0)",
        "os.chown('/job', 0, 0)",
        "os.mknod('/tmp/disk', stat.S_IFBLK | 0o600, os.makedev(8, 0))",
        "libc('mount', b'none', b'/tmp', b'tmpfs', 0, None)",
        "libc('unshare', 0x10000000)",  # CLONE_NEWUSER, where one would be root
        "socket.socket(type=socket.SOCK_RAW, proto=socket.IPPROTO_ICMP)",
        "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
        "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
        "os.nice(-5)",
    ],
)
def test_a_privilege_is_refused(action: str, inside: Inside, job: Job) -> None:
    assert said(inside, job, f"refused(lambda: {action})") == EPERM


def test_a_program_of_root_s_runs_as_the_worker(inside: Inside, job: Job) -> None:
    """`su` has the setuid bit; its effective user is read while it, or what is left of it, is there."""
    source = """
su = subprocess.Popen(["su"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
time.sleep(0.3)
uids = {int(uid) for line in open(f"/proc/{su.pid}/status") if line.startswith("Uid:") for uid in line.split()[1:]}
[bool(os.stat(shutil.which("su")).st_mode & stat.S_ISUID), uids == {os.getuid()}]
"""
    assert said(inside, job, source) == [True, True]


def test_the_host_s_processes_cannot_be_traced(inside: Inside, job: Job) -> None:
    assert said(inside, job, f"refused(lambda: libc('ptrace', 16, {os.getpid()}, 0, 0))") == ESRCH


@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_nothing_is_executed_from_a_folder_in_memory(folder: str, inside: Inside, job: Job) -> None:
    source = f"""
program = shutil.copy("/bin/true", "{folder}/true")
[os.access("/bin/true", os.X_OK), refused(lambda: subprocess.run([program]))]
"""
    assert said(inside, job, source) == [True, EACCES]


def test_a_fork_bomb_ends_at_the_limit(inside: Inside, job: Job) -> None:
    source = """
signal.alarm(100)
children = 0
def fork_for_ever():
    global children
    while children < 20000:
        if os.fork() == 0:
            signal.pause()
        children += 1
reason = refused(fork_for_ever)
[reason == 11, children]
"""
    limit = compose.arguments("x-run", {})["pids_limit"]
    stopped, children = said(inside, job, source)
    assert stopped, "not by EAGAIN"
    assert limit - 8 < children < limit


def test_memory_above_the_limit_is_refused(inside: Inside, job: Job) -> None:
    running = inside("x = b'x' * 2**29", limits=TIGHT)
    assert exit_code(running) == 137
    assert "out of memory" in str(running.failure())


def test_the_worker_sees_its_cpu_its_state_and_enough_shared_memory(inside: Inside, job: Job) -> None:
    source = """
shm = os.statvfs("/dev/shm")
[sorted(os.sched_getaffinity(0)), open("/state.npz").read(), shm.f_blocks * shm.f_frsize]
"""
    assert said(inside, job, source) == [[0], "state", 2**30]


@pytest.mark.parametrize(("compiles", "errno"), [(False, EACCES), (True, None)])
def test_what_a_worker_wrote_is_executed_only_where_its_mode_compiles(
    compiles: bool, errno: int | None, inside: Inside, job: Job
) -> None:
    source = """
shutil.copy("/bin/true", "/tmp/x")
refused(lambda: subprocess.run(["/tmp/x"], check=True))
"""
    assert said(inside, job, source, compiles=compiles) == errno


def test_the_engine_understood_what_the_file_says(
    inside: Inside, job: Job, engine: docker.DockerClient
) -> None:
    inside("import time; time.sleep(600)")
    found = engine.containers.get(containers(engine)[0]).attrs["HostConfig"]
    asked = compose.arguments("x-run", {})
    assert (found["NetworkMode"], found["ReadonlyRootfs"], found["Init"]) == ("none", True, True)
    assert (found["CapDrop"], found["CapAdd"], found["Privileged"]) == (["ALL"], None, False)
    assert found["SecurityOpt"] == asked["security_opt"]
    assert (found["PidsLimit"], found["ShmSize"]) == (asked["pids_limit"], 2**30)
    assert (found["Memory"], found["MemorySwap"]) == (memory_bytes(job.limits),) * 2
    assert found["Memory"] < psutil.virtual_memory().total
    assert set(found["Tmpfs"]) == set(asked["tmpfs"]) == {"/tmp", "/job"}
    assert all({"noexec", "nosuid", "nodev"} <= set(one.split(",")) for one in found["Tmpfs"].values())
    assert found["LogConfig"] == dict(asked["log_config"])
    assert {(one["Target"], one.get("ReadOnly", False)) for one in found["Mounts"]} == {
        ("/request", True),
        ("/job/answers", False),
        ("/job/events", False),
        ("/job/output", False),
        ("/data", True),
        ("/state.npz", True),
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of another user")
def test_the_worker_is_the_owner_of_the_run_s_folder_if_that_is_not_root(
    inside: Inside, job: Job, desk: Desk
) -> None:
    """As a user's own harness finds it, whose worker could otherwise not be told from another user's."""
    for path in (job.request, job.worker, *job.request.iterdir(), *job.worker.iterdir()):
        os.chown(path, 4321, 4322)
    source = """
import os, getpass
print(os.getuid(), os.getgid(), getpass.getuser())
for refused in (lambda: os.open("/request/lease", os.O_WRONLY), lambda: os.chmod("/request/lease", 0o666),
                lambda: open("/request/request.json", "w"), lambda: open("/job/x", "w")):
    try:
        refused(); print("done")
    except OSError:
        pass
open("/job/output", "wb").write(b"mine")
"""
    assert exit_code(inside(source)) == 0
    assert job.console.read_text() == "4321 4322 joulemark\n"
    assert desk.output.read_bytes() == b"mine"
