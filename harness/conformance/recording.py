"""Has an environment record what its implementation computes, by a worker like any other."""

from __future__ import annotations

import select
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from threading import Event
from typing import Any

from harness import paths
from harness.conformance import recorded
from harness.conformance.asked import Asked, Place
from harness.environments.base import Environment, Job, RunningJob
from harness.environments.frameworks import compiles
from harness.environments.sandbox import OUT_OF_MEMORY
from harness.environments.started import started
from harness.errors import SuiteError
from harness.files.untrusted import read_beneath
from harness.records import Limits
from harness.store import CONSOLE_FILE
from harness.worker.follow import EventTail
from harness.worker.run_folder import OUTPUT_FILE, RunFolder
from suite.protocol import PROOF, PROOFS, Request

TIMEOUT_S, ONE_PROOF_S = 1800.0, 120.0  # of a process, and besides for each of its proofs
RECORD_BYTES = 64 << 20
POLL_S = 0.05


class ProofFailed(SuiteError):
    """The implementation did not come to the end of its record."""


class OutOfTime(ProofFailed):
    """It was broken off, as it had no more time."""


class BreakOff(Event):
    """Set by whoever needs no proof any more, or by time: `end_s`, on CLOCK_MONOTONIC."""

    def __init__(self, end_s: float | None = None) -> None:
        super().__init__()
        self._end_s = end_s

    @property
    def out_of_time(self) -> bool:
        return self._end_s is not None and time.monotonic() > self._end_s

    def is_set(self) -> bool:
        return self.out_of_time or super().is_set()


def record(
    environment: Environment, place: Place, several: Sequence[Asked], cpus: tuple[int, ...], stop: Event
) -> list[dict[str, Any]]:
    """What suite.verify records of each, in one process; once `stop` is set, nobody waits for it any more.

    Raises: ProofFailed with the worker's own reason, OutOfTime where time has set `stop`.
    """
    request = request_for(place, several, len(cpus))
    with tempfile.TemporaryDirectory(prefix="joulemark-proof-") as temporary:
        path = Path(temporary) / request.run_id
        with (
            RunFolder(path, request, RECORD_BYTES) as folder,
            closing(EventTail(folder.events, path, lambda event: None)) as tail,
        ):
            job = _job(folder, request, cpus, compiles(place[0], (one.mode for one in several)))
            with started(environment, job) as running:
                _follow(running, folder, tail, request, stop)
        return _read(path, request, [one.kind for one in several])


def _job(folder: RunFolder, request: Request, cpus: tuple[int, ...], executes: bool) -> Job:
    return Job(
        run_id=request.run_id,
        console=folder.path / CONSOLE_FILE,
        request=folder.request,
        worker=folder.worker,
        data=_data_sets(),
        state=None,
        cpus=cpus,
        limits=Limits(),
        compiles=executes,
    )


def _data_sets() -> Path:
    """All of them: a process proves several workloads. Readable whatever the umask: the worker may be another user."""
    home = paths.data_home()
    home.mkdir(parents=True, exist_ok=True)
    with suppress(PermissionError):  # another's, who prepared it
        home.chmod(0o755)
    return home


def _read(path: Path, request: Request, kinds: Sequence[str]) -> list[dict[str, Any]]:
    try:
        return recorded.parsed(read_beneath(path, OUTPUT_FILE, RECORD_BYTES), kinds)
    except (FileNotFoundError, ValueError) as error:
        raise ProofFailed(f"{request.run_id}: the worker left no record that can be read: {error}") from error


def request_for(place: Place, several: Sequence[Asked], threads: int) -> Request:
    framework, version, device = place
    return Request(
        run_id=f"proof-{framework}-{version}",
        workload=several[0].workload,
        framework=framework,
        stage=PROOF,
        dataset="",
        seed=0,
        device=device,
        threads=threads,
        settings={PROOFS: [one.request for one in several]},
    )


def _with_remedy(error: str) -> str:
    """Of a proof that takes more memory than there is; of another error nobody knows one."""
    if not OUT_OF_MEMORY.search(error):
        return error
    return f"{error} (set smaller batches or sizes; `suite run --no-verify` measures without a proof or verdicts)"


def _follow(job: RunningJob, folder: RunFolder, tail: EventTail, request: Request, stop: Event) -> None:
    folder.lease.go()
    limit_s = TIMEOUT_S + ONE_PROOF_S * len(request.settings[PROOFS])
    end_s = time.monotonic() + limit_s
    while not stop.is_set():
        code = job.poll()
        tail.poll()
        folder.take_output()
        if failed := tail.find("failed"):
            raise ProofFailed(f"{request.run_id}: {_with_remedy(failed.data['error'])}")
        if tail.find("done"):
            return folder.lease.bye()
        if code is not None:
            raise ProofFailed(f"{request.run_id}: the worker ended with exit code {code}")
        if time.monotonic() > end_s:
            raise ProofFailed(f"{request.run_id}: not done within {limit_s:g} s")
        select.select(folder.pipes, [], [], POLL_S)
    if isinstance(stop, BreakOff) and stop.out_of_time:
        raise OutOfTime(f"{request.run_id}: broken off, as there was no more time")
    raise ProofFailed(f"{request.run_id}: broken off")
