"""Where Apptainer cannot run: one line with the remedy, and nothing half-made."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import paths
from harness.devices import Device
from harness.environments import apptainer_image, gpu
from harness.environments.apptainer import ApptainerEnvironment
from harness.environments.choose import choose
from harness.environments.frameworks import Framework
from harness.errors import MissingPrerequisite
from tests.harness.environments.tiny_image import TINY, make_tiny


@pytest.fixture
def own(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Framework:
    """A framework of one wheel, in a home of its own."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return make_tiny(tmp_path / TINY)


def programs(folder: Path, **scripts: str) -> str:
    folder.mkdir(exist_ok=True)
    for name, script in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return str(folder)


def no_driver(device: Device) -> None:
    raise MissingPrerequisite(f"device {device.name}: there is no NVIDIA driver")


def refused(framework: Framework) -> str:
    with pytest.raises(MissingPrerequisite) as error:
        ApptainerEnvironment(framework, "1.0").prepare()
    assert "\n" not in str(error.value)
    return str(error.value)


def test_without_the_program(own: Framework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", programs(tmp_path / "bin"))
    assert refused(own) == (
        "no apptainer is found: load the site's module (module load apptainer) or install it, "
        "or say --environment virtualenv"
    )


def test_without_user_namespaces(own: Framework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = programs(tmp_path / "bin", apptainer="echo 1", unshare="exit 1")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    assert "cannot make user namespaces for you" in refused(own)
    assert "or say --environment virtualenv" in refused(own)


def test_an_image_that_cannot_be_built_leaves_nothing_but_its_log(
    own: Framework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = 'case "$1" in version) echo 1;; *) mkdir -p "$8"; echo "ERROR: no wheel fits"; exit 1;; esac'
    place = programs(tmp_path / "bin", apptainer=fails, unshare="exit 0")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    told = refused(own)
    assert "the Apptainer image of Tiny 1.0 (cpu) cannot be built: no wheel fits (log: " in told
    assert [one for one in paths.environments_home().glob("*-apptainer-*") if one.is_dir()] == []
    assert (paths.home() / "logs" / f"apptainer-{own.name}-1.0-cpu.log").exists()


def test_one_that_cannot_close_a_run_is_refused_with_its_own_word(
    own: Framework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No network of its own, for one: no run is less closed than it is told."""
    says = 'case "$1" in exec) echo "FATAL: network none needs root" >&2; exit 255;; *) echo 1;; esac'
    place = programs(tmp_path / "bin", apptainer=says, unshare="exit 0")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    assert "does not run the image of Tiny 1.0 (cpu): FATAL: network none needs root" in refused(own)


def test_a_gpu_that_it_cannot_hand_over_is_refused() -> None:
    with pytest.raises(
        MissingPrerequisite, match="device xpu: apptainer has no option that hands over an Intel"
    ):
        choose("apptainer", "xpu")


def test_a_gpu_that_is_not_there_is_refused_with_the_driver_s_own_word(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gpu, "require_driver", no_driver)
    assert choose("apptainer", "auto").device == "cpu"
    with pytest.raises(MissingPrerequisite, match="there is no NVIDIA driver"):
        choose("apptainer", "cuda")


def test_a_gpu_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "require_driver", lambda device: None)
    assert choose("apptainer", "cuda").device == choose("apptainer", "auto").device == "cuda"


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        ("INFO: a\nERROR: first\nFATAL: second", "first"),
        ("INFO: a\nFATAL:   While it ran: b", "While it ran: b"),
        ("odd end", "odd end"),
        ("", "no message"),
    ],
)
def test_the_first_complaint_of_a_build_is_told(output: str, reason: str) -> None:
    assert apptainer_image.complaint(output) == reason
