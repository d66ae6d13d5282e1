"""Every lock that is offered holds what its manifest asks for, and no build for another device."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from harness import paths
from harness.environments import pins
from harness.environments.frameworks import Framework, compiles, framework, frameworks
from harness.environments.recipe import DOCKERFILE
from harness.errors import MissingPrerequisite, UsageError

DEFAULTS = {
    "torch": "2.13.0",
    "tensorflow": "2.21.0",
    "keras": "3.15.1",
    "keras-jax": "3.15.1",
    "keras-torch": "3.15.1",
    "jax": "0.10.2",
    "sklearn": "1.9.1",
}
LOCKS = [
    (f, version, device)
    for f in frameworks().values()
    for version in f.versions
    for device in f.devices(version)
]
IDS = [f"{f.name}-{version}-{device}" for f, version, device in LOCKS]
CUDA = re.compile(r"nvidia-.+|jax-cuda.+|triton|cuda-.+")
# What computes on a GPU, beside the framework's own wheel.
GPU_LIBRARIES = {
    "torch": {"nvidia-cublas", "nvidia-cudnn-cu13", "nvidia-cuda-runtime", "triton"},
    "tensorflow": {
        "nvidia-cublas-cu12",
        "nvidia-cudnn-cu12",
        "nvidia-cuda-runtime-cu12",
        "nvidia-cuda-nvcc-cu12",
    },
    "jax": {"jax-cuda12-plugin", "jax-cuda12-pjrt", "nvidia-cublas-cu12", "nvidia-cudnn-cu12"},
}


def test_the_defaults_stay_and_two_versions_are_offered() -> None:
    assert {name: one.default_version for name, one in frameworks().items()} == DEFAULTS
    # Of PyTorch, whose CPU builds lie on an index of their own, one is pinned.
    assert all(len(one.versions) >= 2 for name, one in frameworks().items() if name != "torch")


def test_only_scikit_learn_lacks_a_lock_for_cuda() -> None:
    assert {f.name for f in frameworks().values() if "cuda" not in f.devices(f.default_version)} == {
        "sklearn"
    }


def test_every_lock_is_offered_and_every_offer_has_a_lock() -> None:
    assert {f.lock(version, device) for f, version, device in LOCKS} == set(paths.IMAGES.glob("*/*.lock"))


@pytest.mark.parametrize(("one", "version", "device"), LOCKS, ids=IDS)
def test_a_lock_holds_what_the_manifest_asks_for(one: Framework, version: str, device: str) -> None:
    assert one.pythons(version, device)[0] == pins.PYTHONS[0], "the images have this Python"
    for python in one.pythons(version, device):
        pinned = pins.pinned(one.lock(version, device), python)
        assert pinned[canonicalize_name(one.package)].partition("+")[0] == version
        for wanted in map(Requirement, one.requirements[version][device]):
            assert wanted.specifier.contains(pinned[canonicalize_name(wanted.name)]), f"{wanted} on {python}"


@pytest.mark.parametrize(("one", "version", "device"), LOCKS, ids=IDS)
def test_every_pin_has_hashes_and_no_lock_names_an_index(one: Framework, version: str, device: str) -> None:
    lock = one.lock(version, device)
    assert all(len(digest) == 64 for pin in pins.read(lock) for digest in pin.hashes)
    assert all(pin.hashes for pin in pins.read(lock))
    assert not re.search(r"://|^--", lock.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("one", "version", "device"), LOCKS, ids=IDS)
def test_cuda_libraries_are_in_the_cuda_lock_and_in_no_other(
    one: Framework, version: str, device: str
) -> None:
    for python in one.pythons(version, device):
        pinned = pins.pinned(one.lock(version, device), python)
        assert ("+cpu" in pinned.get("torch", "")) == (device == "cpu" and "torch" in pinned)
        if device == "cpu":
            assert not [name for name in pinned if CUDA.fullmatch(name)]
        else:
            assert pinned.keys() >= GPU_LIBRARIES[one.backend or one.name]


def test_only_the_cpu_build_of_pytorch_is_bound_to_a_python() -> None:
    bound = {f.name for f, version, device in LOCKS if f.pythons(version, device) != pins.PYTHONS}
    assert bound == {"torch", "keras-torch"}


def test_the_image_s_python_is_the_first_that_locks_are_made_for() -> None:
    major, minor = pins.PYTHONS[0].split(".")
    assert f"({major}, {minor})" in DOCKERFILE.read_text()


@pytest.mark.parametrize("name", sorted(DEFAULTS))
def test_a_framework_is_found_by_the_suite_under_its_own_name(name: str) -> None:
    from suite.runtimes import implementation_module, runtime_module

    one = framework(name)
    assert (paths.ROOT / f"{runtime_module(name).replace('.', '/')}.py").is_file()
    assert implementation_module("w", name) == f"suite.w.{one.implementation}_impl"


def trainer_modes(one: Framework) -> tuple[str, ...]:
    """The constant MODES in the source of its trainer, which the host cannot import."""
    source = ast.parse((paths.SUITE / "trainers" / f"{one.implementation}_trainer.py").read_text())
    found = (
        node.value
        for node in source.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if node.targets[0].id == "MODES"
    )
    modes = ast.literal_eval(next(found))
    return tuple(modes[one.backend] if isinstance(modes, dict) else modes)


@pytest.mark.parametrize("name", sorted(DEFAULTS))
def test_the_modes_on_offer_are_those_of_the_trainer(name: str) -> None:
    one = framework(name)
    assert one.modes == (() if name == "sklearn" else trainer_modes(one))
    assert {*one.modes_needing_compiler, *one.modes_of_resident_data} <= set(one.modes)


def test_only_pytorchs_mode_compile_executes_what_it_wrote() -> None:
    assert compiles("torch", ["eager", "compile"])
    for name, modes in (("torch", ["eager", None]), ("jax", ["jit", "scan"]), ("another", ["compile"])):
        assert not compiles(name, modes)


def test_unknown_versions_and_devices_are_one_line() -> None:
    with pytest.raises(UsageError, match=r"torch 9\.9 is not offered; offered: 2\.13\.0"):
        framework("torch").lock("9.9")
    with pytest.raises(MissingPrerequisite, match=r"no lock of scikit-learn 1\.9\.1 for cuda"):
        framework("sklearn").lock("1.9.1", "cuda")


@pytest.mark.parametrize("name", sorted(DEFAULTS))
def test_a_manifest_s_check_compiles_and_tells_devices_apart(name: str) -> None:
    manifest: Path = framework(name).folder / "manifest.toml"
    check = tomllib.loads(manifest.read_text())["check"]
    compile(check, name, "exec")
    assert ("device" in check) == (name != "sklearn")
