"""Whatever happened to a file, an import ends with runs or with one line: never with anything else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from harness import importers
from harness.errors import SuiteError
from tests.foreign import SMI_HEADER, codecarbon, energibridge, perf, powers, smi_rows, sotillos, write
from tests.foreign_mlperf import inference, tiny, training

FILES: dict[str, Callable[[Path], object]] = {
    "perf-stat": lambda folder: perf(folder / "a_torch_1.txt"),
    "nvidia-smi": lambda folder: write(
        folder / "a_torch_1.csv", "\n".join([SMI_HEADER, *smi_rows(4)]) + "\n"
    ),
    "nvidia-smi powers": lambda folder: powers(folder / "a_torch_1.txt", [5.0, 50.0, 60.0]),
    "energibridge": lambda folder: energibridge(folder / "keras_1.csv"),
    "codecarbon": lambda folder: codecarbon(folder / "emissions.csv"),
    "sotillos": sotillos,
    "mlperf-training": training,
    "mlperf-inference": inference,
    "mlperf-tiny": lambda folder: tiny(folder, [1.0] * 50, 10.0, (1.0, 2.0, 4.0)),
}
BITS = some.sampled_from(
    [
        b"",
        b"\n",
        b",",
        b";",
        b".",
        b"9",
        b"99999999999999999999",
        b"-",
        b"nan",
        b"1e309",
        b"\x00",
        b'"',
        b"\xff",
    ]
)


@pytest.mark.parametrize("name", list(FILES))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=some.floats(0, 1), length=some.integers(0, 30), put=BITS, which=some.integers(0, 1))
def test_a_damaged_file_gives_runs_or_one_line(
    tmp_path: Path, name: str, place: float, length: int, put: bytes, which: int
) -> None:
    FILES[name](tmp_path)
    found = sorted(path for path in tmp_path.rglob("*") if path.is_file())
    path = found[which % len(found)]
    content = path.read_bytes()
    start = round(place * len(content))
    path.write_bytes(content[:start] + put + content[start + length :])
    try:
        assert importers.read(name.partition(" ")[0], tmp_path).runs
    except SuiteError as error:
        assert "\n" not in str(error)
