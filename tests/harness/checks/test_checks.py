"""Each rule of validity fires where it must, and only there."""

from __future__ import annotations

import numpy as np
import pytest

from harness import checks
from harness.energy.series import Series
from harness.records import Channel, ChannelKind, Unavailable
from harness.worker.phases import Phase
from suite.protocol import Event
from suite.task import Direction, Metric
from tests.campaigns import channel, energy_channels

FLOOR = {"digits": 0.97}
PLUG = channel("http/plug/power", "http", "W", "http:plug", kind=ChannelKind.GAUGE)
ACCURACY, ERRORS = Metric("accuracy", "accuracy"), Metric("errors", "errors", Direction.LOWER)
LOST = Unavailable(meter="rapl", reason="a zone stopped answering", remedy="look at the log")


def metrics(**values: object) -> list[Event]:
    return [Event(1, "metrics", {"epoch": 1, "metric": "accuracy", "values": values})]


@pytest.mark.parametrize(("accuracy", "codes"), [(0.97, []), (0.9699, ["quality-below-target"])])
def test_quality_is_held_against_the_floor(accuracy: float, codes: list[str]) -> None:
    found = list(checks.quality_below_target(metrics(accuracy=accuracy), "digits", ACCURACY, FLOOR))
    assert [finding.code for finding in found] == codes


@pytest.mark.parametrize(("errors", "messages"), [(3.0, []), (3.1, ["errors 3.1000 is above 3.0 on digits"])])
def test_where_less_is_better_the_floor_is_a_ceiling(errors: float, messages: list[str]) -> None:
    found = checks.quality_below_target(metrics(errors=errors), "digits", ERRORS, {"digits": 3.0})
    assert [finding.message for finding in found] == messages


def test_a_run_without_a_quality_is_held_against_no_floor() -> None:
    assert list(checks.quality_below_target([], "digits", None, FLOOR)) == []


@pytest.mark.parametrize("values", [{}, {"accuracy": None}, {"accuracy": "high"}])
def test_an_unknown_quality_is_not_a_good_one(values: dict[str, object]) -> None:
    (found,) = checks.quality_below_target(metrics(**values), "digits", ACCURACY, FLOOR)
    assert found.message == "accuracy unknown is below 0.97 on digits"


def test_a_data_set_without_a_floor_has_no_target() -> None:
    assert list(checks.quality_below_target(metrics(accuracy=0.1), "other", ACCURACY, FLOOR)) == []


@pytest.mark.parametrize(
    ("meter", "duration_ns", "count"),
    [
        ("rapl", 999_999_999, 1),
        ("rapl", 1_000_000_000, 0),
        ("nvml", 4_999_999_999, 1),
        ("nvml", 5_000_000_000, 0),
    ],
)
def test_a_short_window_is_a_warning_and_a_gpu_needs_longer_ones(
    meter: str, duration_ns: int, count: int
) -> None:
    domain = {"rapl": "cpu_package", "nvml": "gpu"}[meter]
    channels = [one.model_copy(update={"domain": domain}) for one in energy_channels("rapl")]
    assert len(list(checks.window_too_short(channels, 5, 5 + duration_ns))) == count


def test_a_window_that_holds_few_updates_of_a_slow_sensor_is_a_warning() -> None:
    slow = [PLUG.model_copy(update={"boundary": True, "update_s": 2.0})]
    assert len(list(checks.window_too_short(slow, 0, 9_900_000_000))) == 1
    assert list(checks.window_too_short(slow, 0, 10_000_000_000)) == []
    assert list(checks.window_too_short([PLUG], 0, 1_000_000_000)) == []  # no addend


def pass_of(batches: int, each_s: float, begin_s: float) -> list[Phase]:
    """Prefill of each batch, then decoding that takes ten times as long."""
    begin, found = round(begin_s * 1e9), []
    for name, seconds in (("prefill", each_s), ("decode", 10 * each_s)):
        for _ in range(batches):
            found.append(Phase(name, None, begin, begin := begin + round(seconds * 1e9)))
    return found


def test_a_part_that_is_short_in_each_pass_is_a_warning_however_many_passes_there_are() -> None:
    told = [phase for number in range(9) for phase in pass_of(4, 0.2, 20.0 * number)]
    (found,) = checks.part_too_short(energy_channels("rapl"), told, ("prefill", "decode"))
    assert found.message == "prefill lasted 0.8 s in each pass, less than 1 s"
    assert found.severity == "warning" and "requests" in found.advice


def test_a_part_is_as_long_as_its_batches_together() -> None:
    """No batch by itself, nor the gap to the same part of the next pass, makes it short or long."""
    told = [phase for number in range(2) for phase in pass_of(6, 0.2, 20.0 * number)]
    assert list(checks.part_too_short(energy_channels("rapl"), told, ("prefill", "decode"))) == []
    assert list(checks.part_too_short(energy_channels("rapl"), told, ())) == []


def test_a_gpu_needs_longer_parts() -> None:
    channels = [one.model_copy(update={"domain": "gpu"}) for one in energy_channels("rapl")]
    found = checks.part_too_short(channels, pass_of(6, 0.2, 0.0), ("prefill", "decode"))
    assert [one.message for one in found] == ["prefill lasted 1.2 s in each pass, less than 5 s"]


