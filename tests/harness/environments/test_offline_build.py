"""An image is built where no network is but the loopback: a second engine in a network namespace of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import docker
import pytest

from harness import paths
from harness.environments.bases import LOCAL_BASE

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]

# $1: a short path, for the socket's sake; then the command, which finds the engine by DOCKER_HOST.
IN_A_NAMESPACE = """
set -e
place=$1
ip link set lo up
dockerd --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" -H "unix://$1/sock" \
    --iptables=false --bridge=none >"$1/log" 2>&1 &
engine=$!
trap 'kill $engine; wait $engine || true; umount "$place/exec/netns/default" || true' EXIT
export DOCKER_HOST="unix://$1/sock"
for _ in $(seq 60); do docker version >/dev/null 2>&1 && break; sleep 0.5; done
docker load --quiet --input "$1/base.tar" >/dev/null
shift
"$@"
"""
BUILD = """
import errno, socket, sys
from pathlib import Path
import docker
from harness.environments.images import ensure_image
from tests.harness.environments.tiny_image import make_tiny
try:
    socket.create_connection(("192.0.2.1", 80), timeout=2)
except OSError as error:
    assert error.errno == errno.ENETUNREACH, error
print(ensure_image(docker.from_env(), make_tiny(Path(sys.argv[1]) / "tiny-offline"), "1.0").tags)
"""


def test_a_build_needs_no_network_but_the_loopback(engine: docker.DockerClient, tmp_path: Path) -> None:
    place = Path("/tmp") / f"joulemark-{os.getpid()}"
    place.mkdir()
    try:
        with (place / "base.tar").open("wb") as file:
            file.writelines(engine.images.get(LOCAL_BASE).save(named=True))
        inside = [sys.executable, "-c", BUILD, str(tmp_path)]
        done = subprocess.run(
            ["unshare", "--net", "bash", "-c", IN_A_NAMESPACE, "bash", str(place), *inside],
            capture_output=True, text=True, timeout=180, check=False, cwd=paths.ROOT,
            env={**os.environ, "JOULEMARK_HOME": str(tmp_path / "home"), "PIP_NO_INDEX": "1"},
        )  # fmt: skip
        assert done.stdout.strip() == "['joulemark/tiny-offline:1.0-cpu']", (
            done.stderr + (place / "log").read_text()
        )
    finally:
        shutil.rmtree(place, ignore_errors=True)
