"""A Docker engine of a test's own, apart from the machine's: it may be killed, and started again over what it left."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import docker
import psutil
from docker.errors import DockerException
from requests.exceptions import RequestException

STARTS_WITHIN_S = 30.0


class OwnEngine:
    """Needs root. Its network is its own: without a bridge, an engine takes docker0 away from the machine's."""

    def __init__(self) -> None:
        self.place = Path(
            tempfile.mkdtemp(prefix="joulemark-engine-", dir="/tmp")
        )  # short, for the socket's sake
        self.address = f"unix://{self.place}/sock"

    def __enter__(self) -> OwnEngine:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.closing(self.client()) as client:
            for one in client.containers.list(all=True):
                one.remove(force=True)
        self.kill()
        for place in reversed([one.mountpoint for one in psutil.disk_partitions(all=True)]):
            if Path(place).is_relative_to(self.place):
                subprocess.run(["umount", "--lazy", place], check=True)
        shutil.rmtree(self.place, ignore_errors=True)

    def start(self, *more: str) -> None:
        """Returns once it answers; `more` are options of the daemon."""
        for stale in (
            "pid",
            "exec/containerd/containerd.pid",
        ):  # of one that was killed: its process may be a zombie
            (self.place / stale).unlink(missing_ok=True)
        own = ["--data-root", "data", "--exec-root", "exec", "--pidfile", "pid"]
        folders = [word if word.startswith("-") else str(self.place / word) for word in own]
        command = ["unshare", "--net", "dockerd", *folders, "-H", self.address]
        command += ["--iptables=false", "--bridge=none", *more]
        with (self.place / "log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        end_s = time.monotonic() + STARTS_WITHIN_S
        while not self.answers():
            alive = self.process.poll() is None and time.monotonic() < end_s
            assert alive, (self.place / "log").read_text().splitlines()[-1]
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            with contextlib.closing(self.client()) as client:
                return bool(client.ping())
        except (DockerException, RequestException):
            return False

    def kill(self) -> None:
        """SIGKILL; its containerd goes with it, its containers do not."""
        self.process.kill()
        self.process.wait()

    def client(self) -> docker.DockerClient:
        return docker.DockerClient(base_url=self.address)

    def take(self, *images: str) -> None:
        """Has these images of the machine's engine too."""
        with subprocess.Popen(["docker", "save", *images], stdout=subprocess.PIPE) as saving:
            subprocess.run(
                ["docker", "-H", self.address, "load", "-q"],
                stdin=saving.stdout,
                check=True,
                capture_output=True,
            )
