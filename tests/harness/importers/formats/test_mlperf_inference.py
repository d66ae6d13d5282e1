"""MLPerf Inference's power runs: PTDaemon's readings between LoadGen's marks, on two clocks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness import importers
from harness.energy.series import gauge_integral
from harness.importers.base import ImportedRun, SourceError
from harness.records import Outcome, Provenance
from tests.foreign import write
from tests.foreign_mlperf import inference


def the_run(folder: Path) -> ImportedRun:
    (run,) = importers.read("mlperf-inference", folder).runs
    return run


def server(place: Path, timezone: object) -> None:
    write(place.parent / "power/server.json", json.dumps({"timezone": timezone}))


def test_the_run_lies_between_the_marks_and_its_energy_is_the_integral(tmp_path: Path) -> None:
    inference(tmp_path, watts=[20.0] * 5 + [40.0] * 21 + [20.0] * 5)
    run = the_run(tmp_path)
    assert (run.duration_ns, run.started, run.outcome) == (20 * 10**9, "2020-12-23T10:21:55", Outcome.OK)
    treatment = run.treatment
    assert (treatment.workload, treatment.framework, treatment.stage) == ("resnet50", "tensorflow", "infer")
    assert treatment.settings == {"system": "a_system-tf-v1", "scenario": "Offline"}
    (power,) = run.series
    assert power.channel.provenance == Provenance.MEASURED
    found = gauge_integral(power, run.begin_ns or 0, (run.begin_ns or 0) + run.duration_ns)
    assert found is not None
    assert found.value == pytest.approx(800)
    assert run.findings == ()


def test_months_come_before_days(tmp_path: Path) -> None:
    """As every published log has them; 12-23 is no 12th day of a 23rd month."""
    place = inference(tmp_path)
    for name in ("spl.txt", "mlperf_log_detail.txt"):
        (place / name).write_text((place / name).read_text().replace("12-23-2020", "02-03-2020"))
    assert the_run(tmp_path).started.startswith("2020-02-03")
    for name in ("spl.txt", "mlperf_log_detail.txt"):
        (place / name).write_text((place / name).read_text().replace("02-03-2020", "13-03-2020"))
    with pytest.raises(SourceError, match=r"'13-03-2020 10:21:55\.000' is no time MM-DD-YYYY"):
        the_run(tmp_path)


def test_of_several_analyzers_the_first_watts_are_the_sum(tmp_path: Path) -> None:
    place = inference(tmp_path)
    more = ",Analyzer1,Time,12-23-2020 10:21:50.000,Watts,9.0,Volts,1,Amps,1,PF,1,Mark,x"
    text = (place / "spl.txt").read_text()
    (place / "spl.txt").write_text("".join(f"{line}{more}\n" for line in text.splitlines()))
    assert set(the_run(tmp_path).series[0].values) == {40.0}


def test_a_gap_is_a_finding(tmp_path: Path) -> None:
    place = inference(tmp_path)
    lines = (place / "spl.txt").read_text().splitlines(keepends=True)
    (place / "spl.txt").write_text("".join(lines[:10] + lines[18:]))
    (finding,) = the_run(tmp_path).findings
    assert (finding.code, finding.severity) == ("power-gaps", "warning")
    assert "1 gaps of up to 9.0 s, which hold 45.0% of the run" in finding.message


def test_the_ranging_run_counts_in_no_figure(tmp_path: Path) -> None:
    place = inference(tmp_path)
    place.rename(place.parent / "ranging")
    inference(tmp_path)
    assert sorted(run.purpose for run in importers.read("mlperf-inference", tmp_path).runs) == [
        "measure",
        "warm-up",
    ]


def test_a_clock_in_another_zone_is_set_right_where_the_session_says_by_how_much(tmp_path: Path) -> None:
    place = inference(tmp_path, hour=3)
    server(place, 7 * 3600)
    run = the_run(tmp_path)
    assert run.outcome == Outcome.OK
    assert run.findings[0].code == "clock-zone"
    assert "25200 s were added" in run.findings[0].message
    assert int(run.series[0].t_ns[5]) == run.begin_ns


def test_a_zone_that_the_readings_do_not_need_is_left_alone(tmp_path: Path) -> None:
    """Later sessions log in UTC and still name their zone; a long log would hold the run with it and without."""
    place = inference(tmp_path)
    for timezone in (3600, 2):
        server(place, timezone)
        run = the_run(tmp_path)
        assert (run.outcome, run.findings) == (Outcome.OK, ())
        assert int(run.series[0].t_ns[5]) == run.begin_ns


@pytest.mark.parametrize(("hour", "zone"), [(9, "+1 h"), (11, "-1 h"), (23, "-13 h")])
def test_a_zone_that_nobody_names_makes_the_run_invalid(tmp_path: Path, hour: int, zone: str) -> None:
    inference(tmp_path, hour=hour)
    run = the_run(tmp_path)
    assert run.outcome == Outcome.INVALID
    assert f"{zone} would fit: the clocks differ by a zone, or by summer time" in run.reason


def test_readings_that_end_before_the_run_make_it_invalid(tmp_path: Path) -> None:
    inference(tmp_path, watts=[40.0] * 10)
    run = the_run(tmp_path)
    assert (run.outcome, run.reason) == (
        Outcome.INVALID, "mlperf-inference/analyzer/power ends 16.0 s before the run"
    )  # fmt: skip


def test_a_clock_set_back_in_the_log_is_one_line(tmp_path: Path) -> None:
    place = inference(tmp_path)
    text = (place / "spl.txt").read_text()
    (place / "spl.txt").write_text(text.replace("10:22:", "09:22:"))
    with pytest.raises(
        SourceError, match=r"spl\.txt:11: time runs backwards by 3599 s: a clock that was set"
    ):
        the_run(tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "new", "cause"),
    [
        ("mlperf_log_detail.txt", '"power_begin"', '"power_beginning"', "the mark power_begin is missing"),
        ("mlperf_log_detail.txt", '"power_begin"', '"power_end"', "the mark power_begin is missing"),
        ("mlperf_log_detail.txt", '"effective_scenario"', '"power_end"', "a second power_end"),
        ("mlperf_log_detail.txt", "10:22:15.000", "10:21:15.000", ":3: power_end is not after power_begin"),
        ("mlperf_log_detail.txt", "12-23-2020 10:22:15.000", "tomorrow", ":3: 'tomorrow' is no time"),
        ("mlperf_log_detail.txt", '"12-23-2020 10:22:15.000"', "17", ":3: '17' is no time"),
        ("spl.txt", "Watts,40.000000", "Watts,nan", ":1: Watts is 'nan', no power"),
        ("spl.txt", "Watts,40.000000", "Watts,-1.000000", ":1: Watts is '-1.000000', no power"),
        ("spl.txt", "Watts,40.000000", f"Watts,{'9' * 400}", ":1: Watts is '9999"),
        ("spl.txt", "Watts", "Volts", ":1: is not Time,...,Watts,..."),
        ("spl.txt", "12-23-2020 10:21:53", "12-23-9999 10:21:53", ":4: '12-23-9999"),
    ],
)
def test_what_cannot_be_is_one_line_with_its_place(
    tmp_path: Path, name: str, old: str, new: str, cause: str
) -> None:
    path = inference(tmp_path) / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(SourceError) as refused:
        the_run(tmp_path)
    assert f"{name}" in str(refused.value)
    assert cause in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["spl.txt", "mlperf_log_detail.txt"])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"\0\1\2\n", b"\xff\xfe\xff\n"])
def test_empty_and_binary_files_are_one_line(tmp_path: Path, name: str, content: bytes) -> None:
    (inference(tmp_path) / name).write_bytes(content)
    with pytest.raises(SourceError, match=name):
        the_run(tmp_path)


def test_files_that_break_off_or_are_missing_are_one_line(tmp_path: Path) -> None:
    place = inference(tmp_path)
    whole = (place / "spl.txt").read_text()
    (place / "spl.txt").write_text(whole[:-1])
    with pytest.raises(SourceError, match=r"spl\.txt:31: cut short"):
        the_run(tmp_path)
    (place / "spl.txt").write_text(whole)
    (place / "mlperf_log_detail.txt").unlink()
    with pytest.raises(SourceError, match=r"mlperf_log_detail\.txt: the file is missing"):
        the_run(tmp_path)


@pytest.mark.parametrize("timezone", ["east", None, 10**9, [1], 1e400])
def test_an_odd_zone_is_one_line(tmp_path: Path, timezone: object) -> None:
    server(inference(tmp_path), timezone)
    with pytest.raises(SourceError, match=r"server\.json: (timezone is|no JSON)"):
        the_run(tmp_path)


def test_one_file_can_be_named_and_the_session_s_file_above_it_is_a_source(tmp_path: Path) -> None:
    place = inference(tmp_path / "files", hour=3)
    server(place, 7 * 3600)
    for number, path in enumerate((place, place / "spl.txt", tmp_path / "files")):
        out = importers.import_campaign("mlperf-inference", path, tmp_path / f"out{number}")
        files = json.loads((out / "campaign.json").read_text())["machine"]["files"]
        assert [name.rpartition("/")[2] for name in files] == [
            "spl.txt",
            "mlperf_log_detail.txt",
            "server.json",
        ]
