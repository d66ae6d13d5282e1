"""compose/suite.yaml: for people and the harness alike, and nothing in it is overlooked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness import paths
from harness.devices import DEVICES, Device
from harness.environments import compose
from harness.environments.frameworks import frameworks
from harness.environments.recipe import read_recipe
from harness.errors import UsageError

SERVICES = compose.load()["services"]
NOT_IN_BOTH_COMPOSES = {"name", "gpus", "annotations", "attach"}


def devices_of_frameworks() -> dict[str, tuple[str, str]]:
    """service -> framework and device: every folder of images/, and again for each device beside the CPU."""
    found = {}
    for name, one in frameworks().items():
        for device in one.devices(one.default_version):
            found[name if device == "cpu" else f"{name}-{device}"] = name, device
    return found


def edited(tmp_path: Path, old: str, new: str) -> Path:
    text = compose.FILE.read_text()
    assert old in text
    path = tmp_path / "suite.yaml"
    path.write_text(text.replace(old, new, 1))
    return path


def refusal(path: Path, section: str = "x-run") -> str:
    with pytest.raises(UsageError) as caught:
        compose.arguments(section, {}, path)
    message = str(caught.value)
    assert "\n" not in message
    assert str(path) in message
    return message


def test_there_is_a_service_for_every_folder_of_images_and_for_nothing_else() -> None:
    folders = {folder.name for folder in paths.IMAGES.iterdir() if folder.is_dir()}
    assert {name for name in SERVICES if not name.endswith("-cuda")} == folders
    assert set(SERVICES) == set(devices_of_frameworks())


@pytest.mark.parametrize(("service", "of"), devices_of_frameworks().items())
def test_a_service_s_image_is_the_one_that_the_harness_builds_by_default(
    service: str, of: tuple[str, str]
) -> None:
    name, device = of
    one = frameworks()[name]
    variable = f"{name.upper().replace('-', '_')}_VERSION"
    tag = read_recipe(one, one.default_version, device, "base:1", "key").tag
    assert SERVICES[service]["image"] == tag.replace(
        one.default_version, f"${{{variable}:-{one.default_version}}}"
    )


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_adds_its_image_to_what_all_share_and_no_more(service: str) -> None:
    shared = compose.load()["x-run-cuda" if service.endswith("-cuda") else "x-run"]
    assert {key: value for key, value in SERVICES[service].items() if key != "image"} == shared


def test_a_gpu_is_all_that_cuda_adds() -> None:
    plain, cuda = compose.arguments("x-run", {}), compose.arguments("x-run-cuda", {})
    (request,) = cuda.pop("device_requests")
    assert (request["Driver"], request["Count"], request["Capabilities"]) == ("nvidia", -1, [["gpu"]])
    assert plain.pop("device_requests") == []
    assert plain == cuda


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_every_device_has_a_section_and_gpus_reached_by_files_get_them_with_their_groups(
    device: Device,
) -> None:
    groups = {variable: str(number) for number, variable in enumerate(device.nodes, 100)}
    found = compose.arguments(device.section, groups)
    assert found.get("group_add", []) == list(groups.values())
    handed = [one.partition(":")[0] for one in found.get("devices", [])]
    assert all(any(file.startswith(one) for one in handed) for file in device.nodes.values())
    assert len(handed) == len(device.nodes)


def test_only_keys_of_both_composes_are_used() -> None:
    assert not NOT_IN_BOTH_COMPOSES & set(compose.load())
    assert not NOT_IN_BOTH_COMPOSES & {key for one in SERVICES.values() for key in one}


def test_variables_are_filled_in_and_an_empty_one_counts_as_absent() -> None:
    found = compose.arguments("torch", {"CPUS": "1,3", "RUN_USER": ""})
    assert (found["cpuset_cpus"], found["user"]) == ("1,3", "10001:10001")


def test_every_variable_is_explained_to_people() -> None:
    text = (compose.FILE.parent / "README.md").read_text()
    used = {name for name, _ in compose.VARIABLE.findall(compose.FILE.read_text())}
    assert {name for name in used if not re.search(rf"\b{name}\b", text)} == set()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("  init: true", "  privileged: true\n  init: true", "x-run: privileged: is not a key"),
        ("target: /data,", "target: /data, propagation: shared,", "volumes.4.propagation: is not a key"),
        ("  read_only: true\n", "", "x-run: read_only: is missing"),
        ("pids_limit: 4096", "pids_limit: many", "x-run: pids_limit: "),
        ("type: bind", "type: volume", "x-run: volumes.0.type: "),
        ("services:", "networks: {}\nservices:", "networks"),
        ("${CPUS:-0}", "$CPUS", '$CPUS": a variable is written ${NAME:-default}'),
        ("[ALL]", "[ALL", "cannot be read"),
    ],
)
def test_what_is_not_understood_is_refused_by_file_section_and_key(
    old: str, new: str, said: str, tmp_path: Path
) -> None:
    assert said in refusal(edited(tmp_path, old, new))


def test_an_unknown_key_in_a_single_service_is_refused(tmp_path: Path) -> None:
    path = edited(tmp_path, "  torch: {<<: *run,", "  torch: {<<: *run, privileged: true,")
    assert "torch: privileged: is not a key" in refusal(path, "torch")


def test_a_section_or_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "has no caffe" in refusal(compose.FILE, "caffe")
    assert "cannot be read" in refusal(tmp_path / "none.yaml")
