"""Apptainer, where it is installed: nobody needs it who has an engine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator

from harness.doctor.check import Check, Level
from harness.environments.apptainer import find_program, version_of
from harness.errors import MissingPrerequisite

WHY = "with --environment apptainer each run gets namespaces of its own without root"


def checks() -> Iterator[Check]:
    if shutil.which("apptainer"):
        yield of_program(find_program, version_of)


def of_program(find: Callable[[], str], version: Callable[[str], str]) -> Check:
    try:
        return Check("apptainer", Level.OK, f"version {version(find())}", WHY)
    except MissingPrerequisite as error:
        return Check(
            "apptainer", Level.WORSE, str(error), WHY, "sysctl user.max_user_namespaces=65536 (as root)"
        )
