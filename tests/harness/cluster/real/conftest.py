"""A campaign of one small fit per block, on two nodes of a real Slurm."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import paths
from tests import slurm as slurms
from tests.conftest import ON_CI
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.homes import link_environments
from tests.slurm import Slurm

WATTS = 50.0
PLAN = """\
title = "One small fit"
source = "made up"
repetitions = {blocks}
sample_period_s = 0.1
baseline_s = 0.5
run_timeout_s = 300.0
expected_run_s = 2.0
control_rounds = {rounds}

[factors]
workload = ["svm"]
framework = ["sklearn"]
stage = ["train"]
dataset = ["digits"]

[settings]
epochs = [{epochs}]

[power_model]
idle_w = 10.0
busy_cpu_w = 8.0
"""


@pytest.fixture(scope="session")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    if missing := slurms.missing():
        (pytest.fail if ON_CI else pytest.skip)(f"no Slurm to test with: {missing} is not here")
    with Slurm(tmp_path_factory.mktemp("slurm") / "s") as one:
        yield one


@dataclass(frozen=True)
class Shell:
    """Where a user of the cluster calls `suite`."""

    folder: Path
    environment: Mapping[str, str]

    def start(self, *words: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "harness.cli", *map(str, words)], cwd=self.folder, env=dict(self.environment),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    def suite(self, *words: object) -> tuple[int, str]:
        process = self.start(*words)
        out, _ = process.communicate(timeout=600)
        return process.returncode, out


@pytest.fixture(scope="session")
def shell(
    slurm: Slurm, tmp_path_factory: pytest.TempPathFactory, framework_python: Callable[[str], Path]
) -> Iterator[Shell]:
    """A home of its own, with the one environment that is needed; nodes with a counter of energy."""
    framework_python("sklearn")
    folder = tmp_path_factory.mktemp("user")
    link_environments(folder / "home")
    counters = folder / "powercap"
    own = {
        "JOULEMARK_HOME": str(folder / "home"), "PYTHONPATH": str(paths.ROOT), "COLUMNS": "200",
        "JOULEMARK_POWERCAP_ROOT": str(counters),
    }  # fmt: skip
    with PowercapTree(counters, [EmulatedZone("intel-rapl:0", "package-0", constant(WATTS))]):
        yield Shell(folder, {**slurm.environment, **own})


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    def written(blocks: int, epochs: int = 2, rounds: int = 200_000) -> Path:
        place = tmp_path_factory.mktemp("plan") / "small.toml"
        place.write_text(PLAN.format(blocks=blocks, epochs=epochs, rounds=rounds))
        return place

    return written
