"""Imported runs are held against physics: what no meter can have shown is in no figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from harness import importers, store
from harness.analysis.tables import tables
from harness.energy.joules import doubts_of, run_energy
from harness.importers.base import ImportedRun
from harness.records import Outcome
from tests.foreign import SMI_HEADER, energibridge, perf, powers, smi_rows, write
from tests.foreign_mlperf import inference, tiny, training

Make = Callable[[Path], object]

OFF: dict[str, Make] = {
    "mlperf-training": lambda folder: training(folder, watts=[0.0] * 31),
    "mlperf-inference": lambda folder: inference(folder, watts=[0.0] * 31),
    "mlperf-tiny": lambda folder: tiny(folder, [0.0] * 60_000),
    "nvidia-smi": lambda folder: powers(folder / "a_torch_1.txt", [0.0] * 9),
    "energibridge": lambda folder: energibridge(folder / "a_torch_1.csv", (5.0, 5.0, 5.0)),
    "perf-stat": lambda folder: perf(folder / "torch_1.txt", pkg="0.00"),
}


def runs(name: str, folder: Path) -> tuple[ImportedRun, ...]:
    return importers.read(name, folder).runs


@pytest.mark.parametrize("name", list(OFF))
def test_an_addend_that_shows_no_joule_all_the_time_is_invalid_never_0(tmp_path: Path, name: str) -> None:
    OFF[name](tmp_path / "files")
    for run in runs(name, tmp_path / "files"):
        assert run.outcome is Outcome.INVALID
        assert "stood still at" in run.reason
        assert "counter-stood-still" in [one.code for one in run.findings]


def test_a_card_s_log_of_0_w_is_invalid(tmp_path: Path) -> None:
    write(tmp_path / "a_torch_1.csv", "\n".join([SMI_HEADER, *smi_rows(5, 0.0)]) + "\n")
    (run,) = runs("nvidia-smi", tmp_path)
    assert "gpu-0/power stood still at 0 W" in run.reason


def test_the_campaign_keeps_it_and_counts_it_in_no_figure(tmp_path: Path) -> None:
    training(tmp_path / "files", watts=[0.0] * 31)
    folder = importers.import_campaign("mlperf-training", tmp_path / "files", tmp_path / "c")
    (run,) = store.load_campaign(folder).runs
    assert run.record.outcome is Outcome.INVALID
    assert run.record.findings[-1].severity == "invalid"
    assert tables(store.load_campaign(folder)).runs["outcome"].tolist() == ["invalid"]


def test_a_zero_now_and_then_is_no_doubt(tmp_path: Path) -> None:
    """Ends of a run are idle; a sensor may miss a beat."""
    training(tmp_path, watts=[100.0] * 8 + [0.0] + [100.0] * 22)
    assert runs("mlperf-training", tmp_path)[0].outcome is Outcome.OK


def test_power_that_no_machine_draws_is_invalid(tmp_path: Path) -> None:
    training(tmp_path, watts=[100.0] * 12 + [1e9] + [100.0] * 18)
    (run,) = runs("mlperf-training", tmp_path)
    assert run.outcome is Outcome.INVALID
    assert "implies 1e+09 W: system draws at most 100000 W" in run.reason


def test_a_doubt_outside_the_run_does_not_touch_it(tmp_path: Path) -> None:
    training(tmp_path, watts=[1e9] + [100.0] * 30)
    assert runs("mlperf-training", tmp_path)[0].outcome is Outcome.OK


def test_a_trace_that_falls_in_one_window_makes_that_window_invalid(tmp_path: Path) -> None:
    tiny(tmp_path, [10.0] * 10_000 + [-1.0] * 100 + [10.0] * 49_900)
    first, second = runs("mlperf-tiny", tmp_path)
    assert (first.outcome, second.outcome) == (Outcome.INVALID, Outcome.OK)
    assert "implies -0.001 W: a counter without a known range ran backwards" in first.reason
    assert "(99 more such readings)" in first.reason


def test_the_outcome_and_the_energy_agree(tmp_path: Path) -> None:
    """A run has energy just if it counts, wherever a trace falls."""
    for at in range(0, 60_000, 7500):
        samples = np.full(60_000, 10.0)
        samples[at : at + 1000] = -10.0
        tiny(tmp_path, samples.tolist())
        for run in runs("mlperf-tiny", tmp_path):
            found = energy_j(run)
            assert (found is None) == (run.outcome is Outcome.INVALID)


def energy_j(run: ImportedRun) -> float | None:
    return run_energy(run.series, run.channels, 0, run.duration_ns, doubts_of(run.series)).energy_j


def test_a_child_s_counter_that_goes_round_does_not_touch_its_package(tmp_path: Path) -> None:
    rows = "0,1000,10,65000\n1000,2000,60,65500\n1000,3000,110,20\n"
    write(tmp_path / "a_torch_1.csv", f"Delta,Time,CPU_ENERGY (J),CORE0_ENERGY (J)\n{rows}")
    (run,) = runs("energibridge", tmp_path)
    assert run.outcome is Outcome.OK
    assert [(one.code, one.severity) for one in run.findings] == [("counter-impossible", "warning")]


def test_a_run_that_failed_stays_failed_and_keeps_its_reason(tmp_path: Path) -> None:
    path = training(tmp_path, watts=[0.0] * 31) / "result_1.txt"
    path.write_text(path.read_text().replace('"metadata": {}}', '"metadata": {"status": "aborted"}}'))
    (run,) = runs("mlperf-training", tmp_path)
    assert (run.outcome, run.reason) == (Outcome.FAILED, "run_stop says aborted")
    assert "counter-stood-still" in [one.code for one in run.findings]
