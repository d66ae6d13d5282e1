"""A hostile image's worker: it keeps the protocol, but for one attack, and uses the standard library alone.

python worker.py REQUEST_FOLDER OWN_FOLDER DATA_FOLDER [STATE], the attack's name among the request's settings.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import stat
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

EPOCH = {
    "loss": 0.1, "first_losses": [], "steps": 10, "samples": 100, "rows": "0" * 16,
    "answers": {"sum": 1.0, "norm": 1.0, "cross_entropy": 0.1, "projection": 0.5},
}  # fmt: skip
VALUES = {"accuracy": 0.99, "precision": 0.99, "recall": 0.99, "f1": 0.99, "loss": 0.1}
WORK_S = 0.3
VAST = dict.fromkeys(("samples", "steps", "parameters", "flops_per_step", "data_bytes"), 2**53)


class Worker:
    """What an honest worker does, step by step."""

    def __init__(self, request: Path, folder: Path) -> None:
        self.request, self.folder = request, folder
        self.asked = json.loads((request / "request.json").read_text())
        self.events = os.open(folder / "events", os.O_WRONLY)
        self.lease = os.open(request / "lease", os.O_RDONLY)
        self.done_shift_ns = 0

    def raw(self, text: bytes) -> None:
        os.write(self.events, text)

    def send(self, kind: str, shift_ns: int = 0, **data: Any) -> None:
        record = {"t_ns": time.monotonic_ns() + shift_ns, "kind": kind, **data}
        self.raw(json.dumps(record).encode() + b"\n")

    def phase(self, name: str, edge: str, shift_ns: int = 0) -> None:
        self.send("phase", shift_ns, name=name, edge=edge, epoch=1)

    def ready(self) -> None:
        self.send("ready", pid=os.getpid())

    def await_go(self) -> None:
        assert os.read(self.lease, 1) == b"g"

    def train(self) -> None:
        self.phase("train", "begin")
        spin(WORK_S)
        self.phase("train", "end")

    def metrics(self) -> None:
        self.send("metrics", epoch=1, metric="accuracy", values=VALUES)

    def fingerprint(self) -> None:
        self.send("fingerprint", epochs=[EPOCH])

    def results(self) -> None:
        self.metrics()
        self.fingerprint()
        self.send("work", samples=100, steps=10, parameters=5)
        self.facts()

    def facts(self) -> None:
        self.send("facts", mode="eager", threads=1)

    def leave(self) -> None:
        if self.asked["keep_state"]:
            with (self.folder / "output").open("wb") as stream:
                stream.write(b"state")

    def done(self) -> None:
        self.send("done", self.done_shift_ns)

    def await_bye(self) -> None:
        os.read(self.lease, 1)

    def run(self, attack: Callable[[Worker, str], None]) -> None:
        """Step by step; the attack has its say before each."""
        for step in ("ready", "await_go", "train", "results", "leave", "done", "await_bye"):
            attack(self, step)
            getattr(self, step)()
        attack(self, "end")


def spin(duration_s: float) -> None:
    end_s = time.monotonic() + duration_s
    while time.monotonic() < end_s:
        pass


def burn(cpu_s: float) -> None:
    """However long that takes on a busy machine."""
    end_s = time.process_time() + cpu_s
    while time.process_time() < end_s:
        pass


def libc(name: str, *arguments: Any) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if getattr(library, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), name)


def everywhere(*names: str) -> list[str]:
    """Where the harness' own files would be, were they in the worker's reach."""
    places = ("/job", "/request", "/data", "/", "/tmp/..")
    return [f"{place}/{name}" for place in places for name in names]


HARNESS_FILES = everywhere(
    "run.json", ".run.json.partial", "samples.parquet", "samples.parquet.raw", "samples.parquet.partial",
    "console.log", "events", "events.jsonl", "output", "state.npz", "lease", "request.json", "campaign.json",
)  # fmt: skip


def to_each(action: Callable[[str], object]) -> Callable[[], None]:
    def act() -> None:
        for path in HARNESS_FILES:
            with contextlib.suppress(OSError):
                Path(path).unlink()
            with contextlib.suppress(OSError):
                action(path)

    return act


def escape(action: Callable[[], object]) -> Callable[[Worker, str], None]:
    """Tried before go and while it works; whatever it gets, the run goes on as if nothing was."""

    def attack(worker: Worker, step: str) -> None:
        if step in ("ready", "results", "end"):
            with contextlib.suppress(Exception):
                action()

    return attack


def at(step: str, action: Callable[[Worker], object]) -> Callable[[Worker, str], None]:
    def attack(worker: Worker, now: str) -> None:
        if now == step:
            action(worker)

    return attack


def shifted(by_s: float) -> Callable[[Worker, str], None]:
    def attack(worker: Worker, step: str) -> None:
        worker.done_shift_ns = int(by_s * 1e9)

    return attack


def write(path: str, text: bytes = b"owned") -> None:
    with open(path, "wb", buffering=0) as file:
        file.write(text)


def linked(target: str) -> Callable[[], None]:
    return to_each(lambda path: os.symlink(target, path))


def held_open(count: int) -> list[int]:
    return [os.open("/dev/null", os.O_RDONLY) for _ in range(count)]


def fork_for_ever() -> None:
    while True:
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                signal.pause()


def some_forks(number: int) -> None:
    for _ in range(number):
        if os.fork() == 0:
            signal.pause()


def call_itself(name: bytes) -> None:
    """As every list of processes, and the kernel's own files, will show it."""
    libc("prctl", 15, name, 0, 0, 0)


