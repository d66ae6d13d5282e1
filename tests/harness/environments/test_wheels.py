"""The wheels of a lock: those of the Python asked for, as hashed, or a line that says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import paths
from harness.environments import wheels
from harness.environments.frameworks import Framework
from harness.errors import MissingPrerequisite
from tests.harness.environments.tiny_image import TINY, WHEEL, make_tiny

pytestmark = pytest.mark.unhurried
ABSENT = f"joulemark-absent==1.0 ; python_full_version {{}} '3.12' \\\n    --hash=sha256:{'0' * 64}\n"


@pytest.fixture
def own(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    """A framework of one wheel, already in the wheelhouse of a home of its own; no index is asked."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return make_tiny(tmp_path / TINY)


def add(framework: Framework, line: str) -> Path:
    lock = framework.lock("1.0")
    lock.write_text(lock.read_text() + line)
    return lock


@pytest.mark.parametrize(("operator", "python"), [(">=", "3.11"), ("<", "3.12"), ("<", "3.13")])
def test_a_pin_for_another_python_is_not_asked_for(own: Framework, operator: str, python: str) -> None:
    house = wheels.download(add(own, ABSENT.format(operator)), own.title, python)
    assert house == paths.wheels_home()
    assert [wheel.name for wheel in house.iterdir()] == [WHEEL]


@pytest.mark.parametrize(("operator", "python"), [("<", "3.11"), (">=", "3.12")])
def test_a_wheel_that_cannot_be_had_is_one_line(own: Framework, operator: str, python: str) -> None:
    with pytest.raises(
        MissingPrerequisite, match=r"the wheels of Tiny cannot be had: .*joulemark-absent"
    ) as caught:
        wheels.download(add(own, ABSENT.format(operator)), own.title, python)
    assert "\n" not in str(caught.value)


def test_a_wheel_of_another_hash_is_refused(own: Framework) -> None:
    wheel = paths.wheels_home() / WHEEL
    wheel.write_bytes(wheel.read_bytes() + b"\0")
    with pytest.raises(MissingPrerequisite, match="the wheels of Tiny cannot be had"):
        wheels.download(own.lock("1.0"), own.title)
