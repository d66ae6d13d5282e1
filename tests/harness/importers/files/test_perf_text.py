"""What perf stat prints becomes counters with two readings, or is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from harness.energy.series import counter_increase
from harness.importers.base import SourceError
from harness.importers.files import perf_text
from harness.records import Provenance
from tests.conftest import SHARED
from tests.foreign import perf, write

GNMT = SHARED / "published/icse22/measurements_train/gnmt_PyTorch_perf_1.txt"


def test_totals_become_counters_that_enclose_the_run(tmp_path: Path) -> None:
    found = perf_text.read(perf(tmp_path / "a.txt", "188,753.25", "25,541.41", "2575.763113276"))
    assert found.duration_ns == 2_575_763_113_276
    package, memory = found.series()
    assert (package.channel.name, package.channel.domain, package.channel.boundary) == (
        "perf/energy-pkg", "cpu_package", True,
    )  # fmt: skip
    assert memory.channel.domain == "dram"
    assert package.channel.provenance is Provenance.MEASURED
    assert counter_increase(package, 0, found.duration_ns) == 188753.25


@pytest.mark.skipif(not GNMT.exists(), reason="the raw files of the study are not beside the checkout")
def test_a_file_of_the_study_is_read() -> None:
    found = perf_text.read(GNMT)
    assert found.totals == {"power/energy-pkg/": 188753.25, "power/energy-ram/": 25541.41}
    assert found.elapsed_s == 2575.763113276


@pytest.mark.parametrize(
    "locale", [("1.000,00", "100,00", "20,500000000"), ("1\u202f000,00", "100,00", "20,5")]
)
def test_other_locales_and_line_ends_give_the_same(tmp_path: Path, locale: tuple[str, str, str]) -> None:
    path = perf(tmp_path / "a.txt", *locale)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert perf_text.read(path).totals == {"power/energy-pkg/": 1000.0, "power/energy-ram/": 100.0}


def test_millijoules_and_other_counters_keep_their_units(tmp_path: Path) -> None:
    text = """ Performance counter stats for 'sleep 1':

     2,500.00 mJ power/energy-pkg/
     1,234.56 msec task-clock                #    0.999 CPUs utilized
     12,345,678      cycles                    #    3.2 GHz                       (66.67%)

       1.001 seconds time elapsed
       0.9 seconds user
       0.1 seconds sys
"""
    found = perf_text.read(write(tmp_path / "a.txt", text))
    assert found.totals == {"power/energy-pkg/": 2.5, "task-clock": 1234.56, "cycles": 12345678.0}
    assert found.units == {"power/energy-pkg/": "J", "task-clock": "msec", "cycles": "count"}
    assert [one.channel.boundary for one in found.series()] == [True, False, False]


def boundaries(path: Path) -> dict[str, bool]:
    return {one.channel.domain: one.channel.boundary for one in perf_text.read(path).series()}


def test_psys_is_the_boundary_only_where_there_is_no_package(tmp_path: Path) -> None:
    text = perf(tmp_path / "a.txt").read_text()
    alone = text.replace("energy-pkg", "energy-psys").replace("energy-ram", "energy-cores")
    assert boundaries(write(tmp_path / "b.txt", alone)) == {"psys": True, "cpu_core": False}
    beside = text.replace("    20.5", " 9.00 Joules power/energy-psys/\n    20.5")
    assert boundaries(write(tmp_path / "c.txt", beside)) == {"cpu_package": True, "dram": True, "psys": False}


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            ("1,000.00 Joules", "<not counted> Joules"),
            "a.txt:4: <not counted>: perf did not read power/energy-pkg/",
        ),
        (
            ("1,000.00 Joules", "<not supported>"),
            "a.txt:4: <not supported>: perf did not read power/energy-pkg/",
        ),
        (("1,000.00 Joules", "1,000.00"), "a.txt:4: power/energy-pkg/ is not in joules"),
        (("1,000.00 Joules", "1,234 Joules"), "a.txt:4: no number: '1,234' may be 1234 or 1.234"),
        (("energy-ram", "energy-pkg"), "a.txt:5: a second value of power/energy-pkg/"),
        (("    20.500000000 seconds time elapsed", ""), "a.txt: cut short: no 'seconds time elapsed'"),
        (
            ("'system wide':", "'system wide' (5 runs):"),
            "a.txt:2: means of 5 runs: perf stat -r hides the single runs",
        ),
        (("    20.5", "what\n    20.5"), "a.txt:7: no line of perf stat: 'what'"),
        (
            ("    20.5", "    1.000123  12.30 Joules power/energy-pkg/\n    20.5"),
            "a.txt:7: no line of perf stat",
        ),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, change: tuple[str, str], line: str) -> None:
    path = perf(tmp_path / "a.txt")
    write(path, path.read_text().replace(*change))
    with pytest.raises(SourceError) as refused:
        perf_text.read(path)
    assert line in str(refused.value)


@settings(deadline=None)  # a busy machine is no fault
@given(some.integers(0, 400))
def test_a_text_cut_anywhere_is_refused_or_says_the_same(
    tmp_path_factory: pytest.TempPathFactory, length: int
) -> None:
    path = perf(tmp_path_factory.mktemp("perf") / "a.txt")
    whole = perf_text.read(path)
    write(path, path.read_text()[:length])
    try:
        assert perf_text.read(path) == whole
    except SourceError:
        assert length < len(perf(path).read_text())


def test_two_measurements_in_one_file_are_refused(tmp_path: Path) -> None:
    path = perf(tmp_path / "a.txt")
    write(path, path.read_text() * 2)
    with pytest.raises(SourceError, match="a second measurement in one file"):
        perf_text.read(path)
