"""Virtual environments: made from the lock, checked for their device, made anew when they are not as promised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness import paths
from harness.environments import gpu, pins, probe
from harness.environments.frameworks import Framework, framework
from harness.environments.virtualenv import VirtualenvEnvironment
from harness.errors import MissingPrerequisite
from tests.harness.environments.tiny_image import TINY, TINY_CHECK, make_tiny


@pytest.fixture
def own(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    """A framework of one wheel, already in the wheelhouse of a home of its own; no index is asked."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return make_tiny(tmp_path / TINY, f'{TINY_CHECK}; assert device == "cpu", device')


@pytest.mark.unhurried
def test_it_holds_what_the_lock_says_and_is_used_again(own: Framework) -> None:
    first = VirtualenvEnvironment(own, "1.0")
    first.prepare()
    made = (first.python.parent.parent / "pyvenv.cfg").stat().st_mtime_ns
    assert probe.probe(first.python)["packages"]["joulemark-tiny"] == "1.0"
    second = VirtualenvEnvironment(own, "1.0")
    second.prepare()
    assert second.describe()["lock"] == "1.0-cpu.lock"
    assert (second.python.parent.parent / "pyvenv.cfg").stat().st_mtime_ns == made


@pytest.mark.unhurried
def test_one_that_lost_a_package_is_made_anew(own: Framework) -> None:
    environment = VirtualenvEnvironment(own, "1.0")
    environment.prepare()
    (module,) = environment.python.parent.parent.glob("lib/*/site-packages/joulemark_tiny.py")
    module.unlink()
    environment.prepare()
    assert module.exists()


@pytest.mark.unhurried
def test_a_build_for_another_device_is_refused_and_leaves_nothing(
    own: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu, "require_driver", lambda device: None)
    own.lock("1.0").rename(own.folder / "1.0-cuda.lock")
    with pytest.raises(MissingPrerequisite, match="fails its check: AssertionError: cuda"):
        VirtualenvEnvironment(own, "1.0", "cuda").prepare()
    assert [path for path in paths.environments_home().iterdir() if path.is_dir()] == []


def test_a_python_without_a_lock_is_named_with_the_remedy(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pins, "host_python", lambda: "3.13")
    with pytest.raises(
        MissingPrerequisite,
        match=r"PyTorch 2\.13\.0 has no lock for Python 3\.13, only for 3\.11: .*PYTHON=python3\.11",
    ) as caught:
        VirtualenvEnvironment(framework("torch"), "2.13.0").prepare()
    assert "\n" not in str(caught.value)
    assert not home.exists(), "something was made"


@pytest.mark.parametrize("python", ["3.10", "3.14"])
def test_no_framework_is_made_with_a_python_that_no_lock_is_for(
    home: Path, python: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pins, "host_python", lambda: python)
    with pytest.raises(
        MissingPrerequisite, match=rf"no lock for Python {python}, only for 3\.11, 3\.12, 3\.13"
    ):
        VirtualenvEnvironment(framework("sklearn"), "1.9.1").prepare()


def test_environments_of_other_pythons_and_devices_lie_apart(
    own: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    (own.folder / "1.0-cuda.lock").write_text(own.lock("1.0").read_text())
    here = VirtualenvEnvironment(own, "1.0").python
    assert VirtualenvEnvironment(own, "1.0", "cuda").python != here
    monkeypatch.setattr(pins, "host_python", lambda: "3.12")
    assert VirtualenvEnvironment(replace(own), "1.0").python != here
