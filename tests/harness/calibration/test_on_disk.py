"""Which calibration counts where; what lies damaged counts nowhere and is named."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from harness import paths
from harness.calibration import on_disk
from harness.calibration.choice import choose
from harness.calibration.records import MOST_KEPT, Calibrated
from harness.errors import CampaignError, UnsafeFile
from harness.records import Channel, Plan, Treatment
from tests.calibrations import CREATED, HERE, SETTINGS, TREATMENT, calibrated, calibration_of
from tests.campaigns import Recipe, channels, plan

GPU = {"uuid": "GPU-1", "name": "A"}


def plan_of(workload: str = "mnist_cnn", device: str = "cpu") -> Plan:
    one = Treatment(
        workload=workload, framework="torch", version="2.13.0", stage="train", dataset="d", device=device
    )
    return plan(Recipe(), (one,))


def chosen(
    made: Calibrated | list[Calibrated], machine: dict[str, Any] = HERE,
    of: tuple[Channel, ...] = channels("rapl"), wanted: Plan | None = None,
) -> Any:  # fmt: skip
    several = made if isinstance(made, list) else [made]
    return choose(several, machine, of, wanted or plan_of(), "virtualenv")


def test_a_calibration_counts_where_it_was_made() -> None:
    one = calibrated()
    assert chosen(one).calibration == one.calibration
    assert chosen([]).calibration is None and chosen([]).reason == ""


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"machine_id": "f" * 32}, "machine_id"),
        ({"cpu_model": "Another CPU"}, "cpu_model"),
        ({"kernel": "6.9.0"}, "kernel"),
        ({"gpus": [GPU]}, "the GPUs"),
        ({"settings": {**SETTINGS, "governors": "powersave"}}, "governors"),
        ({"settings": {**SETTINGS, "turbo": False}}, "turbo"),
        ({"settings": {}}, "governors, turbo"),
    ],
)
def test_another_machine_or_governor_never_counts(changed: dict[str, Any], word: str) -> None:
    found = chosen(calibrated(), {**HERE, **changed})
    assert found.calibration is None
    assert found.reason == f"the last one does not count here: {word} changed"


@pytest.mark.parametrize("meter", ["estimate", None, "simulated"])
def test_other_joules_never_count_even_where_their_channels_have_the_same_names(meter: str | None) -> None:
    found = chosen(calibrated(), of=channels(meter))
    assert found.calibration is None
    assert "the channels of the run's energy" in found.reason or "what the joules come from" in found.reason


def test_another_device_never_counts() -> None:
    found = chosen(calibrated(), wanted=plan_of(device="cuda"))
    assert found.calibration is None and found.reason == "none was made on cuda"


def test_its_own_work_comes_first_then_its_isolation_then_the_latest() -> None:
    later = {"created": CREATED + timedelta(days=9)}
    other = calibrated(calibration_of(**later))
    docker = calibrated(calibration_of(isolation="docker", created=CREATED + timedelta(days=10)))
    older = calibrated()
    own = calibrated(calibration_of(treatment=TREATMENT.model_copy(update={"workload": "svm"})))
    assert chosen([own, other, docker], wanted=plan_of("svm")).calibration == own.calibration
    assert chosen([older, other, docker]).calibration == other.calibration
    assert chosen([docker, older]).calibration == older.calibration


def test_it_is_kept_in_the_place_of_the_older_one_of_the_same_work_and_machine(home: Path) -> None:
    new = calibrated(calibration_of(created=CREATED + timedelta(days=1)))
    elsewhere = calibrated(machine={**HERE, "machine_id": "f" * 32})
    for one in (calibrated(), elsewhere, new):
        on_disk.save(one)
    assert on_disk.load() == (elsewhere, new)


def test_no_more_are_kept_than_are_read(home: Path) -> None:
    for number in range(MOST_KEPT + 2):
        on_disk.save(calibrated(calibration_of(profile=f"p{number}")))
    assert [one.calibration.profile for one in on_disk.load()] == [f"p{n}" for n in range(2, MOST_KEPT + 2)]


def damaged(change: str) -> str:
    content = json.loads(on_disk.save(calibrated()).read_text())
    one = content["calibrations"][0]["calibration"]
    if change == "cut":
        return json.dumps(content)[:-20]
    if change == "version":
        return json.dumps({**content, "format_version": 2})
    if change == "more":
        one["more"] = 1
    if change == "text":
        one["noise"][0]["sd"] = "0.01"
    if change == "negative":
        one["noise"][0]["sd"] = -0.01
    if change == "infinite":
        return json.dumps(content).replace(str(one["noise"][0]["sd"]), "1e400", 1)
    if change == "no noise":
        one["noise"] = []
    return json.dumps(content)


CHANGES = ["cut", "version", "more", "text", "negative", "infinite", "no noise"]


@pytest.mark.parametrize("change", CHANGES)
def test_a_damaged_file_is_named_and_not_used(home: Path, change: str) -> None:
    paths.calibrations().parent.mkdir(parents=True)
    paths.calibrations().write_text(damaged(change))
    with pytest.raises(CampaignError, match=r"home/calibration\.json .*: not used; remove it, and run suite"):
        on_disk.load()
    found = on_disk.found(plan_of(), channels("rapl"), "virtualenv")
    assert found.calibration is None and found.reason == "calibration.json of the home folder is damaged"
    with pytest.raises(CampaignError):
        on_disk.save(calibrated())
    assert paths.calibrations().read_text() == damaged_again(change)


def damaged_again(change: str) -> str:
    """What was written there, for nothing damaged is overwritten."""
    paths.calibrations().unlink()
    return damaged(change)


def test_a_link_is_not_followed(home: Path, tmp_path: Path) -> None:
    place = on_disk.save(calibrated())
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UnsafeFile):
        on_disk.load()
    assert on_disk.found(plan_of(), channels("rapl"), "virtualenv").calibration is None


def test_a_campaign_keeps_what_counted_as_it_began(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_disk.machine, "describe", lambda: HERE)
    on_disk.save(calibrated())
    on_disk.keep(tmp_path, plan_of(), channels("rapl"), "virtualenv")
    paths.calibrations().unlink()
    assert on_disk.of_campaign(tmp_path).calibration == calibration_of()
    assert HERE["machine_id"] not in (tmp_path / on_disk.CALIBRATION_FILE).read_text()


def test_a_campaign_without_any_keeps_none(home: Path, tmp_path: Path) -> None:
    on_disk.keep(tmp_path, plan_of(), channels("rapl"), "virtualenv")
    assert list(tmp_path.glob("*.json")) == []
    assert on_disk.of_campaign(tmp_path).calibration is None


def test_of_a_campaign_s_damaged_file_only_that_is_told(tmp_path: Path) -> None:
    (tmp_path / on_disk.CALIBRATION_FILE).write_text('{"format_version": 1, "calibration": {"sd": 1}}')
    found = on_disk.of_campaign(tmp_path)
    assert found.calibration is None and found.reason == "calibration.json of the campaign is damaged"
