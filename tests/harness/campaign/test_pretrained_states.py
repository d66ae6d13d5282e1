"""Weights of a file in a campaign: the same bytes for all, known by their sums, and needed from the user only once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness import meters, store
from harness.analysis import same_measurement
from harness.campaign import carrying_out, pretrained_states
from harness.campaign.planned import PlannedCampaign
from harness.environments.base import Environment, Job, RunningJob
from harness.errors import DataError, SuiteError, UsageError
from harness.inventory import specs
from harness.inventory.beginning import beginning
from harness.planning import plan
from harness.planning.plan_files import Protocol
from harness.records import Plan, PowerModel, Treatment
from suite.protocol import CONTROL, REHEARSAL
from tests.emulators.environment import EmulatedEnvironment
from tests.observers import Silent
from tests.public_resnet import state
from tests.tensor_files import write

pytestmark = pytest.mark.unhurried
MODEL = PowerModel(idle_w=10, busy_cpu_w=8)
PROTOCOL = Protocol(
    repetitions=1, sample_period_s=0.05, baseline_s=0.1, run_timeout_s=30, expected_run_s=1, power_model=MODEL
)
SMALL: dict[str, Any] = {"depth": 11, "batch_size": 2}
DATASETS = {"resnet50_imagenet": "synthetic-imagenet", "mask_rcnn": "synthetic-coco_2017_640"}
SEED = 3


class Watched(EmulatedEnvironment):
    """Keeps what each run was given to begin with: its file's name and sum."""

    def __init__(self) -> None:
        super().__init__("works-briefly")
        self.given: dict[str, tuple[str, str] | None] = {}

    def start(self, job: Job) -> RunningJob:
        found = job.state and (job.state.name, hashlib.sha256(job.state.read_bytes()).hexdigest())
        self.given[job.run_id] = found
        return super().start(job)


@pytest.fixture(autouse=True)
def no_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(tmp_path / "none"))
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "home"))
    yield


@pytest.fixture
def file(tmp_path: Path) -> tuple[str, Path]:
    """Of a classifier of 16 classes, with its sum."""
    path = tmp_path / "own" / "resnet.safetensors"
    path.parent.mkdir()
    return write(path, state(11, 16, seed=1)), path


def treatments(sha256: str, stages: tuple[str, ...], **more: Any) -> list[Treatment]:
    workload = more.pop("workload", "resnet50_imagenet")
    settings = {**(SMALL if workload == "resnet50_imagenet" else {}), **more, "pretrained": sha256}
    kind = {"workload": workload, "version": "1.0", "dataset": DATASETS[workload], "settings": settings}
    return [
        Treatment(framework=framework, stage=stage, **kind)
        for stage in stages
        for framework in ("torch", "jax")
    ]


def plan_of(several: list[Treatment]) -> Plan:
    return plan.make("own", PROTOCOL, several, (), SEED)


def campaign(
    tmp_path: Path, several: list[Treatment], files: dict[str, Path]
) -> tuple[PlannedCampaign, Watched]:
    one = Watched()
    environments: dict[tuple[str, str], Environment] = {(each.framework, "1.0"): one for each in several}
    found = meters.find_all(meters.configuration(MODEL))
    return PlannedCampaign(tmp_path / "c", plan_of(several), environments, found, weight_files=files), one


def test_every_run_begins_with_the_same_bytes_which_are_the_file_s_numbers(
    tmp_path: Path, file: tuple[str, Path]
) -> None:
    sha256, path = file
    several = treatments(sha256, ("train", "infer"))
    one, watched = campaign(tmp_path, several, {sha256: path})
    carrying_out.carry_out(one, Silent())
    assert len(watched.given) == 4  # and no training before inference
    ((name, summed),) = set(watched.given.values())  # type: ignore[misc]
    record = store.load_campaign(one.folder).record
    assert record.weights == {name.removesuffix(".npz"): summed}
    with np.load(one.folder / store.STATES / name) as held:
        spec = specs.of(several[0])
        expected = beginning(spec, SEED, state(11, 16, seed=1)).weights  # type: ignore[arg-type]
        assert set(held) == set(expected)
        assert all(np.array_equal(held[each], array) for each, array in expected.items())


def test_a_detector_s_training_begins_with_the_file_and_its_inference_with_that_training() -> None:
    several = treatments("ab" * 32, ("train", "infer"), workload="mask_rcnn")
    preparation, *_ = plan.order(plan_of(several))
    trains, infers = several[0], several[-1]
    assert preparation.block == 0 and preparation.treatment.stage == "train"
    begins = {specs.starting_state(one) for one in (preparation.treatment, trains)}
    assert begins == {f"{specs.FROM_FILE}{specs.state_name(infers)}"}
    assert specs.starting_state(infers) == specs.state_name(preparation.treatment)


def test_neither_a_rehearsal_nor_a_control_run_begins_with_weights() -> None:
    (one, _) = treatments("ab" * 32, ("train",))
    for stage in (REHEARSAL, CONTROL):
        assert specs.starting_state(one.model_copy(update={"stage": stage})) is None


def test_without_a_file_nothing_is_given(tmp_path: Path) -> None:
    several = treatments("", ("train",))
    one, watched = campaign(tmp_path, several, {})
    carrying_out.carry_out(one, Silent())
    assert set(watched.given.values()) == {None}
    assert store.load_campaign(one.folder).record.weights == {}


