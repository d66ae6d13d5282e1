"""A real Slurm of two nodes on this machine, in a folder of its own: started for tests, and stopped whole."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
NODES = ("n1", "n2")
NODE_LOST_S = 6  # a node that is silent for so long is down
KILL_WAIT_S = 10
STARTS_WITHIN_S = 60.0
CONF = """\
ClusterName=joulemark
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdTimeout={lost_s}
KillWait={kill_wait_s}
MailProg=/bin/true
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs={cpus} RealMemory=1000 State=UNKNOWN
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs={cpus} RealMemory=1000 State=UNKNOWN
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE
PartitionName=urgent Nodes=n1,n2 MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
"""


def missing() -> str:
    """The first program that is not here; empty where a Slurm can be started."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    return next((name for name in PROGRAMS if shutil.which(name, path=path) is None), "")


def wait_for(true: Callable[[], object], within_s: float, what: str) -> None:
    end_s = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < end_s, f"not within {within_s:g} s: {what}"
        time.sleep(0.2)


@dataclass
class Slurm:
    """As a context: its daemons run."""

    folder: Path
    _daemons: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def environment(self) -> Mapping[str, str]:
        """Of every program that talks to it."""
        path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
        return {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": path}

    def __enter__(self) -> Slurm:
        (self.folder / "state").mkdir(parents=True)
        self._configure()
        try:
            self._start_munge()
            self._start("slurmctld", "slurmctld", "-D", "-c")
            for node in NODES:
                self.start_node(node)
            self.wait_till_idle()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(self._daemons):
            self._daemons[name].terminate()
        for process in self._daemons.values():
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()
        wait_for(self._nothing_left, 30.0, "nothing of it is left")

    def wait_till_idle(self) -> None:
        """A node whose job was cancelled completes for a while, and the other may take all jobs that come."""
        wait_for(self._all_idle, STARTS_WITHIN_S, "both nodes are idle")

    def start_node(self, name: str) -> None:
        self._start(name, "slurmd", "-D", "-N", name)

    def kill_node(self, name: str) -> None:
        """Its daemon alone: what its jobs are goes on, and nobody reaches it."""
        self._daemons[name].send_signal(signal.SIGKILL)
        self._daemons[name].wait()

    def processes(self) -> list[psutil.Process]:
        """All that this Slurm has started, and whatever that has; not its daemons, nor whoever asks it."""
        daemons = {one.pid for one in self._daemons.values() if one.poll() is None}
        found = []
        for one in psutil.process_iter():
            with suppress(psutil.Error):
                told = one.environ()
                ours = told.get("SLURM_CONF") == str(self.folder / "slurm.conf")
                if ours and one.pid not in daemons and ("SLURM_JOB_ID" in told or "slurm" in one.name()):
                    found += [one, *one.children(recursive=True)]
        return list({one.pid: one for one in found}.values())

    def _nothing_left(self) -> bool:
        for left in (found := self.processes()):
            with suppress(psutil.NoSuchProcess):
                left.kill()
        return not found

    def ask(self, *command: str) -> str:
        return subprocess.run(
            command, env=self.environment, check=True, capture_output=True, text=True, timeout=60
        ).stdout

    def _configure(self) -> None:
        ports, host = _free_ports(3), socket.gethostname().partition(".")[0]
        told = CONF.format(
            host=host, ports=ports, folder=self.folder, user=getpass.getuser(), cpus=os.cpu_count(),
            lost_s=NODE_LOST_S, kill_wait_s=KILL_WAIT_S,
        )  # fmt: skip
        (self.folder / "slurm.conf").write_text(told)

    def _start_munge(self) -> None:
        key, socket_ = self.folder / "munge.key", self.folder / "munge.socket"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        places = [f"--{name}-file={self.folder}/munged.{name}" for name in ("pid", "log", "seed")]
        self._start(
            "munged", "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={socket_}", *places
        )
        wait_for(socket_.exists, STARTS_WITHIN_S, "munge answers")

    def _start(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self._daemons[name] = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )  # fmt: skip

    def _all_idle(self) -> bool:
        try:
            return self.ask("sinfo", "--noheader", "--Node", "--partition=main", "--format=%T").split() == [
                "idle"
            ] * len(NODES)
        except subprocess.CalledProcessError:
            return False


def _free_ports(count: int) -> list[int]:
    several = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in several]
    for one in several:
        one.close()
    return ports