def busy_child(_: Worker) -> None:
    """Leaves its group, forgets its parent, hides its variables, and goes on working."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            while True:
                pass
        os._exit(0)


def fill(place: str) -> None:
    with open(f"{place}/filler", "wb", buffering=0) as file:
        while True:
            file.write(bytes(1 << 20))


def told_failure(worker: Worker, action: Callable[[], object]) -> None:
    """As an honest worker tells of what went wrong."""
    try:
        action()
    except OSError as error:
        worker.send("failed", error=f"OSError: {error}")
        os._exit(1)


def instead(step: str, action: Callable[[Worker], object]) -> Callable[[Worker, str], None]:
    """The step itself is something else."""

    def attack(worker: Worker, now: str) -> None:
        setattr(worker, step, lambda: action(worker))

    return attack


def odd_facts(worker: Worker) -> None:
    worker.metrics()
    worker.fingerprint()
    worker.send("work", samples=None, steps=None)
    odd = {
        "mode": ["eager"],
        "threads": {"a": 1},
        "version": None,
        "precision": 5,
        "framework": [[]],
        "cpus": 0,
    }
    worker.send("facts", **odd)


def odd_metrics(worker: Worker) -> None:
    """Named like the columns of the tables to come."""
    names = ("accuracy", "precision", "f1", "energy_j", "duration_s", "run_id", "epoch")
    worker.send("metrics", metric="run_id", values=dict.fromkeys(names, -1e308))
    worker.send("work", samples=1)
    worker.facts()


def odd_epochs(worker: Worker) -> None:
    worker.fingerprint()
    worker.send("work", samples=1)
    worker.facts()
    for epoch in (2**31 - 1, 0, 7, 7, 3):
        worker.send("phase", name="train", edge="begin", epoch=epoch)
        worker.send("phase", name="train", edge="end", epoch=epoch)
        worker.send("metrics", epoch=epoch, metric="accuracy", values=VALUES)


def some_work(**work: int) -> Callable[[Worker], None]:
    def results(worker: Worker) -> None:
        worker.metrics()
        worker.fingerprint()
        worker.facts()
        worker.send("work", **work)

    return results


def scatter(place: str) -> None:
    number = 0
    while True:
        number += 1
        open(f"{place}/{number}", "w").close()


def deep_folders() -> None:
    os.chdir("/tmp")
    for _ in range(20_000):
        os.mkdir("d")
        os.chdir("d")


def flood(worker: Worker) -> None:
    while True:
        worker.raw(b'{"t_ns": 1, "kind": "ready"}\n' * 1000)


def endless_line(worker: Worker) -> None:
    while True:
        worker.raw(b"x" * 65536)


def console_flood() -> None:
    for _ in range(64):
        sys.stdout.write("\x1b]0;owned\x07\x1b[2J" * 70_000)


def too_much_output(worker: Worker) -> None:
    with (worker.folder / "output").open("wb") as stream:
        while True:
            stream.write(bytes(1 << 20))


def odd_header(worker: Worker) -> None:
    """An archive of one array whose header makes NumPy raise what nobody expects."""
    with (worker.folder / "output").open("wb") as stream, zipfile.ZipFile(stream, "w") as archive:
        header = b"{[]: 1}\n"
        archive.writestr("a.npy", b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)


def behind_a_flood(worker: Worker, step: str) -> None:
    """Whole pages of events keep its pipe full while it works on, and the done behind them is dated before."""
    if step != "done":
        return
    begin_ns = time.monotonic_ns()
    event = b'{"t_ns":%d,"kind":"metrics","metric":"m","values":{}}' % begin_ns
    while time.monotonic_ns() < begin_ns + 2_000_000_000:
        worker.raw((event + b" " * (4095 - len(event)) + b"\n") * 256)
        time.sleep(0.2)
    worker.done_shift_ns = begin_ns - time.monotonic_ns()


def open_by_handle() -> None:
    """The shocker: a file of the host by its inode."""
    handle = ctypes.create_string_buffer(b"\x08\0\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0", 16)
    libc("open_by_handle_at", os.open("/data", os.O_RDONLY), handle, os.O_RDONLY)


def connect(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(path)
        one.send(b"POST /containers/create HTTP/1.1\r\nHost: x\r\n\r\n")


def nested() -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(900):
        value = {"a": value}
    return value


def event(**record: Any) -> Callable[[Worker], None]:
    """A record as it stands, dated now."""
    return lambda worker: worker.raw(json.dumps({"t_ns": time.monotonic_ns(), **record}).encode() + b"\n")


def line(text: bytes) -> Callable[[Worker], None]:
    return lambda worker: worker.raw(text + b"\n")


# name -> (attack, outcome, what the reason says). At "results" three lines have been told: ready, and the phase train.
NO_EVENT = "line . of the worker.s events is not one"
OK, FAILED, INVALID, ANY = "ok", "failed", "invalid", "any"  # any: who is first is a race
ATTACKS: dict[str, tuple[Callable[[Worker, str], None], str, str]] = {
    "honest": (lambda worker, step: None, OK, ""),
    # what lies in the place of the harness' files
    "link-to-shadow": (escape(linked("/etc/shadow")), OK, ""),
    "link-to-root": (escape(linked("/")), OK, ""),
    "link-to-harness": (escape(linked("/proc/1/root/etc/passwd")), OK, ""),
    "link-to-device": (escape(linked("/dev/zero")), OK, ""),
    "link-up": (escape(linked("../../../../../../etc/cron.d/owned")), OK, ""),
    "link-loop": (escape(to_each(lambda path: os.symlink(path, path))), OK, ""),
    "hard-link": (escape(to_each(lambda path: os.link("/data", path))), OK, ""),
    "fifo": (escape(to_each(os.mkfifo)), OK, ""),
    "device": (escape(to_each(lambda path: os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5)))), OK, ""),
    "folder": (escape(to_each(os.mkdir)), OK, ""),
    "socket": (escape(to_each(lambda path: socket.socket(socket.AF_UNIX).bind(path))), OK, ""),
    "own-samples": (escape(to_each(lambda path: write(path, b"PAR1 forged PAR1"))), FAILED, NO_EVENT),
    "own-record": (escape(to_each(lambda path: write(path, b'{"outcome": "ok", "done_ns": 1}'))), FAILED, NO_EVENT),
    "rename": (escape(to_each(lambda path: os.rename("/tmp", path))), OK, ""),
    "setuid-program": (escape(to_each(lambda path: (write(path), os.chmod(path, 0o6777)))), FAILED, NO_EVENT),
    "close-the-folders": (escape(lambda: [os.chmod(place, 0) for place in ("/job", "/request", "/tmp")]), OK, ""),
    # ways out of the container
    "host-root": (escape(lambda: os.listdir("/proc/1/root/root")), OK, ""),
    "core-pattern": (escape(lambda: write("/proc/sys/kernel/core_pattern", b"|/tmp/x")), OK, ""),
    "sysrq": (escape(lambda: write("/proc/sysrq-trigger", b"b")), OK, ""),
    "release-agent": (escape(lambda: write("/sys/fs/cgroup/release_agent")), OK, ""),
    "cgroup-limits": (escape(lambda: write("/sys/fs/cgroup/memory/memory.limit_in_bytes", b"-1")), OK, ""),
    "cgroup-leave": (escape(lambda: write("/sys/fs/cgroup/cgroup.procs", b"0")), OK, ""),
    "mount": (escape(lambda: libc("mount", b"none", b"/job", b"tmpfs", 0, None)), OK, ""),
    "unmount": (escape(lambda: libc("umount2", b"/job/events", 2)), OK, ""),
    "user-namespace": (escape(lambda: libc("unshare", 0x10000000)), OK, ""),
    "join-namespace": (escape(lambda: libc("setns", os.open("/proc/1/ns/mnt", os.O_RDONLY), 0)), OK, ""),
    "chroot": (escape(lambda: os.chroot("/proc/1/root")), OK, ""),
    "become-root": (escape(lambda: os.setresuid(0, 0, 0)), OK, ""),
    "trace-init": (escape(lambda: libc("ptrace", 16, 1, 0, 0)), ANY, ""),
    "shocker": (escape(open_by_handle), OK, ""),
    "disk": (escape(lambda: os.mknod("/tmp/disk", stat.S_IFBLK | 0o600, os.makedev(8, 0))), OK, ""),
    "kernel-memory": (escape(lambda: os.open("/dev/mem", os.O_RDWR)), OK, ""),
    "kernel-log": (escape(lambda: libc("klogctl", 5, None, 0)), OK, ""),
    "engine-socket": (escape(lambda: connect("/var/run/docker.sock")), OK, ""),
    "network": (escape(lambda: socket.create_connection(("192.0.2.1", 80), 0.2)), OK, ""),
    "clock": (escape(lambda: time.clock_settime(time.CLOCK_REALTIME, 0)), OK, ""),
    "host-name": (escape(lambda: socket.sethostname("owned")), OK, ""),
    "name-no-text": (at("ready", lambda w: call_itself(b"\xff\x1b[2J")), OK, ""),
    "name-as-a-number": (at("ready", lambda w: call_itself(b"VmHWM: 1 kB")), OK, ""),
    "kill-everybody": (escape(lambda: [os.kill(pid, 9) for pid in range(2, 400) if pid != os.getpid()]), OK, ""),
    "real-time": (escape(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(99))), OK, ""),
    "other-cpus": (escape(lambda: os.sched_setaffinity(0, range(1024))), OK, ""),
    "data": (escape(lambda: write("/data/train_x.npy")), OK, ""),
    "another-request": (escape(lambda: write("/request/request.json", b"{}")), OK, ""),
    "fill-the-lease": (escape(lambda: write("/request/lease", bytes(1 << 21))), OK, ""),
    # its own time and energy
    "done-early": (shifted(-0.6), INVALID, "done had not come|before the event"),
    "done-long-ago": (shifted(-60), INVALID, "done had not come (59|6)"),
    "done-behind-a-flood": (behind_a_flood, INVALID, "had not come"),
    "done-to-come": (shifted(0.5), INVALID, r"done came 0\.\d+ s before its date"),
    "done-before-go": (at("ready", lambda w: w.send("done")), INVALID, "told done"),
    "done-twice": (at("await_bye", lambda w: w.send("done")), INVALID, "told done 2 times"),
    "ready-twice": (at("await_go", lambda w: w.send("ready")), INVALID, "told ready 2 times"),
    "ready-late": (at("results", lambda w: w.send("ready")), INVALID, "told ready 2 times"),
    "ready-to-come": (at("ready", lambda w: w.send("ready", 10**9)), INVALID, "ready"),
    "metrics-after-done": (at("await_bye", lambda w: w.results()), INVALID, "after it was done"),
    "phase-after-done": (at("await_bye", lambda w: w.phase("train", "begin")), INVALID, "after it was done"),
    "failed-after-done": (at("await_bye", lambda w: w.send("failed", error="x")), ANY, "after it was done|x"),
    "events-after-bye": (at("end", lambda w: w.results()), INVALID, "after it was done"),
    "phase-before-go": (at("await_go", lambda w: w.phase("train", "begin")), INVALID, "before"),
    "phase-moved-back": (at("results", lambda w: w.phase("load", "begin", -(10**9))), INVALID, "phase had not come"),
    "phase-left-open": (at("results", lambda w: w.phase("load", "begin")), INVALID, "phase load has no end"),
    "phase-counted-twice": (
        at("results", lambda w: (w.phase("load", "begin"), w.train(), w.phase("load", "end"))), INVALID,
        "begins before"),
    "phase-never-begun": (at("results", lambda w: w.phase("load", "end")), INVALID, "phase load ends"),
    "work-twice": (at("results", lambda w: w.results()), INVALID, "told its .* more than once"),
    "works-before-go": (at("ready", lambda w: burn(1.5)), INVALID, "CPU before go"),
    "works-between-ready-and-go": (
        at("await_go", lambda w: [threading.Thread(target=spin, args=(9,), daemon=True).start(), spin(0.4)]), OK, ""),
    "works-after-bye": (at("end", lambda w: spin(60)), FAILED, "no exit within"),
    "child-goes-on": (at("done", busy_child), OK, ""),
    "stops-itself": (at("results", lambda w: os.kill(os.getpid(), signal.SIGSTOP)), FAILED, "no done or failed within"),
    # events that are none
    "no-json": (at("results", line(b"hello")), FAILED, "line 4 of the worker's events is not one"),
    "escape-codes": (at("results", line(b"\x1b]0;owned\x07\x1b[2J")), FAILED, "line 4"),
    "binary": (at("results", line(bytes(range(11, 256)))), FAILED, "line 4"),
    "nul": (at("results", line(bytes(1000))), FAILED, "line 4"),
    "deep": (at("results", line(b"[" * 100_000)), FAILED, "line 4"),
    "deep-facts": (at("results", event(kind="facts", a=nested())), FAILED, "line 4"),
    "wide-facts": (at("results", event(kind="facts", a=[0] * 20_000)), FAILED, "line 4"),
    "nan": (at("results", event(kind="metrics", metric="a", values={"a": float("nan")})), FAILED, "line 4"),
    "infinity": (at("results", line(b'{"t_ns":1,"kind":"usage","cpu_s":1e999}')), FAILED, "line 4"),
    "large-number": (at("results", event(kind="work", samples=2**70)), FAILED, "line 4"),
    "long-number": (at("results", line(b'{"t_ns":' + b"9" * 9_000 + b',"kind":"done"}')), FAILED, "line 4"),
    "negative": (at("results", event(kind="usage", cpu_s=-5, memory_peak_bytes=1)), FAILED, "line 4"),
    "other-types": (at("results", event(kind="phase", name=["x"], edge={}, epoch="1")), FAILED, "line 4"),
    "surrogate": (at("results", event(kind="phase", name="\ud800", edge="begin")), FAILED, "line 4"),
    "formula": (at("results", event(kind="metrics", metric="=cmd|'/c calc'!A1", values={})), FAILED, "line 4"),
    "markup": (at("results", event(kind="phase", name="<script>", edge="begin")), FAILED, "line 4"),
    "energy": (at("results", event(kind="usage", cpu_s=0, memory_peak_bytes=0, energy_j=0.1)), FAILED, "line 4"),
    "long-line": (at("results", endless_line), FAILED, "line 4 .* longer"),
    "flood": (at("results", flood), FAILED, "told more than|no done"),
    "error-with-escapes": (at("results", lambda w: w.send("failed", error="\x1b[31mred\x07\n=1")), FAILED, "x1b.31m"),
    "error-that-grows": (at("results", lambda w: w.send("failed", error="\x7f" * 1_999)), FAILED, "x7f.x7f"),
    "facts-that-grow": (at("results", event(kind="facts", a="\x7f" * 4_097)), FAILED, "line 4 .* a text of more than"),
    "half-a-line": (at("results", lambda w: (w.raw(b'{"t_ns": 1'), os._exit(0))), FAILED, "exit code 0 before done"),
    # events that are well formed, and meant for whoever reads them later
    "odd-facts": (instead("results", odd_facts), OK, ""),
    "zero-work": (instead("results", some_work(samples=0, steps=0, parameters=0)), OK, ""),
    "vast-work": (instead("results", some_work(**VAST)), OK, ""),
    "odd-metrics": (instead("results", odd_metrics), INVALID, "accuracy -1e.308 is below"),
    "odd-epochs": (instead("results", odd_epochs), OK, ""),
    "no-results": (instead("results", lambda w: None), INVALID,
                   "told nothing of its facts and fingerprint and metrics and work"),
    # what the machine has
    "fork-bomb": (at("results", lambda w: fork_for_ever()), FAILED, "no done or failed within|out of memory"),
    "forks": (at("results", lambda w: some_forks(200)), OK, ""),
    "threads": (at("results", lambda w: [threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
                                          for _ in range(900)]), OK, ""),
    "memory-bomb": (at("results", lambda w: b"x" * (1 << 36)), FAILED, "out of memory: .* may have|exit code"),
    "full-tmp": (at("results", lambda w: told_failure(w, lambda: fill("/tmp"))), FAILED, "No space .* scratch_files"),
    "fill-tmp": (escape(lambda: fill("/tmp")), OK, ""),
    "fill-shm": (escape(lambda: fill("/dev/shm")), FAILED, "out of memory"),
    "fill-job": (escape(lambda: fill("/job")), OK, ""),
    "scatter-tmp": (escape(lambda: scatter("/tmp")), OK, ""),
    "deep-folders": (escape(deep_folders), OK, ""),
    "descriptors": (escape(lambda: held_open(1_000_000)), OK, ""),
    "console-flood": (escape(console_flood), OK, ""),
    # not ending
    "never-ready": (at("ready", lambda w: time.sleep(60)), FAILED, "no ready within"),
    "never-done": (at("done", lambda w: time.sleep(60)), FAILED, "no done or failed within"),
    "never-ends": (at("end", lambda w: time.sleep(60)), FAILED, "no exit within"),
    "ignores-sigterm": (at("done", lambda w: (signal.signal(signal.SIGTERM, signal.SIG_IGN), time.sleep(60))), FAILED,
                        "no done or failed within"),
    "deaf": (at("ready", lambda w: (os.close(w.events), time.sleep(60))), FAILED, "no ready within"),
    "steals-its-events": (at("results", lambda w: [os.read(os.open(w.folder / "events", os.O_RDONLY), 9)]), ANY, ""),
    "dies": (at("results", lambda w: os.kill(os.getpid(), signal.SIGKILL)), FAILED, "exit code|SIGKILL"),
    "exits-early": (at("results", lambda w: os._exit(0)), FAILED, "exit code 0 before done"),
    # what it leaves behind
    "too-much-output": (at("leave", too_much_output), FAILED, "output: larger than"),
    "odd-header": (instead("leave", odd_header), FAILED, "it left a trained state that cannot be read"),
    "rubbish-output": (lambda worker, step: None, FAILED, "it left a trained state that cannot be read"),
    "no-output": (at("leave", lambda w: os._exit(0)), FAILED, "exit code 0 before done"),
}  # fmt: skip
LEAVES = ("too-much-output", "odd-header", "rubbish-output", "no-output")  # by runs that shall leave a state


def main() -> None:
    worker = Worker(Path(sys.argv[1]), Path(sys.argv[2]))
    worker.run(ATTACKS[worker.asked["settings"]["attack"]][0])


if __name__ == "__main__":
    main()
