"""Between a worker's start and its end no signal makes anybody forget it."""

from __future__ import annotations

import signal
import tempfile
from pathlib import Path

import psutil
import pytest

from harness.environments import interrupts
from harness.environments.base import Job, RunningJob
from harness.environments.started import started
from harness.errors import MissingPrerequisite
from tests.desk import Desk
from tests.emulators.environment import EmulatedEnvironment


class Interrupted(EmulatedEnvironment):
    """Ctrl-C comes while the worker is being started, which every environment lets wait."""

    def start(self, job: Job) -> RunningJob:
        with interrupts.held():
            running = super().start(job)
            signal.raise_signal(signal.SIGINT)
        return running


class Refusing(EmulatedEnvironment):
    def start(self, job: Job) -> RunningJob:
        signal.raise_signal(signal.SIGINT)
        raise MissingPrerequisite("of this run alone")


@pytest.mark.parametrize("environment", [Interrupted("hangs"), Refusing()])
def test_ctrl_c_while_a_worker_starts_leaves_neither_it_nor_its_home(
    environment: EmulatedEnvironment, desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "homes"))
    (tmp_path / "homes").mkdir()
    before = psutil.Process().children()
    job = desk.job(tmp_path)
    with pytest.raises(KeyboardInterrupt), started(environment, job):
        pytest.fail("it went on")
    assert psutil.Process().children() == before
    assert list((tmp_path / "homes").iterdir()) == []
