"""A host to be prepared: a container with systemd as PID 1, without a network, with people on it."""

from __future__ import annotations

import json
import subprocess
import tarfile
import time
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from docker.models.containers import Container

IMAGE = "joulemark/target:bookworm"
HOME = "/home/ann/joulemark"
FAKE = "/fake"
SYSTEMD: dict[str, Any] = {
    "entrypoint": ["/lib/systemd/systemd"],
    "network_mode": "none",
    "hostname": "target",
    "cap_add": ["SYS_ADMIN", "NET_ADMIN"],  # systemd's own mounts; the engine's bridge
    "security_opt": ["apparmor=unconfined", "seccomp=unconfined"],
    "cgroupns": "private",
    "tmpfs": {"/run": "", "/run/lock": "", "/tmp": "exec"},
}
PEOPLE = """
useradd -m ann; useradd -m bob; useradd -m eve; echo 'ann ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/ann
printf '[Service]\\nExecStart=/bin/sleep infinity\\n[Install]\\nWantedBy=multi-user.target\\n' |
    tee /lib/systemd/system/bluetooth.service > /lib/systemd/system/cups.service
printf '[Service]\\nExecStart=/bin/sleep infinity\\n' |
    tee /etc/systemd/system/sysstat.service > /usr/lib/systemd/user/tracker-miner-fs-3.service
echo 'Acquire::Retries "0";' > /etc/apt/apt.conf.d/99offline
install -m 755 /fake/swapon /fake/swapoff /usr/local/sbin
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl enable -q --now bluetooth
    systemctl start cups sysstat
fi
"""
# They work on the fake table: the kernel's own is the machine's, which no test may touch.
SWAPOFF = "#!/bin/sh\nsed -i 1q /fake/proc/swaps\n"
SWAPON = "#!/bin/sh\nprintf '%s\\tfile\\t2097148\\t0\\t-2\\n' \"$1\" >> /fake/proc/swaps\n"


@dataclass(frozen=True)
class Result:
    code: int
    text: str

    @property
    def changed(self) -> int:
        """What the recap counts."""
        return int(self.text.rpartition("changed=")[2].split()[0])

    def lines(self, role: str) -> list[str]:
        """What the summary says of a role."""
        told = (line.strip().strip('",') for line in self.text.splitlines())
        return [line for line in told if line.startswith((f"ok      {role}:", f"LACKING {role}:"))]


class Target:
    def __init__(self, container: Container) -> None:
        self.container = container

    def sh(self, script: str, user: str = "root", **environment: str) -> Result:
        """Runs a script and waits for it."""
        command = ["bash", "-c", script]
        answer = self.container.exec_run(command, user=user, environment=environment)
        return Result(answer.exit_code, answer.output.decode())

    def play(self, arguments: str, user: str = "ann", ansible: str = "ansible-playbook") -> Result:
        """ansible-playbook in the checkout's ansible folder, on the fake trees; wheels are taken from a folder."""
        fake = f"-e sys_root={FAKE}/sys -e proc_root={FAKE}/proc -e build_images=off"
        wheels = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels", "HOME": f"/home/{user}"}
        return self.sh(f"cd {HOME}/ansible && {ansible} {fake} {arguments} 2>&1", user, **wheels)

    def put(self, source: Path, folder: str) -> None:
        """A copy of a folder's content, owned by root."""
        self.container.put_archive(folder, packed({f.name: f for f in source.iterdir()}))

    def state(self) -> dict[str, Any]:
        """What must be as before after restore.yml."""
        script = Path(__file__).with_name("state.py").read_text()
        result = subprocess.run(
            ["docker", "exec", "-i", str(self.container.id), "python3", "-"],
            input=script, capture_output=True, text=True, check=True,
        )  # fmt: skip
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    def wait_for_systemd(self, at_most_s: float = 30) -> None:
        end_s = time.monotonic() + at_most_s
        while self.sh("systemctl is-system-running --wait").text.strip() not in ("running", "degraded"):
            assert time.monotonic() < end_s, "systemd did not start in the container"
            time.sleep(0.1)


def packed(files: dict[str, Path]) -> bytes:
    """A tar of files and folders by the names they shall have."""
    stream = BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for name, path in files.items():
            tar.add(path, name, filter=_of_root)
    return stream.getvalue()


def _of_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry
