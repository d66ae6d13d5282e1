"""Harness, sampler, worker and engine are struck at random moments, two campaigns at once.

Nothing is lost, nothing is done twice, nothing is left on the machine, and every campaign comes to its end.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from harness import paths, store
from harness.environments.bases import LOCAL_BASE
from tests.harness.environments.own_engine import OwnEngine
from tests.harness.faults import laws
from tests.harness.faults.victim import Victim

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]
LONGEST_S = 4.0  # from a start, or a blow, to the next blow: the program's start, a baseline, a run or two
BLOCKS = 6
WHOLE_S = 300.0  # for a whole campaign that nobody strikes any more, on a busy machine
ENDS = (0, 1, 2)  # all runs count; some were struck too often; what it needs had gone, or another holds it


@pytest.fixture
def second(image: str) -> Iterator[OwnEngine]:
    with OwnEngine() as one:
        one.take(image, LOCAL_BASE)
        yield one


@dataclass
class Struck:
    """One campaign after another, under blows."""

    victim: Victim
    draw: random.Random
    engine: OwnEngine | None = None
    seen: laws.Runs = field(default_factory=dict)
    blows: int = 0
    campaigns: int = 1
    over: threading.Event = field(default_factory=threading.Event)  # the other one has fallen

    def bear(self, blows: int) -> None:
        try:
            self._bear(blows)
        except BaseException:
            self.over.set()
            raise

    def _bear(self, blows: int) -> None:
        while self.blows < blows and not self.over.is_set():
            self.victim.begin()
            while self.victim.process.poll() is None and self.blows < blows:
                time.sleep(self.draw.uniform(0, LONGEST_S))
                self.draw.choice(self._possible())()
                self.blows += 1
            self._look()
        self._end()

    def _possible(self) -> list[Callable[[], None]]:
        """The harness more often than others: only then is anything left for the next one to find."""
        others = [self.sampler, self.worker, self.rival, *([self.engine_dies] if self.engine else [])]
        return [self.victim.kill, self.victim.kill, self.interrupts, *others]

    def interrupts(self) -> None:
        with suppress(ProcessLookupError, FileNotFoundError):
            for _ in range(self.draw.randint(1, 5) if self._hears() else 0):
                self.victim.interrupt()

    def _hears(self) -> bool:
        """Before the program has handlers of its own, a signal meets the interpreter, which ends as it likes."""
        status = Path(f"/proc/{self.victim.process.pid}/status").read_text()
        (caught,) = (line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
        return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)  # which Python itself leaves alone

    def sampler(self) -> None:
        with suppress(StopIteration, psutil.Error):
            self.victim.sampler().kill()

    def worker(self) -> None:
        """Whatever is at work: a process, or the first one of a container."""
        with suppress(psutil.Error):
            for one in psutil.process_iter(["cmdline"]):
                if "suite.run" in (one.info["cmdline"] or []) and self._is_mine(one):
                    one.kill()

    def _is_mine(self, one: psutil.Process) -> bool:
        """A container's processes all serve the engine of this test; others have the campaign's folder as theirs."""
        if self.engine is None:
            return Path(one.cwd()).is_relative_to(self.victim.folder)
        return any("containerd-shim" in parent.name() and str(self.engine.place) in " ".join(parent.cmdline())
                   for parent in one.parents())  # fmt: skip

    def engine_dies(self) -> None:
        assert self.engine
        self.engine.kill()
        time.sleep(self.draw.uniform(0, 0.5))
        self.engine.start(*["--live-restore"] * self.draw.randint(0, 1))

    def rival(self) -> None:
        """A second --resume of the same campaign, on what it takes for another machine."""
        if not (self.victim.folder / store.CAMPAIGN_FILE).exists():
            return
        variables = self.victim.own_variables | {"JOULEMARK_LOCK": f"{self.victim.lock}-of-a-rival"}
        command = [sys.executable, "-m", "harness.cli", "run", *self.victim.resume]
        ended = subprocess.run(
            command,
            cwd=paths.ROOT,
            env=self.victim.environment_with(variables),
            capture_output=True,
            text=True,
        )
        assert ended.returncode in ENDS, ended.stdout + ended.stderr
        assert "Traceback" not in ended.stderr, ended.stderr

    def _look(self) -> None:
        """After the program has ended, however it did."""
        code = self.victim.end(WHOLE_S)
        assert code in (*ENDS, 130, -9), self.victim.told
        assert "Traceback" not in self.victim.complained, self.victim.told
        self.seen = laws.hold(self.victim, self.seen, swept=False)
        if code in (0, 1):
            self._new()

    def _new(self) -> None:
        laws.carried_out(self.victim, self.seen)
        self.campaigns += 1
        self.victim.folder = self.victim.place / f"campaign-{self.campaigns}"
        self.seen = {}

    def _end(self) -> None:
        if self.engine and not self.engine.answers():
            self.engine.start()
        self.victim.begin()
        assert self.victim.end(WHOLE_S) in (0, 1), self.victim.told
        laws.carried_out(self.victim, self.seen)
        assert not any(
            str(self.victim.place) in line for line in Path("/proc/mounts").read_text().splitlines()
        )
        assert list(self.victim.folder.glob("**/.*.partial*")) == []


def two_campaigns_bear(blows: int, second: OwnEngine, campaign: Callable[..., Victim]) -> None:
    on_it = {"DOCKER_HOST": second.address}
    contained = Struck(campaign("docker", variables=on_it, blocks=BLOCKS), random.Random(2026), second)
    plain = Struck(campaign(blocks=BLOCKS), random.Random(2027), over=contained.over)
    with ThreadPoolExecutor() as pool:
        for result in [pool.submit(one.bear, blows // 2) for one in (contained, plain)]:
            result.result()
    print(f"{contained.blows + plain.blows} blows over {contained.campaigns + plain.campaigns} campaigns")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_sixty_blows(second: OwnEngine, campaign: Callable[..., Victim]) -> None:
    two_campaigns_bear(60, second, campaign)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_five_hundred_blows(second: OwnEngine, campaign: Callable[..., Victim]) -> None:
    two_campaigns_bear(500, second, campaign)


def test_a_second_resume_with_another_machine_lock_touches_nothing(campaign: Callable[..., Victim]) -> None:
    """It set the first one's run aside and carried on beside it."""
    victim = campaign(epochs=40)
    victim.begin()
    victim.until(victim.phase("train"))
    variables = victim.own_variables | {"JOULEMARK_LOCK": f"{victim.lock}-of-a-rival"}
    command = [sys.executable, "-m", "harness.cli", "run", *victim.resume]
    rival = subprocess.run(
        command, cwd=paths.ROOT, env=victim.environment_with(variables), capture_output=True, text=True
    )
    assert (rival.returncode, rival.stderr.count("\n")) == (2, 1), rival.stdout + rival.stderr
    assert "is being carried out by another process" in rival.stderr
    assert victim.end() == 0, victim.told
    assert len(laws.complete(victim, {})) == 2
    assert not (victim.folder / store.ASIDE).exists()
