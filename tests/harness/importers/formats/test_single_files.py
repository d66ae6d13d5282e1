"""The formats with one file per run: perf stat, nvidia-smi, EnergiBridge, CodeCarbon."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from harness import importers
from harness.importers.base import SourceError
from harness.records import Outcome, Provenance
from tests.foreign import SMI_HEADER, codecarbon, energibridge, perf, powers, smi_rows, write


def test_a_perf_text_is_a_run_named_by_its_file(tmp_path: Path) -> None:
    perf(tmp_path / "mnist_torch_1.txt")
    perf(tmp_path / "mnist_torch_2.txt")
    runs = importers.read("perf-stat", tmp_path).runs
    assert [(one.treatment.workload, one.treatment.framework, one.repetition) for one in runs] == [
        ("mnist", "torch", 1), ("mnist", "torch", 2)
    ]  # fmt: skip


def test_repetitions_that_count_from_0_count_from_1_here(tmp_path: Path) -> None:
    """Block 0 is that of preparation runs."""
    for number in range(3):
        energibridge(tmp_path / f"keras_{number}.csv", begin_ms=1_700_000_000_000 + 10_000 * number)
    assert [one.repetition for one in importers.read("energibridge", tmp_path).runs] == [1, 2, 3]


def test_files_that_know_the_time_come_in_its_order(tmp_path: Path) -> None:
    energibridge(tmp_path / "keras_1.csv", begin_ms=1_700_000_100_000)
    energibridge(tmp_path / "torch_1.csv", begin_ms=1_700_000_000_000)
    assert [one.treatment.framework for one in importers.read("energibridge", tmp_path).runs] == [
        "torch",
        "keras",
    ]


def test_what_no_file_says_the_user_may_say(tmp_path: Path) -> None:
    path = energibridge(tmp_path / "keras_1.csv")
    (run,) = importers.read("energibridge", path, {"workload": "mnist_cnn", "framework": "torch"}).runs
    assert (run.treatment.workload, run.treatment.framework) == ("mnist_cnn", "keras")


def test_nvidia_smi_takes_logs_and_lists_of_powers(tmp_path: Path) -> None:
    write(tmp_path / "a_torch_1.csv", "\n".join([SMI_HEADER, *smi_rows(5)]) + "\n")
    powers(tmp_path / "a_tensorflow_1.txt", [50.0] * 5)
    by_framework = {one.treatment.framework: one for one in importers.read("nvidia-smi", tmp_path).runs}
    assert by_framework["torch"].duration_ns == 4_000_000_000
    assert by_framework["torch"].begin_ns is not None
    assert by_framework["tensorflow"].duration_ns == 5_000_000_000
    assert by_framework["tensorflow"].begin_ns is None


def test_energibridge_counts_the_package_and_keeps_the_rest(tmp_path: Path) -> None:
    (run,) = importers.read("energibridge", energibridge(tmp_path / "keras_1.csv")).runs
    assert run.duration_ns == 2_000_000_000
    assert [one.channel.name for one in run.series if one.channel.boundary] == ["energibridge/cpu_energy"]
    assert {one.channel.unit for one in run.series} == {"J", "MHz", "%", "bytes"}


@pytest.mark.parametrize(
    ("header", "boundary"),
    [
        ("CORE0_ENERGY (J),CPU_ENERGY (J)", {"cpu_energy"}),
        ("PACAKGE_ENERGY (J),DRAM_ENERGY (J),PP0_ENERGY (J)", {"package_energy", "dram_energy"}),
        ("CPU_ENERGY (J),GPU0_POWER", {"cpu_energy", "gpu0_power"}),
        ("CPU_POWER (Watts),SYSTEM_POWER (Watts)", {"system_power"}),
    ],
)
def test_no_parent_is_added_to_its_child(tmp_path: Path, header: str, boundary: set[str]) -> None:
    zeros = ",".join("1" for _ in header.split(","))
    path = write(tmp_path / "a_1.csv", f"Delta,Time,{header}\n0,1000,{zeros}\n1000,2000,{zeros}\n")
    (run,) = importers.read("energibridge", path).runs
    assert {one.channel.name.partition("/")[2] for one in run.series if one.channel.boundary} == boundary


def test_energibridge_has_its_gpu_in_milliwatts(tmp_path: Path) -> None:
    path = write(tmp_path / "a_1.csv", "Delta,Time,GPU0_POWER\n0,1000,50000\n1000,2000,60000\n")
    (run,) = importers.read("energibridge", path).runs
    assert list(run.series[0].values) == [50.0, 60.0]


def test_a_counter_that_went_round_makes_the_run_invalid_and_is_kept(tmp_path: Path) -> None:
    (run,) = importers.read(
        "energibridge", energibridge(tmp_path / "keras_1.csv", (65_000.0, 65_500.0, 20.0))
    ).runs
    assert run.outcome is Outcome.INVALID
    assert run.reason == "energibridge/cpu_energy falls in line 4 of keras_1.csv: the counter wrapped"
    assert list(run.series[0].values) == [65_000.0, 65_500.0, 20.0]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("CPU_USAGE_0", "CPU_MOOD_0"), "keras_1.csv:1: unknown column 'CPU_MOOD_0'"),
        (("CPU_ENERGY (J)", "CPU_FREQUENCY_9"), "keras_1.csv:1: no column of energy or power"),
        ((",30.0,", ",,"), "keras_1.csv:3: CPU_ENERGY (J) is '', no number"),
        (("30.0,", "30,0,"), "keras_1.csv:3: 8 fields, the header has 7"),
        (("1740565322112", "1740565312112"), "keras_1.csv:3: time runs backwards"),
    ],
)
def test_a_bad_energibridge_file_is_named_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: str
) -> None:
    path = energibridge(tmp_path / "keras_1.csv")
    assert change[0] in path.read_text()
    write(path, path.read_text().replace(*change))
    with pytest.raises(SourceError) as refused:
        importers.read("energibridge", path)
    assert line in str(refused.value)


@settings(deadline=None)  # a busy machine is no fault
@given(some.integers(0, 250))
def test_a_table_cut_anywhere_is_refused_or_holds_whole_rows(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    path = energibridge(tmp_path_factory.mktemp("energibridge") / "keras_1.csv")
    content = path.read_text()[:length]
    write(path, content)
    try:
        (run,) = importers.read("energibridge", path).runs
    except SourceError:
        return
    assert content.endswith("\n")
    assert len(run.series[0].values) == content.count("\n") - 1


def test_codecarbon_is_an_estimate_a_row_a_run(tmp_path: Path) -> None:
    path = codecarbon(tmp_path / "emissions.csv", (("torch_mnist", "a", 0.001), ("torch_mnist", "b", 0.002)))
    first, second = importers.read("codecarbon", path).runs
    assert [first.repetition, second.repetition] == [1, 2]
    boundary = [one for one in second.series if one.channel.boundary]
    assert [(one.channel.domain, one.channel.provenance) for one in boundary] == [
        ("codecarbon_total", Provenance.ESTIMATED)
    ]
    assert boundary[0].values[-1] == pytest.approx(7200)
    assert (first.treatment.workload, first.treatment.framework) == ("mnist", "torch")


def test_codecarbon_that_flushed_counts_its_last_total(tmp_path: Path) -> None:
    path = codecarbon(tmp_path / "emissions.csv", (("x", "a", 0.001), ("x", "a", 0.003), ("x", "b", 0.001)))
    runs = importers.read("codecarbon", path).runs
    assert [one.series[0].values[-1] for one in runs] == pytest.approx([10_800, 3600])


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("energy_consumed", "energy"), "emissions.csv:1: unknown column 'energy'"),
        ((",100.0,", ",0.0,"), "emissions.csv:2: a duration of 0 s"),
        ((",0.001,", ",-0.001,"), "emissions.csv:2: energy_consumed is -0.001 kWh"),
        (("2024-05-27T11:30:00", "yesterday"), "emissions.csv:2: 'yesterday' is no time stamp"),
        ((",machine,N,1.0", ""), "emissions.csv:2: 28 fields, the header has 31: cut short"),
    ],
)
def test_a_bad_codecarbon_file_is_named_with_its_line(
    tmp_path: Path, change: tuple[str, str], line: str
) -> None:
    path = codecarbon(tmp_path / "emissions.csv")
    write(path, path.read_text().replace(*change))
    with pytest.raises(SourceError) as refused:
        importers.read("codecarbon", path)
    assert line in str(refused.value)
