"""The two commands that the README begins with, on a machine that holds the base system, make, and nothing else.

One after the other on the same machine, as README has them: to install the harness twice took a minute and a half of
each CI, which itself is a `make test` where no `make run` was.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Any

import docker
import pytest

from harness import paths
from harness.environments.bases import LOCAL_BASE
from tests.ansible.target import Target, packed
from tests.newmachine import outside

pytestmark = [pytest.mark.engine, pytest.mark.timeout(1800)]  # it downloads and installs for minutes

CHECKOUT = "/root/joulemark"
REMOVED_WITHIN_S = 600  # gigabytes; a client waits a minute by itself, which a busy disk has exceeded
RELEASE = "bookworm"
# One or two for each program that the tests call: browser, compiler, engine, a second engine without a network.
TESTS = (
    "tests/reports/test_browser.py::test_the_page_follows_the_readers_light_or_dark",
    "tests/reports/test_accessibility.py::test_axe_finds_nothing_serious[friendly-1280-light]",
    "tests/harness/meters/test_nvml_library.py",
    "tests/harness/environments/test_images.py::test_an_unchanged_image_is_used_again",
    "tests/harness/environments/test_offline_build.py",
)
# What a container needs to have an engine of its own; no more, because some machines may not give every capability.
STARTS_ENGINES: dict[str, Any] = {
    "cap_add": ["SYS_ADMIN", "NET_ADMIN"],
    "security_opt": ["apparmor=unconfined", "seccomp=unconfined"],
    "cgroupns": "host",
}
ENGINES_OWN = ("/sys/fs/cgroup:/sys/fs/cgroup", "/var/lib/docker", "/tmp")  # no overlay can lie on another
NODEJS = "npm --version && dpkg-query -W nodejs npm 2>/dev/null || true"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A tar of what a fresh clone would hold: nothing that .gitignore names."""
    folder = tmp_path_factory.mktemp("clone") / "joulemark"
    ignored = [line.rstrip("/") for line in (paths.ROOT / ".gitignore").read_text().split()]
    shutil.copytree(paths.ROOT, folder, ignore=shutil.ignore_patterns(".git", *ignored))
    return packed({"joulemark": folder})


@pytest.fixture(scope="module")
def machine(engine: docker.DockerClient, checkout: bytes) -> Iterator[Target]:
    """It has make and the checkout."""
    if outside.debian() != RELEASE:
        pytest.skip(f"apt's sources here are not those of Debian {RELEASE}, which the new machine has")
    container = engine.containers.run(
        LOCAL_BASE, ["sleep", "infinity"], detach=True, init=True, environment=outside.variables(),
        volumes=[*outside.volumes(), *ENGINES_OWN], **STARTS_ENGINES,
    )  # fmt: skip
    try:
        container.put_archive("/root", checkout)
        one = Target(container)
        done(one, "apt-get update -q && apt-get install -y -q --no-install-recommends make")
        yield one
    finally:
        patient = docker.from_env(timeout=REMOVED_WITHIN_S)
        patient.containers.get(str(container.id)).remove(force=True, v=True)


def done(machine: Target, command: str, **environment: str) -> str:
    """What the command says, which must succeed."""
    result = machine.sh(f"cd {CHECKOUT} && {command} 2>&1", **environment)
    assert result.code == 0, result.text
    return result.text


def test_make_run_ends_with_a_report(machine: Target) -> None:
    told = done(machine, "make run ARGS='-w svm -f sklearn -r 1'")
    assert "report.html" in told
    assert "</html>" in done(machine, "cat results/*/report.html")


def test_make_test_gets_what_it_needs_beside_another_s_nodejs(machine: Target) -> None:
    done(machine, "mount -o remount,rw /proc/sys && tests/newmachine/nodejs.sh")
    before = done(machine, NODEJS)
    told = done(machine, f"make test TESTS='{' '.join(TESTS)}'", CI="true")
    assert re.search(r"^=+ \d+ passed in ", told, re.MULTILINE), told
    assert done(machine, NODEJS) == before
