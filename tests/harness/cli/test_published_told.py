"""A study's settings stand beside those that its profile runs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.inventory import catalog
from harness.planning import plan_files
from tests.harness.cli.conftest import Answer

PROFILES = [
    (name, profile)
    for name, one in catalog.workloads().items()
    for profile in one.spec.profiles
    if one.spec.profiles[profile].published
]


def table(out: str) -> dict[str, tuple[str, str]]:
    """Setting -> (published, here), of a plan of one workload."""
    lines = out.partition("as the study says it, and here:\n")[2].splitlines()
    published, here = lines[0].index("published"), lines[0].index("here")
    rows = [line for line in lines[1:] if line.startswith(lines[1].split()[0] + " ")]
    return {line[:published].split()[1]: (line[published:here].strip(), line[here:].strip()) for line in rows}


def test_a_study_s_settings_stand_beside_ours(suite: Callable[..., Answer]) -> None:
    told = table(suite("plan", "show", "sotillos23").out)
    assert told["depth"] == ("50, 101, 152", "50, 101, 152")
    assert told["dataset"] == ("CIFAR-10, CIFAR-100, SVHN", "cifar10, cifar100, svhn")


def test_what_a_study_is_silent_about_is_not_said(suite: Callable[..., Answer]) -> None:
    told = table(suite("plan", "show", "schep25").out)
    assert told["optimizer"] == ("not said", "sgd")


def test_a_profile_of_no_study_has_no_such_table(suite: Callable[..., Answer]) -> None:
    assert "as the study says it" not in suite("plan", "show", "quick").out


@pytest.mark.parametrize(("workload", "profile"), PROFILES)
def test_every_published_setting_is_one_that_the_workload_has(workload: str, profile: str) -> None:
    spec = catalog.workload(workload).spec
    assert [name for name in spec.profiles[profile].published if not hasattr(spec, name)] == []
    assert profile in plan_files.names()
