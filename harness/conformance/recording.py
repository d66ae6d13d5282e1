"""Has an environment record what its implementation computes, by a worker like any other."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

from harness import machine
from harness.environments.base import Environment, Job, RunningJob
from harness.errors import SuiteError
from harness.follow import EventTail
from suite.neural import DEFAULT_MODE
from suite.protocol import PROOF, PROOF_FILE, PROOF_STEPS, LeaseHolder, Request

TIMEOUT_S = 900.0
POLL_S = 0.05


class ProofFailed(SuiteError):
    """The implementation did not come to the end of its record."""


def record(environment: Environment, request: Request) -> dict[str, Any]:
    """What suite.verify records. Raises: ProofFailed with the worker's own reason."""
    with tempfile.TemporaryDirectory(prefix="joulemark-proof-") as temporary:
        folder, data = Path(temporary) / request.run_id, Path(temporary) / "data"
        folder.mkdir()
        data.mkdir()
        request.write(folder)
        lease = LeaseHolder(folder)
        job = environment.start(Job(request.run_id, folder, data, None, machine.share_cpus().workload))
        try:
            _follow(job, lease, EventTail(folder, lambda event: None), request)
        finally:
            job.stop()
            lease.close()
        found: dict[str, Any] = json.loads((folder / PROOF_FILE).read_text())
        return found


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


def _follow(job: RunningJob, lease: LeaseHolder, tail: EventTail, request: Request) -> None:
    lease.go()
    end_s = time.monotonic() + TIMEOUT_S
    while True:
        code = job.poll()
        tail.poll()
        if failed := tail.find("failed"):
            raise ProofFailed(f"{request.run_id}: {failed.data['error']}")
        if tail.find("done"):
            return lease.bye()
        if code is not None:
            raise ProofFailed(f"{request.run_id}: the worker ended with exit code {code}")
        if time.monotonic() > end_s:
            raise ProofFailed(f"{request.run_id}: not done within {TIMEOUT_S:g} s")
        time.sleep(POLL_S)
