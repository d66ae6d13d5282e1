"""A test's own engine comes and goes without a trace on the machine's."""

from __future__ import annotations

from pathlib import Path

import docker
import pytest

from tests.harness.environments.own_engine import OwnEngine

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]
INTERFACES = Path("/sys/class/net")


def test_the_machines_network_is_left_alone(engine: docker.DockerClient) -> None:
    before = set(INTERFACES.iterdir())
    with OwnEngine() as one:
        assert one.answers()
        assert before <= set(INTERFACES.iterdir())  # docker0 among them
