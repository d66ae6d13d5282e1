"""suite doctor on the machine that runs the tests, as people, programs and scripts ask it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.cli.conftest import Answer

pytestmark = pytest.mark.unhurried
Suite = Callable[..., Answer]


@pytest.fixture(autouse=True)
def without_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")


def test_every_subject_answers(suite: Suite) -> None:
    found = {one["name"]: one for one in json.loads(suite("doctor", "--json").out)}
    for name in ("engine", "locks", "meter rapl", "energy", "idle power", "governor", "turbo", "smt", "idle load",
                 "memory", "swap", "disk of campaigns", "clock source", "time of day", "data mnist"):  # fmt: skip
        assert found[name]["state"], name
        assert found[name]["why"], name
    assert all(one["remedy"] for one in found.values() if one["level"] == "missing")


def test_what_is_amiss_is_followed_by_what_to_do(suite: Suite) -> None:
    lines = suite("doctor").out.splitlines()
    engine = next(number for number, line in enumerate(lines) if "engine:" in line)
    assert lines[engine].startswith("missing") and "-> in ansible/" in lines[engine + 1]
    assert lines[-1].startswith(
        "this machine: runs in virtual environments, for want of a container engine; energy"
    )
    assert "why:" in suite("doctor", "--why").out


def test_a_script_may_require_checks(suite: Suite, refused: Callable[..., str]) -> None:
    assert suite("doctor", "--require", "locks").code == 0
    assert "engine is required: no Docker engine answers" in refused("doctor", "--require", "locks,engine")
    assert "locks" in refused("doctor", "--require", "lock")


def test_the_power_of_the_idle_machine_is_read(
    suite: Suite, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path_factory.mktemp("powercap")
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(root))
    with PowercapTree(root, [EmulatedZone("intel-rapl:0", "package-0", constant(37.0))]):
        found = {one["name"]: one["state"] for one in json.loads(suite("doctor", "--json").out)}
    watts = float(found["idle power"].removesuffix(" W now"))
    assert watts == pytest.approx(37.0, rel=0.05)