def test_a_campaign_names_no_path_of_the_file(tmp_path: Path, file: tuple[str, Path]) -> None:
    sha256, path = file
    one, _ = campaign(tmp_path, treatments(sha256, ("train",)), {sha256: path})
    findings = tuple(pretrained_states.findings(one.plan, one.weight_files))
    carrying_out.carry_out(replace(one, findings=findings), Silent())
    for written in (place for place in one.folder.rglob("*") if place.is_file()):
        assert str(path.parent).encode() not in written.read_bytes()
        assert path.name.encode() not in written.read_bytes()
    assert f"SHA-256 is {sha256}: 62 of 62 arrays; none stays random" in findings[0].message


def test_a_campaign_goes_on_without_the_file(tmp_path: Path, file: tuple[str, Path]) -> None:
    sha256, path = file
    one, watched = campaign(tmp_path, treatments(sha256, ("train", "infer")), {sha256: path})
    carrying_out.carry_out(replace(one, fail_fast=True), Silent())
    begun = dict(watched.given)
    assert len(begun) == 1  # the emulated worker tells nothing, which ends such a campaign
    path.unlink()
    again = replace(one, weight_files={})
    before = store.load_campaign(one.folder).record
    assert not list(same_measurement.changed_work(before, again.record()))
    carrying_out.resume(again, Silent())
    assert len(watched.given) == 4
    assert len(set(watched.given.values())) == 1


@pytest.mark.parametrize("harm", ["changed", "removed", "link"])
def test_a_campaign_whose_weights_were_touched_does_not_go_on(
    tmp_path: Path, file: tuple[str, Path], harm: str
) -> None:
    sha256, path = file
    one, _ = campaign(tmp_path, treatments(sha256, ("train",)), {sha256: path})
    store.make_folder(one.folder)
    store.create_campaign(one.folder, one.record(), one.write_states)
    (held,) = (one.folder / store.STATES).iterdir()
    if harm == "changed":
        held.write_bytes(held.read_bytes()[:-1] + b"\1")
    else:
        held.rename(tmp_path / "aside")
        if harm == "link":
            held.symlink_to(tmp_path / "aside")
    changed = list(same_measurement.changed_work(store.load_campaign(one.folder).record, one.record()))
    assert changed == [f"the weights in states/{held.name}"]


def test_weights_that_vanish_while_it_runs_are_the_reason_of_the_runs_to_come(
    tmp_path: Path, file: tuple[str, Path]
) -> None:
    sha256, path = file
    one, _ = campaign(tmp_path, treatments(sha256, ("train",)), {sha256: path})

    class Removes(Silent):
        def run_finished(self, record: Any) -> None:
            for held in (one.folder / store.STATES).iterdir():
                held.unlink()

    carrying_out.carry_out(one, Removes())
    reasons = [run.record.reason for run in store.load_campaign(one.folder).runs]
    assert reasons[1] == "its weights are no longer in the campaign's folder: somebody removed them"


def test_a_file_that_vanishes_after_it_was_checked_leaves_no_campaign(
    tmp_path: Path, file: tuple[str, Path]
) -> None:
    sha256, path = file
    one, watched = campaign(tmp_path, treatments(sha256, ("train",)), {sha256: path})
    assert list(pretrained_states.findings(one.plan, one.weight_files))
    path.unlink()
    with pytest.raises(
        DataError, match=r"resnet\.safetensors does not exist: name a file as this machine sees it"
    ):
        carrying_out.carry_out(one, Silent())
    assert not one.folder.exists() and not watched.given


def test_a_file_that_is_changed_after_it_was_checked_leaves_no_campaign(
    tmp_path: Path, file: tuple[str, Path]
) -> None:
    sha256, path = file
    one, _ = campaign(tmp_path, treatments(sha256, ("train",)), {sha256: path})
    list(pretrained_states.findings(one.plan, one.weight_files))
    other = write(path, state(11, 16, seed=2))
    with pytest.raises(DataError, match=f"has SHA-256 {other}, not {sha256}"):
        carrying_out.carry_out(one, Silent())
    assert not one.folder.exists()


def test_inference_from_a_file_asks_for_the_whole_network(file: tuple[str, Path]) -> None:
    sha256, path = file
    other = {"classes": 8}
    training = plan_of(treatments(sha256, ("train",), **other))
    (told,) = pretrained_states.findings(training, {sha256: path})
    assert "60 of 62 arrays; random stay dense/bias, dense/kernel" in told.message
    asked = plan_of(treatments(sha256, ("train", "infer"), **other))
    with pytest.raises(
        UsageError, match="stage infer of resnet50_imagenet answers with the weights as they are, and "
    ):
        list(pretrained_states.findings(asked, {sha256: path}))


def test_a_file_that_does_not_fit_is_named_with_the_workload(file: tuple[str, Path]) -> None:
    sha256, path = file
    with pytest.raises(
        SuiteError, match=r"resnet\.safetensors does not fit resnet50_imagenet as it is set: it lacks "
    ):
        list(pretrained_states.findings(plan_of(treatments(sha256, ("train",), depth=50)), {sha256: path}))


def test_several_files_are_levels_each_with_weights_of_its_own(
    tmp_path: Path, file: tuple[str, Path]
) -> None:
    sha256, path = file
    other = write(tmp_path / "other", state(11, 16, seed=2))
    several = [*treatments(sha256, ("train",)), *treatments(other, ("train",)), *treatments("", ("train",))]
    one, watched = campaign(tmp_path, several, {sha256: path, other: tmp_path / "other"})
    carrying_out.carry_out(one, Silent())
    by_setting: dict[Any, set[Any]] = {}
    for run in one.order:
        by_setting.setdefault(run.treatment.settings["pretrained"], set()).add(watched.given[run.run_id])
    assert {len(given) for given in by_setting.values()} == {1}
    assert by_setting[""] == {None} and by_setting[sha256] != by_setting[other]
