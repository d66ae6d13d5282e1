"""Campaigns on machines with an emulated energy counter, in a plain process and in a container."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import docker
import pytest

from harness import paths
from harness.environments.docker import DockerEnvironment, available
from harness.environments.frameworks import framework
from tests.conftest import ON_CI
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.faults.victim import WATTS, ZONE, Victim, plan

PROCESS = f"interpreter={sys.executable}"  # the harness' own Python holds scikit-learn
WRITER_PERIOD_S = 0.005  # of the emulated counter: others need the CPU

Make = Callable[..., Victim]


@pytest.fixture(scope="session")
def image(engine: docker.DockerClient) -> str:
    """The image of scikit-learn, built before any campaign starts."""
    one = framework("sklearn")
    environment = DockerEnvironment(one, one.default_version)
    environment.prepare()
    return str(environment.describe()["image"])


@pytest.fixture(scope="session")
def home_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With prepared data of its own, but with the wheels that are at hand."""
    home = tmp_path_factory.mktemp("faults") / "home"
    home.mkdir()
    (home / "wheels").symlink_to(paths.wheels_home())
    return home


@pytest.fixture
def campaign(tmp_path: Path, home_of_all: Path) -> Iterator[Make]:
    """Makes campaigns, of an environment, variables={}, patch="" and what the plan varies."""
    with ExitStack() as ends:

        def make(
            environment: str = PROCESS,
            variables: Mapping[str, str] | None = None,
            patch: str = "",
            **varied: Any,
        ) -> Victim:
            place = tmp_path / environment.partition("=")[0]
            zones = [EmulatedZone(ZONE, "package-0", constant(WATTS))]
            meter = ends.enter_context(PowercapTree(place / "powercap", zones, period_s=WRITER_PERIOD_S))
            own = {"JOULEMARK_HOME": str(home_of_all), **(variables or {})}
            victim = Victim(place, place / "campaign", environment, plan(**varied), meter, own, patch)
            ends.callback(victim.kill)
            return victim

        yield make


@pytest.fixture
def in_both(request: pytest.FixtureRequest, campaign: Make) -> Callable[..., None]:
    """Carries a scenario out in a process and, where there is an engine, in a container.

    Both at once: they wait most of the time.
    """
    environments = [PROCESS]
    if ON_CI or available() is None:
        request.getfixturevalue("image")
        environments.append("docker")

    def carry_out(scenario: Callable[[Victim], None], **varied: Any) -> None:
        with ThreadPoolExecutor() as pool:
            victims = [campaign(environment, **varied) for environment in environments]
            for result in [pool.submit(scenario, victim) for victim in victims]:
                result.result()

    return carry_out
