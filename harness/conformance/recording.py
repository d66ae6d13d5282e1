"""Has an environment record what its implementation computes, by a worker like any other."""

from __future__ import annotations

import select
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from harness import machine
from harness.conformance import recorded
from harness.environments.base import Environment, Job, RunningJob
from harness.environments.started import started
from harness.errors import SuiteError
from harness.follow import EventTail
from harness.records import Limits
from harness.run_folder import OUTPUT_FILE, RunFolder
from harness.store import CONSOLE_FILE
from harness.untrusted import read_beneath
from suite.neural import DEFAULT_MODE
from suite.protocol import PROOF, PROOF_STEPS, Request

TIMEOUT_S = 900.0
RECORD_BYTES = 64 << 20
POLL_S = 0.05


class ProofFailed(SuiteError):
    """The implementation did not come to the end of its record."""


def record(environment: Environment, request: Request) -> dict[str, Any]:
    """What suite.verify records. Raises: ProofFailed with the worker's own reason."""
    with tempfile.TemporaryDirectory(prefix="joulemark-proof-") as temporary:
        place, data = Path(temporary) / request.run_id, Path(temporary) / "data"
        data.mkdir()
        data.chmod(0o755)
        with (
            RunFolder(place, request, RECORD_BYTES) as folder,
            closing(EventTail(folder.events, place, lambda event: None)) as tail,
        ):
            _carry_out(environment, request, folder, tail, data)
        return _read(place, request)


def _carry_out(
    environment: Environment, request: Request, folder: RunFolder, tail: EventTail, data: Path
) -> None:
    job = Job(
        run_id=request.run_id,
        console=folder.path / CONSOLE_FILE,
        request=folder.request,
        worker=folder.worker,
        data=data,
        state=None,
        cpus=machine.share_cpus().workload,
        limits=Limits(),
    )
    with started(environment, job) as running:
        _follow(running, folder, tail, request)


def _read(place: Path, request: Request) -> dict[str, Any]:
    try:
        return recorded.parsed(read_beneath(place, OUTPUT_FILE, RECORD_BYTES))
    except (FileNotFoundError, ValueError) as error:
        raise ProofFailed(f"{request.run_id}: the worker left no record that can be read: {error}") from error


def request_for(
    workload: str,
    framework: str,
    dtype: str,
    device: str,
    mode: str = DEFAULT_MODE,
    steps: int | None = None,
) -> Request:
    """`steps` of each trace; None: as many as the spec says."""
    return Request(
        run_id=f"proof-{workload}-{framework}-{mode}-{dtype}",
        workload=workload,
        framework=framework,
        stage=PROOF,
        dataset="",
        seed=0,
        device=device,
        dtype=dtype,
        settings={"mode": mode, **({} if steps is None else {PROOF_STEPS: steps})},
    )


def _follow(job: RunningJob, folder: RunFolder, tail: EventTail, request: Request) -> None:
    folder.lease.go()
    end_s = time.monotonic() + TIMEOUT_S
    while True:
        code = job.poll()
        tail.poll()
        folder.take_output()
        if failed := tail.find("failed"):
            raise ProofFailed(f"{request.run_id}: {failed.data['error']}")
        if tail.find("done"):
            return folder.lease.bye()
        if code is not None:
            raise ProofFailed(f"{request.run_id}: the worker ended with exit code {code}")
        if time.monotonic() > end_s:
            raise ProofFailed(f"{request.run_id}: not done within {TIMEOUT_S:g} s")
        select.select(folder.pipes, [], [], POLL_S)
