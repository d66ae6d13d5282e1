"""An imported campaign is a campaign: everything after works on it, and it is whole or not there."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import importers, store
from harness.analysis.summary import analyse
from harness.analysis.tables import measured, tables
from harness.errors import CampaignError, SuiteError, UsageError
from harness.exports.frames import as_csv, frames
from harness.importers import writing
from harness.importers.base import SourceError
from reports.render import render
from tests.conftest import SHARED
from tests.foreign import codecarbon, energibridge, perf, powers, prengdl, sotillos
from tests.foreign_mlperf import inference, tiny, training

ICSE22, SOTILLOS23 = SHARED / "published/icse22", SHARED / "published/sotillos23"
Make = Callable[[Path], object]

SMALL: dict[str, Make] = {
    "prengdl": prengdl,
    "sotillos": lambda folder: [sotillos(folder, 1, one) for one in ("pytorch", "tensorflow")],
    "energibridge": lambda folder: [energibridge(folder / f"{one}_1.csv") for one in ("keras", "torch")],
    "perf-stat": lambda folder: [perf(folder / f"a_{one}_1.txt") for one in ("keras", "torch")],
    "nvidia-smi": lambda folder: [
        powers(folder / f"a_{one}_1.txt", [50.0] * 9) for one in ("keras", "torch")
    ],
    "codecarbon": lambda folder: codecarbon(folder / "emissions.csv"),
    "mlperf-training": lambda folder: [training(folder, run) for run in (1, 2)],
    "mlperf-inference": lambda folder: inference(folder),
    "mlperf-tiny": lambda folder: tiny(folder),
}
ENERGY_J = {
    "prengdl": 2118.4,
    "energibridge": 50.0,
    "perf-stat": 1100.0,
    "nvidia-smi": 450.0,
    "codecarbon": 3600.0,
    "mlperf-training": 2000.0,
    "mlperf-inference": 800.0,
    "mlperf-tiny": 0.15,
}


def test_every_format_is_tried_here() -> None:
    assert set(SMALL) == set(importers.found())


@pytest.mark.unhurried
@pytest.mark.parametrize("name", list(SMALL))
def test_analysis_report_and_export_work_on_it(tmp_path: Path, name: str) -> None:
    SMALL[name](tmp_path / "files")
    folder = importers.import_campaign(name, tmp_path / "files", tmp_path / "campaign")
    campaign = store.load_campaign(folder)
    analysis = analyse(campaign)
    assert len(analysis.counted) == len(campaign.runs)
    assert analysis.counted["energy_j"].notna().all()
    assert "imported from files that other tools wrote" in render(campaign)
    exported = as_csv(frames(campaign, analysis))["runs.csv"]
    assert len(exported.splitlines()) == len(campaign.runs) + 1


@pytest.mark.parametrize("name", list(ENERGY_J))
def test_its_joules_are_those_of_the_files(tmp_path: Path, name: str) -> None:
    """prengdl, the first run: 1001 + 100.1 J of perf, 6 + 19 x 50 W for a second each, minus what is printed cut."""
    SMALL[name](tmp_path / "files")
    runs = tables(
        store.load_campaign(importers.import_campaign(name, tmp_path / "files", tmp_path / "c"))
    ).runs
    expected = 1001 + 100.1 + 956 if name == "prengdl" else ENERGY_J[name]
    assert runs["energy_j"].min() == pytest.approx(expected, rel=1e-9)


def test_every_file_is_named_with_its_hash(tmp_path: Path) -> None:
    prengdl(tmp_path / "files", 1)
    record = store.load_campaign(
        importers.import_campaign("prengdl", tmp_path / "files", tmp_path / "c")
    ).record
    assert record.machine["imported_from"] == "prengdl"
    name, found = next(iter(record.machine["files"].items()))
    assert found == hashlib.sha256((tmp_path / "files" / name).read_bytes()).hexdigest()
    assert len(record.machine["files"]) == 4


def test_a_run_names_its_own_files(tmp_path: Path) -> None:
    prengdl(tmp_path / "files", 1)
    first = store.load_campaign(
        importers.import_campaign("prengdl", tmp_path / "files", tmp_path / "c")
    ).runs[0]
    assert first.record.sources == (
        "measurements_train/ncf_PyTorch_perf_1.txt", "measurements_train/ncf_PyTorch_nvidia_smi_1.txt",
    )  # fmt: skip
    assert str(tmp_path) not in json.dumps(first.record.model_dump(mode="json"))


def test_a_second_import_into_the_same_folder_is_refused(tmp_path: Path) -> None:
    prengdl(tmp_path / "files", 1)
    importers.import_campaign("prengdl", tmp_path / "files", tmp_path / "c")
    before = sorted(path.name for path in (tmp_path / "c").rglob("*"))
    with pytest.raises(CampaignError, match="exists already"):
        importers.import_campaign("prengdl", tmp_path / "files", tmp_path / "c")
    assert sorted(path.name for path in (tmp_path / "c").rglob("*")) == before


def test_a_failure_at_the_last_run_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prengdl(tmp_path / "files", 3)
    keep, calls = writing.store.store_run, []

    def fail(*words: object) -> Path:
        calls.append(words)
        if len(calls) == 6:
            raise OSError(28, "No space left on device")
        return keep(*words)  # type: ignore[arg-type]

    monkeypatch.setattr(writing.store, "store_run", fail)
    with pytest.raises(CampaignError, match="No space left on device"):
        importers.import_campaign("prengdl", tmp_path / "files", tmp_path / "out" / "c")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    prengdl(tmp_path / "files", 1)
    (tmp_path / "file").write_text("")
    with pytest.raises(CampaignError, match="cannot write the campaign to"):
        importers.import_campaign("prengdl", tmp_path / "files", tmp_path / "file" / "c")


@pytest.mark.parametrize("name", list(SMALL))
def test_a_bad_last_file_leaves_nothing(tmp_path: Path, name: str) -> None:
    SMALL[name](tmp_path / "files")
    last = max(path for path in (tmp_path / "files").rglob("*") if path.is_file())
    last.write_bytes(last.read_bytes()[:-30])
    with pytest.raises(SourceError) as refused:
        importers.import_campaign(name, tmp_path / "files", tmp_path / "out" / "c")
    assert last.name in str(refused.value)
    assert not (tmp_path / "out").exists()


def test_a_path_without_such_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="holds no file of format prengdl: measurements_"):
        importers.import_campaign("prengdl", tmp_path, tmp_path / "c")
    with pytest.raises(SuiteError, match="no such file or folder"):
        importers.import_campaign("prengdl", tmp_path / "gone", tmp_path / "c")
    with pytest.raises(UsageError, match="did you mean 'codecarbon'"):
        importers.import_campaign("codecarbom", tmp_path, tmp_path / "c")


@pytest.mark.skipif(not ICSE22.is_dir(), reason="the raw files of the study are not beside the checkout")
def test_the_artifact_of_icse22_is_a_campaign_within_seconds(tmp_path: Path) -> None:
    began = time.process_time()
    folder = importers.import_campaign("prengdl", ICSE22, tmp_path / "c")
    assert time.process_time() - began < 5
    runs = tables(store.load_campaign(folder)).runs
    assert runs["purpose"].value_counts().to_dict() == {"measure": 120, "profile": 8}
    ncf = measured(runs).query("workload == 'ncf' and framework == 'torch'")
    assert ncf["energy_j"].mean() == pytest.approx(327561.40 + 51537.49 + 173505.93, abs=0.02)
    assert ncf["duration_s"].mean() == pytest.approx(5901.80, abs=0.01)
    assert set(ncf["provenance"]) == {"derived"}
    assert set(ncf["energy_boundary"]) == {"cpu_package + dram + gpu"}


@pytest.mark.unhurried
@pytest.mark.skipif(not SOTILLOS23.is_dir(), reason="the raw files of the study are not beside the checkout")
def test_the_runs_of_sotillos_have_epochs_with_energy_and_accuracy(tmp_path: Path) -> None:
    found = tables(store.load_campaign(importers.import_campaign("sotillos", SOTILLOS23, tmp_path / "c")))
    assert (len(found.runs), len(found.epochs)) == (48, 480)
    assert found.epochs[["energy_j", "accuracy", "duration_s"]].notna().all(axis=None)
    assert set(measured(found.runs)["energy_boundary"]) == {"gpu"}
