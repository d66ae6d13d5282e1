"""pyRAPL beside our meter, on the same emulated tree at the place that it insists on: a namespace of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import paths
from harness.meters import pyrapl
from harness.meters.base import MeterConfiguration
from harness.records import PowerModel, Unavailable
from tests.emulators.powercap import EmulatedZone, PowercapTree
from tests.emulators.waveforms import constant

pytestmark = pytest.mark.unhurried

REQUIREMENT = "pyRAPL==0.2.3.1 --hash=sha256:508c832f7f80fd32e9fdd1194630483c68fdde40bf540537b47502d37295ec76"
ZONES = [
    EmulatedZone("intel-rapl:0", "package-0", constant(60.0)),
    EmulatedZone("intel-rapl:0:0", "dram", constant(5.0)),
]
# Prints what the meter answers, and its readings half a second apart; runs inside the namespace.
PROBE = """
import json, sys, time
from pathlib import Path
from harness.meters import pyrapl
from harness.meters.base import MeterLost, MeterConfiguration
from harness.records import PowerModel, Unavailable
found = pyrapl.find(MeterConfiguration(Path("/sys/class/powercap"), PowerModel(idle_w=1, busy_cpu_w=1)))
if isinstance(found, Unavailable):
    print(json.dumps({"reason": found.reason}))
    raise SystemExit
out = {"channels": [json.loads(one.model_dump_json()) for one in found.channels], "readings": [], "lost": ""}
read = found.open(None)
try:
    for _ in range(int(sys.argv[1])):
        out["readings"].append([time.monotonic(), read()])
        time.sleep(0.5)
except MeterLost as error:
    out["lost"] = str(error)
import logging
out["pandas"], out["handlers"] = "pandas" in sys.modules, len(logging.getLogger().handlers)
print(json.dumps(out))
"""

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="a mount namespace needs root")


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with pyRAPL alone. Never in our own environment: it brings a top-level package named `tests`."""
    folder = tmp_path_factory.mktemp("pyrapl")
    (folder / "lock.txt").write_text(REQUIREMENT + "\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-deps"]
    lock = ["--require-hashes", "-r", str(folder / "lock.txt")]
    done = subprocess.run([*pip, *lock, "--target", str(folder / "site")], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pyRAPL cannot be installed here: {done.stderr.strip().splitlines()[-1]}")
    return folder / "site"


def ask(root: Path, zones: list[EmulatedZone], package: Path, readings: int = 5) -> dict[str, object]:
    environment = {**os.environ, "PYTHONPATH": f"{paths.ROOT}:{package}"}
    with PowercapTree(root, zones) as tree:
        command = tree.shown_to([sys.executable, "-c", PROBE, str(readings)])
        text = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    answer: dict[str, object] = json.loads(text)
    return answer


@needs_root
def test_it_reads_what_our_meter_reads_and_is_never_added(tmp_path: Path, package: Path) -> None:
    answer = ask(tmp_path / "powercap", ZONES, package)
    channels = {one["name"]: one for one in answer["channels"]}  # type: ignore[attr-defined]
    assert {name: one["domain"] for name, one in channels.items()} == {
        "pyrapl/package-0": "cpu_package",
        "pyrapl/dram-0": "dram",
    }
    assert not any(one["boundary"] for one in channels.values())
    assert {one["provenance"] for one in channels.values()} == {"simulated"}
    (first_s, first), *_, (last_s, last) = answer["readings"]  # type: ignore[misc]
    assert (last["pyrapl/package-0"] - first["pyrapl/package-0"]) / (last_s - first_s) == pytest.approx(
        60, rel=0.02
    )
    assert (last["pyrapl/dram-0"] - first["pyrapl/dram-0"]) / (last_s - first_s) == pytest.approx(5, rel=0.02)


@needs_root
def test_it_costs_no_pandas_and_leaves_the_log_alone(tmp_path: Path, package: Path) -> None:
    answer = ask(tmp_path / "powercap", ZONES, package)
    assert answer["pandas"] is False
    assert answer["handlers"] == 0


@needs_root
def test_at_a_wrap_it_ends_rather_than_tell_a_wrong_number(tmp_path: Path, package: Path) -> None:
    soon = EmulatedZone(
        "intel-rapl:0", "package-0", constant(60.0), range_uj=10**9, offset_uj=10**9 - 300_000_000
    )
    answer = ask(tmp_path / "powercap", [soon, ZONES[1]], package, readings=14)
    readings = [one["pyrapl/package-0"] for _, one in answer["readings"]]  # type: ignore[attr-defined]
    assert readings == sorted(readings)
    assert answer["lost"] == "pyRAPL lost a counter: it cannot cross a wrap"


@needs_root
def test_it_rejects_zones_named_by_die(tmp_path: Path, package: Path) -> None:
    dies = [EmulatedZone(f"intel-rapl:{n}", f"package-0-die-{n}", constant(60.0)) for n in range(2)]
    assert str(ask(tmp_path / "powercap", dies, package)["reason"]).startswith("pyRAPL: PyRAPLCant")


def test_without_the_package_it_is_unavailable_with_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyRAPL", None)
    answer = pyrapl.find(MeterConfiguration(pyrapl.ITS_ROOT, PowerModel(idle_w=1, busy_cpu_w=1)))
    assert isinstance(answer, Unavailable)
    assert answer.reason == "pyRAPL is not installed"
    assert "joulemark[pyrapl]" in answer.remedy


def test_beside_a_tree_that_it_cannot_read_it_says_so(tmp_path: Path) -> None:
    answer = pyrapl.find(MeterConfiguration(tmp_path, PowerModel(idle_w=1, busy_cpu_w=1)))
    assert isinstance(answer, Unavailable)
    assert "reads /sys/class/powercap only" in answer.reason
