"""The harness' end of the sampling process."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from harness import paths
from harness.errors import SuiteError
from harness.meters.base import Stamped
from harness.records import DEFAULT_BOUNDARY, PowerModel, Unavailable
from harness.sampling import writing

STOP_TIMEOUT_S = 10.0

Latest = Mapping[str, tuple[int, float]]  # channel -> CLOCK_MONOTONIC ns of its reading, and the reading


class SamplerLost(SuiteError):
    """The sampling process is gone: what it had not written is lost."""


@dataclass(frozen=True)
class Recorded:
    """What a recording cost, and which meters fell silent."""

    lost: tuple[Unavailable, ...]
    cpu_s: float
    memory_peak_bytes: int
    missed: Mapping[str, int] = field(default_factory=dict)  # channel -> readings that failed


class Sampler:
    """One process beside the harness for a whole campaign; started again if it dies."""

    def __init__(
        self,
        power_model: PowerModel,
        period_s: float,
        cpus: Sequence[int] = (),
        boundary: str = DEFAULT_BOUNDARY,
    ) -> None:
        config = {"period_s": period_s, "cpus": list(cpus), "boundary": boundary}
        self._config = json.dumps({"power_model": power_model.model_dump(), **config})
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Sampler:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.stop()

    def begin(self, path: Path) -> None:
        """Samples the machine's meters into a Parquet file from now on."""
        if self._process is None or self._process.poll() is not None:
            self._start()
        self._path = path
        self._do("begin", path=str(path))

    def attach(self, pid: int) -> None:
        """Samples the run's own processes too; returns once everything has been read."""
        self._do("attach", pid=pid)

    def sample(self) -> None:
        """Returns once everything has been read."""
        self._do("sample")

    def latest(self) -> Latest:
        """What the sampling process read last while it records; no meter is read for it."""
        return {name: (t_ns, value) for name, (t_ns, value) in self._do("latest").items()}

    def look(self) -> tuple[int, dict[str, float]]:
        """What the machine's meters read now, between recordings: CLOCK_MONOTONIC ns, and channel -> reading.

        A meter that answers late tells its last answer, stamped, and nothing before its first.
        """
        if self._process is None or self._process.poll() is not None:
            self._start()
        answer = self._do("look")
        late = {name: Stamped(value, t_ns) for name, (t_ns, value) in answer["late"].items()}
        return answer["t_ns"], {**answer["readings"], **late}

    def end(self) -> Recorded:
        """Reads everything a last time and completes the file."""
        answer = self._do("end")
        writing.to_parquet(self._path)
        lost = tuple(
            Unavailable(**one, remedy="see the kernel's log and suite doctor") for one in answer["lost"]
        )
        return Recorded(lost, answer["cpu_s"], answer["memory_peak_bytes"], answer["missed"])

    def stop(self) -> None:
        if self._process is not None:
            assert self._process.stdin
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            try:
                self._process.wait(STOP_TIMEOUT_S)
            except subprocess.TimeoutExpired:  # stopped, or waiting for a meter that hangs
                self._process.kill()
                self._process.wait()
            self._process = None

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "harness.sampling.server", self._config],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=paths.ROOT,
            start_new_session=True,  # Ctrl-C is the harness' to handle
        )

    def _do(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Raises: SamplerLost if it is gone, OSError if it cannot write."""
        line = self._ask(json.dumps({"do": command, "with": arguments}))
        if not line.endswith("\n"):
            code = self._process.wait() if self._process else None
            raise SamplerLost(f"the sampling process ended with exit code {code}; see the kernel's log")
        answer: dict[str, Any] = json.loads(line)
        if "errno" in answer:
            raise OSError(answer["errno"], answer["error"])
        return answer

    def _ask(self, line: str) -> str:
        """Its answer; empty if it is gone."""
        assert self._process and self._process.stdin and self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            return self._process.stdout.readline()
        return ""
