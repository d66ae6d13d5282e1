"""What building and rebuilding the images costs: `python -m tests.bench.image_builds`.

Removes the images of the five frameworks first, with the engine's cached layers of them; the wheels are those that
an earlier build downloaded. The sources of the suite are changed in a copy.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import docker

from harness import paths
from harness.environments import wheels
from harness.environments.docker import connect
from harness.environments.frameworks import Framework, frameworks
from harness.environments.images import ensure_image, prune

FIVE = [one for one in frameworks().values() if not one.variant]
SWAPPED = "sklearn"
TARGET_BUILD_S, TARGET_REBUILD_S = 480, 10


def seconds(work: Callable[[], object]) -> float:
    began_s = time.monotonic()
    work()
    return time.monotonic() - began_s


def build(client: docker.DockerClient, one: Framework, version: str = "") -> list[str]:
    """Builds what is missing or outdated; the lines of its log."""
    said: list[str] = []
    version = version or one.default_version
    ensure_image(client, one, version, progress=said.append)
    log = paths.home() / "logs" / f"image-{one.name}-{version}-cpu.log"
    return log.read_text().splitlines() if any(line.startswith("building") for line in said) else []


def cached_steps(log: list[str]) -> tuple[int, int]:
    """Steps taken from the engine's cache, and all."""
    return sum("Using cache" in line for line in log), sum(line.startswith("Step ") for line in log)


def change_the_suite(folder: Path) -> None:
    shutil.copytree(paths.SUITE, folder / "suite", ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "suite" / "run.py").open("a") as file:
        file.write("# changed\n")
    paths.SUITE = folder / "suite"


def main() -> None:
    for one in FIVE:
        wheels.download(one.lock(one.default_version), one.title)
    other = frameworks()[SWAPPED].versions[1]
    wheels.download(frameworks()[SWAPPED].lock(other), SWAPPED)
    with closing(connect()) as client, tempfile.TemporaryDirectory() as folder:
        list(prune(client, keep=set()))
        print("| step | seconds | target |\n|---|---|---|")
        total_s = 0.0
        for one in FIVE:
            total_s += (took_s := seconds(lambda one=one: build(client, one)))
            print(f"| {one.name} {one.default_version}, from nothing | {took_s:.0f} | |", flush=True)
        print(f"| all five, wheels cached | {total_s:.0f} | < {TARGET_BUILD_S} |")
        began_s = time.monotonic()
        log = build(client, frameworks()[SWAPPED], other)
        cached, steps = cached_steps(log)
        print(f"| {SWAPPED} {other}, the swap of a version: {cached} of {steps} steps from the cache | "
              f"{time.monotonic() - began_s:.0f} | from the lock on |")  # fmt: skip
        print(f"| all five, unchanged | {seconds(lambda: [build(client, one) for one in FIVE]):.1f} | |")
        change_the_suite(Path(folder))
        took_s = seconds(lambda: [build(client, one) for one in FIVE])
        print(f"| all five, after a change in suite/ | {took_s:.1f} | < {TARGET_REBUILD_S} |")


if __name__ == "__main__":
    main()
