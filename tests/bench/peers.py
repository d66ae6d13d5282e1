"""Other energy meters on the emulated tree: each in an environment of its own, outside the repository."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.emulators.powercap import PowercapTree

# Runs in the peer's environment: knows nothing of ours. `measure(work)` is the peer's; it returns the joules that
# the peer gives for package and dram while work() ran.
FRAME = """
import json, os, sys, time

def stat(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

def family():
    own = os.getpid()
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [own, *(pid for pid in pids if pid != own and stat(pid)[0] == own)]

def cpu_s():
    return sum(stat(pid)[1] for pid in family())

def peak_bytes():
    lines = [line for pid in family() for line in open(f"/proc/{pid}/status")]
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

window = {}

def work():
    window["begin_ns"], began_s = time.monotonic_ns(), cpu_s()
    time.sleep(float(sys.argv[1]))
    window["cpu_s"], window["peak_bytes"] = cpu_s() - began_s, peak_bytes()
    window["end_ns"] = time.monotonic_ns()
"""
REPORT = """
if __name__ == "__main__":
    package_j, dram_j = measure(work)
    json.dump(window | {"package_j": float(package_j), "dram_j": float(dram_j)}, open(sys.argv[2], "w"))
"""
CODECARBON = """
def measure(work):
    from codecarbon import OfflineEmissionsTracker
    tracker = OfflineEmissionsTracker(
        country_iso_code="DEU", measure_power_secs=1, save_to_file=False, log_level="critical")
    tracker.start()
    work()
    tracker.stop()
    return tracker._total_cpu_energy.kWh * 3.6e6, tracker._total_ram_energy.kWh * 3.6e6
"""
PYJOULES = """
def measure(work):
    from pyJoules.device import DeviceFactory
    from pyJoules.device.rapl_device import RaplDramDomain, RaplPackageDomain
    from pyJoules.energy_meter import EnergyMeter
    meter = EnergyMeter(DeviceFactory.create_devices([RaplPackageDomain(0), RaplDramDomain(0)]))
    meter.start(tag="work")
    work()
    meter.stop()
    energy = meter.get_trace()[0].energy
    return energy["package_0"] / 1e6, energy["dram_0"] / 1e6
"""
PERUN = """
def total(node, name):
    own = [metric.value for kind, metric in node.metrics.items() if kind.value == name]
    return own[0] if own else sum(total(child, name) for child in node.nodes.values())

def measure(work):
    from perun import perun, register_callback
    nodes = []

    @perun(data_out=os.path.dirname(sys.argv[2]), format="json", sampling_period=1)
    def app():
        register_callback(nodes.append)
        work()

    app()
    run = next(iter(nodes[0].nodes.values()))
    return total(run, "cpu_energy"), total(run, "dram_energy")
"""


@dataclass(frozen=True)
class Peer:
    name: str
    requirement: str
    rate: str
    code: str


PEERS = (
    Peer("CodeCarbon", "codecarbon==3.3.2", "1 Hz", CODECARBON),
    Peer("pyJoules", "pyJoules==0.5.1", "begin and end", PYJOULES),
    Peer("perun", "perun==1.0.0", "1 Hz", PERUN),
)


@dataclass(frozen=True)
class Result:
    """What a meter said of a window, and what it cost meanwhile."""

    begin_ns: int
    end_ns: int
    package_j: float
    dram_j: float
    cpu_s: float
    peak_bytes: int


def install(peer: Peer, folder: Path) -> Path:
    """The Python of a new environment with the peer in it. Raises: subprocess.CalledProcessError."""
    home = folder / peer.name
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "-q", "install", peer.requirement]
    subprocess.run(pip, check=True, capture_output=True, text=True)
    return python


def measure(peer: Peer, python: Path, tree: PowercapTree, seconds: float, folder: Path) -> Result:
    """Raises: subprocess.CalledProcessError where the peer fails on this tree."""
    script, answer = folder / "measured_by.py", folder / "answer.json"
    script.write_text(FRAME + peer.code + REPORT)
    command: Sequence[str] = tree.shown_to([str(python), str(script), str(seconds), str(answer)])
    subprocess.run(command, check=True, capture_output=True, text=True, cwd=folder)
    return Result(**json.loads(answer.read_text()))