@pytest.mark.parametrize(
    ("read_ns", "covered"), [((0, 5, 10), True), ((1, 5, 10), False), ((0, 5, 9), False), ((), False)]
)
def test_a_run_whose_energy_was_not_read_all_over_it_is_invalid(
    read_ns: tuple[int, ...], covered: bool
) -> None:
    addend = PLUG.model_copy(update={"boundary": True})
    series = [Series(addend, np.array(read_ns, np.int64), np.full(len(read_ns), 50.0))]
    found = list(checks.energy_not_covered(series, [addend], 0, 10))
    assert [one.severity for one in found] == ([] if covered else ["invalid"])
    assert list(checks.energy_not_covered([], [PLUG], 0, 10)) == []


def test_readings_that_failed_are_counted_where_they_are_of_the_runs_energy() -> None:
    addend = PLUG.model_copy(update={"boundary": True})
    (found,) = checks.readings_missed({PLUG.name: 3}, [addend])
    assert (found.severity, found.message) == (
        "warning",
        "the meter of http/plug/power gave no reading 3 times",
    )
    assert list(checks.readings_missed({PLUG.name: 0}, [addend])) == []
    assert list(checks.readings_missed({PLUG.name: 3}, [PLUG, *energy_channels("rapl")])) == []


def test_the_wall_and_what_the_user_alone_knows_lack_no_processor() -> None:
    for domain in ("wall", "http:plug"):
        addend = PLUG.model_copy(update={"boundary": True, "domain": domain})
        assert list(checks.energy_incomplete([addend], "cuda")) == []


@pytest.mark.parametrize(
    ("lost", "severity"), [("http plug", "invalid"), ("http second", "warning"), ("http", "invalid")]
)
def test_a_second_plug_that_is_lost_or_silent_is_no_loss_of_the_first(lost: str, severity: str) -> None:
    second = PLUG.model_copy(update={"name": "http/second/power", "domain": "http:second"})
    channels = [PLUG.model_copy(update={"boundary": True, "domain": "wall"}), second]
    (found,) = checks.meter_lost([Unavailable(meter=lost, reason="it hangs", remedy="")], channels)
    assert found.severity == severity
    assert list(checks.readings_missed({second.name: 2}, channels)) == []
    assert len(list(checks.readings_missed({PLUG.name: 2}, channels))) == 1


@pytest.mark.parametrize(
    ("device", "meters", "codes"),
    [
        ("rocm", ("nvml",), ["gpu-energy-missing"]),
        ("cuda", ("amdsmi", "intel"), ["gpu-energy-missing"]),
        ("rocm", ("nvml", "amdsmi"), []),
        ("xpu", ("intel",), []),
        ("cpu", ("nvml",), []),
        ("cuda", ("nvidia-smi",), []),
        ("somebodys", ("nvml",), []),
    ],
)
def test_another_vendors_gpu_does_not_stand_in_for_the_one_that_worked(
    device: str, meters: tuple[str, ...], codes: list[str]
) -> None:
    gpus = [channel(f"{meter}/gpu-0/energy", meter, "J", "gpu", boundary=True) for meter in meters]
    found = checks.energy_incomplete([*addends("cpu_package"), *gpus], device)
    assert [finding.code for finding in found] == codes


def test_losing_the_energy_meter_makes_a_run_invalid() -> None:
    (found,) = checks.meter_lost([LOST], energy_channels("rapl"))
    assert found.severity == "invalid"
    assert checks.reason_invalid([found]) == "rapl: a zone stopped answering"


def test_losing_another_meter_is_a_warning() -> None:
    (found,) = checks.meter_lost([LOST.model_copy(update={"meter": "hwmon"})], energy_channels("rapl"))
    assert found.severity == "warning"
    assert checks.reason_invalid([found]) == ""


def test_only_the_users_own_interpreter_is_unpinned() -> None:
    assert [finding.code for finding in checks.unpinned("interpreter")] == ["unpinned-environment"]
    assert list(checks.unpinned("docker")) == list(checks.unpinned("virtualenv")) == []


def addends(*domains: str) -> list[Channel]:
    return [channel(domain, "meter", "J", domain, boundary=True) for domain in domains]


@pytest.mark.parametrize(
    ("domains", "device", "codes"),
    [
        (("cpu_package", "dram"), "cpu", []),
        (("cpu_package", "gpu"), "cuda", []),
        (("gpu_module",), "cuda", []),
        ((), "cuda", []),
        (("cpu_package",), "cuda", ["gpu-energy-missing"]),
        (("gpu",), "cuda", ["cpu-energy-missing"]),
        (("gpu",), "cpu", ["cpu-energy-missing"]),
    ],
)
def test_a_sum_without_a_processor_that_worked_says_so(
    domains: tuple[str, ...], device: str, codes: list[str]
) -> None:
    assert [finding.code for finding in checks.energy_incomplete(addends(*domains), device)] == codes


@pytest.mark.parametrize(
    ("shown", "device", "codes"),
    [([0, 1, 1], "cuda", []), ([0, 0, 0], "cuda", ["foreign-check-blind"]), ([0, 0, 0], "cpu", [])],
)
def test_a_driver_that_hides_the_run_itself_would_hide_others(
    shown: list[float], device: str, codes: list[str]
) -> None:
    processes = channel("nvml/gpu-0/compute_processes", "nvml", "processes", "gpu")
    series = [Series(processes, np.arange(3) * 10**9, np.array(shown, dtype=np.float64))]
    assert [finding.code for finding in checks.foreign_check_blind(series, device, 0, 10**10)] == codes


@pytest.mark.parametrize(
    ("environment", "codes"),
    [({}, []), ({"suite_sha256": "a"}, []), ({"suite_sha256": "b"}, ["stale-image"])],
)
def test_workloads_that_are_not_the_checkouts_are_told(environment: dict[str, str], codes: list[str]) -> None:
    assert [finding.code for finding in checks.stale(environment, "a")] == codes
