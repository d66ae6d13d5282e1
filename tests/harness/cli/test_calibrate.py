"""suite calibrate: a null campaign of real processes on emulated meters, what it keeps, and when it keeps nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import paths, store
from harness.calibration import on_disk
from harness.calibration.records import Calibration
from harness.campaign import preparation
from harness.environments.frameworks import framework
from harness.planning.null_campaign import labels
from tests.calibrations import calibrated
from tests.emulators.environment import EmulatedEnvironment
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
VERSION = framework("sklearn").default_version
NULL = ("calibrate", "-w", "svm", "-f", "sklearn", "--environment", "virtualenv", "--blocks", 3)


@pytest.fixture
def emulated(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """The framework is an emulated worker that behaves as it is told, the meter an emulated package of 50 W."""
    place = tmp_path / "powercap"
    monkeypatch.setenv("JOULEMARK_POWERCAP_ROOT", str(place))
    monkeypatch.setattr(preparation, "datasets", lambda *_: None)

    def behave(how: str) -> None:
        ready = {("sklearn", VERSION): EmulatedEnvironment(how)}
        monkeypatch.setattr(preparation, "environments", lambda *_: preparation.Prepared(ready, ()))

    behave("works")
    with PowercapTree(place, [EmulatedZone("intel-rapl:0", "package-0", constant(50.0))]):
        yield behave


@pytest.mark.unhurried
def test_it_measures_keeps_and_is_told_by_the_next_campaign(
    suite: Suite, emulated: object, tmp_path: Path
) -> None:
    answer = suite(*NULL, "-o", tmp_path / "null", "--format", "json")
    assert answer.code == 0, answer.err
    told = Calibration.model_validate_json(answer.out)  # nothing else is on standard output
    (kept,) = on_disk.load()
    assert kept.calibration == told
    assert (told.blocks, told.treatment.workload, told.isolation) == (3, "svm", "virtualenv")
    assert {"energy_j", "duration_s"} <= {one.quantity for one in told.noise}
    provenances = {one.quantity: one.provenance for one in told.noise}
    assert (provenances["energy_j"], provenances["duration_s"]) == ("simulated", None)
    assert all(0 < one.sd < 0.5 and one.relabelled == 4 for one in told.noise if one.quantity == "duration_s")
    assert f"kept in {paths.calibrations()}" in answer.err
    null = store.load_campaign(tmp_path / "null")
    assert len(null.runs) == 6 == len(labels(null.record.plan, null.record.order))

    words = ("run", "-w", "svm", "-f", "sklearn", "-s", "train", "-r", 2, "--profile", "quick", "--no-verify")
    answer = suite(*words, "--environment", "virtualenv", "-o", tmp_path / "later")
    assert answer.code == 0, answer.err
    lines = [one for one in answer.out.splitlines() if one.startswith("this machine resolves ")]
    assert (
        len(lines) == 2 and lines[0] == lines[1]
    )  # before the first run, and on the first screen of its results
    assert f"svm on sklearn {VERSION})" in lines[0] and "in 2 blocks (calibrated 20" in lines[0]
    assert on_disk.of_campaign(tmp_path / "later").calibration == told


@pytest.mark.unhurried
def test_its_own_screen_says_what_it_found_and_what_that_means(
    suite: Suite, emulated: object, tmp_path: Path
) -> None:
    answer = suite(*NULL, "-o", tmp_path / "null")
    assert answer.code == 0
    assert "a null campaign: one treatment measured against itself" in answer.out
    assert "verdicts of A against B are false" in answer.out
    assert "of 4 " in answer.out
    assert "not calibrated" not in answer.out
    assert "a null campaign" in (tmp_path / "null" / "report.html").read_text().lower()


@pytest.mark.unhurried
def test_a_run_that_fails_keeps_nothing(
    suite: Suite, emulated: Callable[[str], None], tmp_path: Path
) -> None:
    before = on_disk.save(calibrated()).read_bytes()
    emulated("fails")
    answer = suite(*NULL, "-o", tmp_path / "null", "--format", "json")
    assert answer.code == 1 and answer.out == ""
    assert "not calibrated: a run does not count" in answer.err
    assert len(store.load_campaign(tmp_path / "null").runs) == 1  # the others were minutes for nothing
    assert paths.calibrations().read_bytes() == before


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("--blocks", 2), "2 is not in the range x>=3"),
        (("--blocks", 10**8), "the 100000 runs of a campaign"),
        (("-w", "mnist_ml"), "did you mean 'mnist_mlp'?"),
        (("-w", "svm", "-f", "torch"), "no workload has an implementation for the combination svm + torch"),
        (("-f", "torch@1"), "unknown version of torch '1'"),
        (("--seed", -1), "-1 is not in the range"),
        (("--profile", "modes"), "a calibration measures one treatment: profile modes makes 2 of it"),
        (("--isolation", "podman"), "unknown environment 'podman'"),
    ],
)
def test_what_cannot_be_is_one_line_before_anything_is_done(
    refused: Callable[..., str], home: Path, tmp_path: Path, words: tuple[object, ...], line: str
) -> None:
    given = ("--environment", "virtualenv") if "--isolation" not in words else ()
    assert line in refused("calibrate", *given, *words, "-o", tmp_path / "null")
    assert not (tmp_path / "null").exists() and not paths.calibrations().exists()


def test_a_damaged_file_is_named_before_minutes_are_spent(
    refused: Callable[..., str], emulated: object, tmp_path: Path
) -> None:
    paths.calibrations().parent.mkdir(parents=True)
    paths.calibrations().write_text("{")
    assert "calibration.json cannot be read" in refused(*NULL, "-o", tmp_path / "null")
    assert not (tmp_path / "null").exists()


def test_a_home_that_cannot_be_written_is_one_line_before_minutes_are_spent(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("JOULEMARK_HOME", str(tmp_path / "file" / "home"))
    assert "cannot be written (Not a directory)" in refused(*NULL, "-o", tmp_path / "null")
    assert not (tmp_path / "null").exists()


@pytest.mark.unhurried
def test_a_campaign_names_a_damaged_file_and_goes_on_without(
    suite: Suite, emulated: object, tmp_path: Path
) -> None:
    paths.calibrations().parent.mkdir(parents=True)
    paths.calibrations().write_text("{")
    words = ("run", "-w", "svm", "-f", "sklearn", "-s", "train", "-r", 1, "--profile", "quick", "--no-verify")
    answer = suite(*words, "--environment", "virtualenv", "-o", tmp_path / "c")
    assert answer.code == 0
    assert f"note: {paths.calibrations()} cannot be read" in answer.out
    said = "not calibrated: run suite calibrate (calibration.json of the home folder is damaged)"
    assert answer.out.count(said) == 2
    assert paths.calibrations().read_text() == "{"
    kept = json.loads((tmp_path / "c" / on_disk.CALIBRATION_FILE).read_text())
    assert kept["calibration"] is None
