"""The container engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from harness.doctor.check import ENGINE, PLAYBOOK, Check, Level, judged
from harness.environments.docker import connect
from harness.errors import MissingPrerequisite

TAG = f"{PLAYBOOK} docker"
WHY = "each run gets a fresh container; without an engine virtual environments are used"


def checks() -> Iterator[Check]:
    try:
        with closing(connect()) as client:
            info = client.info()
    except MissingPrerequisite as error:
        yield Check(ENGINE, Level.MISSING, str(error), WHY, TAG)
        return
    yield from of_info(info)


def of_info(info: Mapping[str, Any]) -> Iterator[Check]:
    """`info`: what `docker info` says."""
    words = f"{info.get('ServerVersion', 'unknown')}, cgroup {info.get('CgroupDriver', 'unknown')}"
    yield Check(ENGINE, Level.OK, f"answers, version {words}", WHY)
    restores = bool(info.get("LiveRestoreEnabled"))
    yield judged(
        "live-restore",
        restores,
        "on" if restores else "off",
        "with it a run outlives a restart of the engine",
        TAG,
    )
