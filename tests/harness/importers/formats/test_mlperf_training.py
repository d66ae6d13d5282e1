"""MLPerf Training's power logs as runs: the timed run alone, its gaps, and marks that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import importers
from harness.energy.series import gauge_integral
from harness.importers.base import ImportedRun, SourceError
from harness.records import ChannelKind, Outcome, Provenance
from tests.foreign_mlperf import BEGIN_MS, training


def the_run(folder: Path) -> ImportedRun:
    (run,) = importers.read("mlperf-training", folder).runs
    return run


def codes(run: ImportedRun) -> list[str]:
    return [one.code for one in run.findings]


def test_the_run_is_the_timed_one_and_its_energy_the_integral_over_it(tmp_path: Path) -> None:
    run = the_run(training(tmp_path, watts=[0.0] * 6 + [100.0] * 19 + [0.0] * 6))
    assert (run.treatment.workload, run.treatment.stage) == ("llama2_70b_lora", "train")
    assert (run.duration_ns, run.begin_ns) == (20 * 10**9, (BEGIN_MS + 1_000_000 + 5000) * 10**6)
    (power,) = run.series
    assert (power.channel.kind, power.channel.provenance) == (ChannelKind.GAUGE, Provenance.MEASURED)
    found = gauge_integral(power, run.begin_ns, run.begin_ns + run.duration_ns)
    assert found is not None
    assert found.value == pytest.approx(1900)
    assert found.uncertainty > 0
    assert (run.outcome, codes(run)) == (Outcome.OK, ["power-marks"])


def test_repetitions_follow_the_order_of_time_and_each_meter_has_its_treatment(tmp_path: Path) -> None:
    for meter in ("ac", "dc"):
        for run in (2, 1):
            training(tmp_path / meter, run)
    runs = importers.read("mlperf-training", tmp_path).runs
    assert [(run.treatment.settings["folder"], run.repetition) for run in runs] == [
        ("ac", 1), ("dc", 1), ("ac", 2), ("dc", 2)
    ]  # fmt: skip


def test_slow_sampling_and_gaps_are_findings(tmp_path: Path) -> None:
    run = the_run(training(tmp_path, watts=[100.0] * 16, step_s=2.0))
    gap = next(one for one in run.findings if one.code == "power-gaps")
    assert gap.severity == "warning"
    assert "a reading every 2.00 s where 1 s is asked for, and 0 gaps of up to 2.0 s" in gap.message
    path = tmp_path / "power/result_1/node_0.txt"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:5] + lines[9:]))
    gap = next(one for one in the_run(tmp_path).findings if one.code == "power-gaps")
    assert "1 gaps of up to 10.0 s, which hold 50.0% of the run" in gap.message


def test_a_stop_mark_with_the_start_s_time_and_a_missing_one_are_said(tmp_path: Path) -> None:
    run = the_run(training(tmp_path))
    assert "a time before the last reading, the time of its start" in run.findings[-1].message
    path = tmp_path / "power/result_1/node_0.txt"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:-1], lines[-1].replace("258377825", "258387825")]))
    assert the_run(tmp_path).findings[-1].message.endswith("a time before the last reading")
    path.write_text("".join(line for line in path.open() if "power_measurement_stop" not in line))
    finding = the_run(tmp_path).findings[-1]
    assert (finding.code, finding.severity) == ("power-marks", "warning")
    assert "lacks the mark power_measurement_stop: its log may be cut short" in finding.message


@pytest.mark.parametrize(
    ("run_s", "why"), [((5.0, 31.0), "ends 1.0 s before the run"), ((-2.0, 9.0), "begins 2.0 s after")]
)
def test_a_log_that_does_not_hold_the_run_makes_it_invalid(
    tmp_path: Path, run_s: tuple[float, float], why: str
) -> None:
    run = the_run(training(tmp_path, run_s=run_s))
    assert run.outcome == Outcome.INVALID
    assert why in run.reason


def test_an_aborted_run_has_failed(tmp_path: Path) -> None:
    path = training(tmp_path) / "result_1.txt"
    path.write_text(path.read_text().replace('"metadata": {}}', '"metadata": {"status": "aborted"}}'))
    run = the_run(tmp_path)
    assert (run.outcome, run.reason) == (Outcome.FAILED, "run_stop says aborted")


@pytest.mark.parametrize(
    ("name", "old", "new", "cause"),
    [
        ("result_1.txt", "run_start", "run_begun", "the mark run_start is missing"),
        ("result_1.txt", "run_stop", "run_start", "a second run_start: several runs in one file"),
        ("power/result_1/node_0.txt", "1715258379825", "1715258309825", "time runs backwards"),
        (
            "power/result_1/node_0.txt",
            '"value": 100.0',
            '"value": "many"',
            "power_reading is 'many', no number",
        ),
        ("power/result_1/node_0.txt", '"value": 100.0', '"value": -1', "power_reading is '-1', no number"),
        ("power/result_1/node_0.txt", '"value": 100.0', '"value": 1e400', "1e400 is no number"),
        (
            "power/result_1/node_0.txt",
            '"value": 100.0',
            '"value": NaN',
            "NaN is no number: a mark holds finite",
        ),
        ("power/result_1/node_0.txt", '"value": 100.0', '"value": Infinity', "Infinity is no number"),
        ("power/result_1/node_0.txt", '"value": 100.0', '"value": 100.0 NaN', "cut short"),
        (
            "power/result_1/node_0.txt",
            '"value": 100.0',
            '"value": true',
            "power_reading is 'True', no number",
        ),
        ("power/result_1/node_0.txt", "1715258379825.0", "1e30", "has no time_ms since 1970"),
        (
            "power/result_1/node_0.txt",
            "power_reading",
            "power_writing",
            "0 of power_reading: no log of a power",
        ),
    ],
)
def test_what_cannot_be_is_one_line_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, cause: str
) -> None:
    path = training(tmp_path) / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(SourceError) as refused:
        importers.read("mlperf-training", tmp_path)
    assert path.name in str(refused.value)
    assert cause in str(refused.value)


@pytest.mark.parametrize(
    ("content", "cause"), [(b"", "empty"), (b"\0\1\2", "not text"), (b"\xff\xfe log\n", "is missing")]
)
def test_an_empty_or_binary_result_is_one_line(tmp_path: Path, content: bytes, cause: str) -> None:
    (training(tmp_path) / "result_1.txt").write_bytes(content)
    with pytest.raises(SourceError, match=cause):
        importers.read("mlperf-training", tmp_path)


def test_marks_in_the_wrong_order_are_refused(tmp_path: Path) -> None:
    training(tmp_path, run_s=(25.0, 5.0))
    with pytest.raises(SourceError, match=r"result_1\.txt:5: run_stop is not after run_start"):
        importers.read("mlperf-training", tmp_path)


def test_a_log_that_breaks_off_in_a_mark_is_refused(tmp_path: Path) -> None:
    path = training(tmp_path) / "power/result_1/node_0.txt"
    path.write_text(path.read_text()[:-60])
    with pytest.raises(SourceError, match=r"node_0\.txt:\d+: cut short"):
        importers.read("mlperf-training", tmp_path)


def test_a_run_without_its_result_or_its_readings_is_one_line(tmp_path: Path) -> None:
    training(tmp_path)
    (tmp_path / "result_1.txt").rename(tmp_path / "result_2.txt")
    with pytest.raises(SourceError, match=r"result_1\.txt: the file is missing"):
        importers.read("mlperf-training", tmp_path)
    (tmp_path / "result_2.txt").rename(tmp_path / "result_1.txt")
    (tmp_path / "power/result_1/node_0.txt").unlink()
    with pytest.raises(SourceError, match=r"no node_\*\.txt of result_1\.txt in it"):
        importers.read("mlperf-training", tmp_path)


def test_the_folder_of_the_powers_can_be_named(tmp_path: Path) -> None:
    training(tmp_path / "files")
    assert importers.import_campaign("mlperf-training", tmp_path / "files/power", tmp_path / "out").is_dir()
