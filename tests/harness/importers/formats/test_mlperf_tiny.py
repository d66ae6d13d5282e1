"""MLPerf Tiny's energy traces: the working windows, in joules, and traces that cannot be."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from harness import importers
from harness.energy.series import increase
from harness.importers.base import ImportedRun, SourceError
from harness.records import ChannelKind, Provenance
from tests.foreign_mlperf import tiny


def runs(folder: Path) -> tuple[ImportedRun, ...]:
    return importers.read("mlperf-tiny", folder).runs


def energy_j(run: ImportedRun) -> float:
    found = increase(run.series[0], 0, run.duration_ns)
    assert found is not None
    return found.value


def test_every_working_window_is_a_repetition_with_its_joules(tmp_path: Path) -> None:
    tiny(tmp_path / "board/kws/energy")
    found = runs(tmp_path)
    assert [(run.repetition, run.environment["window"]) for run in found] == [(1, 2), (2, 4)]
    assert [run.duration_ns for run in found] == [15 * 10**9] * 2
    assert [energy_j(run) for run in found] == pytest.approx([0.15, 0.15])
    assert found[0].treatment.workload == "kws"
    channel = found[0].series[0].channel
    assert (channel.kind, channel.provenance, channel.unit) == (ChannelKind.COUNTER, Provenance.MEASURED, "J")


def test_what_the_borders_leave_open_is_in_the_uncertainty(tmp_path: Path) -> None:
    """A border is known to a sample: 10 uJ; moving both by one stays inside the interval."""
    tiny(tmp_path)
    found = increase(runs(tmp_path)[0].series[0], 0, 15 * 10**9)
    assert found is not None
    assert 10e-6 < found.uncertainty < 40e-6


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(
    samples=some.lists(some.floats(0, 1000, width=32), min_size=50, max_size=400),
    cuts=some.lists(some.integers(0, 48), min_size=3, max_size=3, unique=True),
)
def test_windows_on_samples_hold_the_sum_of_their_samples(
    tmp_path: Path, samples: list[float], cuts: list[int]
) -> None:
    first, begin, end = sorted(cuts)
    tiny(tmp_path, samples, rate_hz=8.0, stamps=[first / 8, begin / 8, end / 8])
    (run,) = runs(tmp_path)
    assert energy_j(run) == pytest.approx(float(np.sum(samples[begin:end])) * 1e-6, rel=1e-6, abs=1e-15)


def test_windows_are_said_to_be_of_one_session(tmp_path: Path) -> None:
    tiny(tmp_path)
    (finding,) = importers.read("mlperf-tiny", tmp_path).findings
    assert (finding.code, finding.severity) == ("windows-of-one-session", "warning")


def test_negative_samples_are_kept_and_said(tmp_path: Path) -> None:
    tiny(tmp_path, [10.0] * 59_000 + [-1.0] * 1000)
    assert "1000 of 60000 samples" in runs(tmp_path)[0].findings[0].message


def test_several_traces_are_treatments_of_their_own(tmp_path: Path) -> None:
    for name in ("a", "b"):
        tiny(tmp_path / name)
    assert [run.treatment.settings for run in runs(tmp_path)] == [{"folder": "a"}] * 2 + [{"folder": "b"}] * 2
    out = importers.import_campaign("mlperf-tiny", tmp_path, tmp_path.parent / f"{tmp_path.name}-out")
    assert len(list((out / "runs").iterdir())) == 4


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"", "the file is empty"),
        (b"\xf1", "cut short"),
        (struct.pack("<Bf", 0xF1, 1000.0), "cut short"),
        (struct.pack("<Bff", 0xF1, 1000.0, 1.0)[:-1], "cut short"),
        (struct.pack("<Bff", 0xF0, 1000.0, 1.0), "version 0xF0: only 0xF1"),
        (b"not a trace\n", "version 0x6E"),
        (struct.pack("<Bff", 0xF1, 0.0, 1.0), "0 samples a second"),
        (struct.pack("<Bff", 0xF1, float("nan"), 1.0), "nan samples a second"),
        (struct.pack("<Bff", 0xF1, 1e30, 1.0), "1e[+]30 samples a second"),
        (struct.pack("<Bfff", 0xF1, 1000.0, 1.0, float("nan")), "sample 1 is nan uJ"),
        (struct.pack("<Bfff", 0xF1, 1000.0, 1.0, 1e30), "sample 1 is 1e[+]30 uJ"),
        (struct.pack("<Bff", 0xF1, 1000.0, 1.0), "borders from 1 to 40 s, of a trace of 0.001 s"),
    ],
)
def test_a_trace_that_cannot_be_is_one_line(tmp_path: Path, content: bytes, cause: str) -> None:
    tiny(tmp_path).write_bytes(content)
    with pytest.raises(SourceError, match=f"trace1-(energy.bin|timestamps.json): .*{cause}"):
        runs(tmp_path)


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "no JSON, or cut short"), ("[1.0, 5.0, 20", "no JSON, or cut short"), ("{}", "no list of seconds"),
        ('[1, 2, "3"]', "no list of seconds"), ("[true, 1, 2]", "no list of seconds"), ("[1, 2]", "2 borders"),
        ("[1, 2, 3, 4]", "4 borders"), ("[1, 3, 2]", "a border is not after the one before"),
        ("[1, 2, 2]", "a border is not after the one before"), ("[-1, 2, 3]", "borders from -1 to 3 s"),
        ("[1, 2, 61]", "borders from 1 to 61 s, of a trace of 60 s"), ("[1, 2, NaN]", "no JSON"),
        ("[1, 2, 1e400]", "no JSON"), ("[" * 100_000, "no JSON"), (json.dumps([1, 2, 10**40]), "borders from 1 to 1e"),
    ],
)  # fmt: skip
def test_borders_that_cannot_be_are_one_line(tmp_path: Path, text: str, cause: str) -> None:
    (tiny(tmp_path).parent / "trace1-timestamps.json").write_text(text)
    with pytest.raises(SourceError, match=rf"timestamps\.json: .*{cause}"):
        runs(tmp_path)


def test_a_trace_without_borders_is_one_line(tmp_path: Path) -> None:
    (tiny(tmp_path).parent / "trace1-timestamps.json").unlink()
    with pytest.raises(SourceError, match=r"timestamps\.json: the file is missing"):
        runs(tmp_path)
