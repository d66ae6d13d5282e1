"""A campaign by the real program in a process of its own: started, watched, struck, and gone on with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from harness import paths, store
from harness.environments import process_mark
from harness.worker import events
from harness.worker.run_folder import REQUEST
from suite.protocol import REQUEST_FILE, Event
from tests.emulators.powercap import PowercapTree

ZONE, WATTS = "intel-rapl:0", 50.0

PLAN = """
repetitions = {blocks}
retries = {retries}
sample_period_s = {sample_period_s}
baseline_s = 0.3
idle_s = 0.4
run_timeout_s = 60
expected_run_s = 2
warm_up_s = {warm_up_s}
[power_model]
idle_w = 10
busy_cpu_w = 8
[factors]
workload = ["svm"]
framework = ["sklearn"]
stage = {stages}
dataset = ["digits"]
[settings]
epochs = [{epochs}]
infer_passes = [3]
"""
LOOK_S = 0.002
WITHIN_S = 60.0
READ_IN = "runs are done"  # said by --resume once everything is prepared


def plan(
    blocks: int = 2,
    stages: tuple[str, ...] = ("train",),
    epochs: int = 4,
    retries: int = 1,
    warm_up_s: float = 0.0,
    sample_period_s: float = 0.05,
) -> str:
    """The text of a small plan: support vectors on the digits, the fit repeated for every epoch (50 ms)."""
    return PLAN.format(**{**locals(), "stages": list(stages)})


@dataclass
class Victim:
    """`environment` is what --environment takes; `variables` come before the test's own.

    `patch` is Python source that the program runs first.
    """

    place: Path
    folder: Path  # of the campaign
    environment: str
    plan: str
    meter: PowercapTree
    variables: dict[str, str]
    patch: str = ""
    more: tuple[str, ...] = ()  # options of the beginning
    harnesses: list[str] = field(default_factory=list)  # the marks of all that there were

    def __post_init__(self) -> None:
        self.temporary = self.place / "tmp"
        self.temporary.mkdir(parents=True)
        (self.place / "plan.toml").write_text(self.plan)

    def begin(self) -> None:
        """Starts the campaign, or goes on with what there is of it."""
        begun = (self.folder / store.CAMPAIGN_FILE).exists()
        left = [*self.folder.glob(f"{store.UNFINISHED}/*"), *self.folder.glob(f"{store.BASELINES}/*.raw")]
        self._stale = {path: _signature(path) for path in left}
        named = ["--profile", self.place / "plan.toml", "-f", "sklearn", "--environment", self.environment]
        words = self.resume if begun else [*named, *self.more, "-o", self.folder]
        program = (
            ["-c", f"{self.patch}\nfrom harness.cli import main\nmain()"]
            if self.patch
            else ["-m", "harness.cli"]
        )
        with (self.place / "out").open("w") as out, (self.place / "err").open("w") as err:
            self.process = subprocess.Popen(
                [sys.executable, *program, "run", *map(str, words)],
                stdout=out, stderr=err, cwd=paths.ROOT, start_new_session=True,
                env=self.environment_with(self.own_variables),
            )  # fmt: skip
        self.harnesses.append(str(process_mark.of(self.process.pid)))

    def environment_with(self, own: dict[str, str]) -> dict[str, str]:
        return {**os.environ, **own, **self.variables}

    def end(self, within_s: float = WITHIN_S) -> int:
        return self.process.wait(within_s)

    @property
    def resume(self) -> list[str]:
        """Options of suite run."""
        return ["--resume", str(self.folder), "--environment", self.environment]

    @property
    def lock(self) -> str:
        """Of its machine: no other campaign has it, and all its processes but the workers know it."""
        return str(self.place / "lock")

    @property
    def own_variables(self) -> dict[str, str]:
        return {
            "JOULEMARK_LOCK": self.lock,
            "JOULEMARK_POWERCAP_ROOT": str(self.meter.root),
            "TMPDIR": str(self.temporary),
        }

    def kill(self) -> None:
        if self.harnesses:
            self.process.kill()
            self.process.wait()

    def interrupt(self, number: signal.Signals = signal.SIGINT) -> None:
        """As a terminal does it: the whole foreground group hears of Ctrl-C."""
        os.killpg(self.process.pid, number)

    def until(self, moment: Callable[[], bool], within_s: float = WITHIN_S) -> None:
        end_s = time.monotonic() + within_s
        while not moment():
            assert self.process.poll() is None, f"it ended too early:\n{self.told}"
            assert time.monotonic() < end_s, f"it did not come so far:\n{self.told}"
            time.sleep(LOOK_S)

    @property
    def said(self) -> str:
        return (self.place / "out").read_text()

    @property
    def complained(self) -> str:
        return (self.place / "err").read_text()

    @property
    def told(self) -> str:
        return self.said + self.complained

    @property
    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children()

    def sampler(self) -> psutil.Process:
        return next(child for child in self.children if "harness.sampling.server" in child.cmdline())

    # Moments of a campaign.

    def preparing(self) -> bool:
        return "preparing sklearn" in self.said

    def baseline(self) -> bool:
        return any(map(self._is_new, (self.folder / store.BASELINES).glob("*.raw")))

    def cool_down(self) -> bool:
        """Of a campaign that goes on, before its first run."""
        return READ_IN in self.said and not self.unfinished

    def startup(self) -> bool:
        return any((run / REQUEST / REQUEST_FILE).exists() for run in self.unfinished) and not self.events

    def phase(self, name: str) -> Callable[[], bool]:
        """As soon as the run under way has come so far: the shortest last some milliseconds only."""
        return lambda: any(_opens(event, name) for event in self.events)

    def runs(self, number: int) -> Callable[[], bool]:
        """Once so many are stored."""
        return lambda: len(list(self.folder.glob(f"{store.RUNS}/*/{store.RUN_FILE}"))) >= number

    @property
    def unfinished(self) -> list[Path]:
        """Runs under way, not what the last blow left of one."""
        return [run for run in (self.folder / store.UNFINISHED).glob("*") if self._is_new(run)]

    def _is_new(self, path: Path) -> bool:
        """Times are compared with themselves only: the wall clock may jump."""
        return _signature(path) not in (None, self._stale.get(path))

    @property
    def events(self) -> list[Event]:
        return [event for run in self.unfinished for event in events.stored(run)]


def _signature(path: Path) -> tuple[int, int] | None:
    """Of a file or folder as it is; None if there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def _opens(event: Event, name: str) -> bool:
    return event.kind == "phase" and (event.data["name"], event.data["edge"]) == (name, "begin")
