"""Every implementation of a workload against the reference, in its own environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness import catalog
from harness.conformance.certificate import Proof, code_sha256, in_mode, now
from harness.conformance.comparison import compare
from harness.conformance.recording import record, request_for
from harness.conformance.tolerances import DTYPES, FLOAT64, tolerance
from harness.environments.base import Environment
from suite.neural import DEFAULT_MODE

# XLA takes 70 times as long for a convolution in float64 as in float32 on a CPU; three steps show the same mistakes.
MODE_STEPS = 3
REFERENCE = "torch"  # where it takes part: its float64 is as exact as any, and it starts fast

Place = tuple[str, str]  # framework and version
Say = Callable[[str], None]


@dataclass(frozen=True)
class Able:
    """A framework ready to be held against the others; `modes`, beside its default one, are proven in float64 alone."""

    environment: Environment
    modes: Sequence[str] = ()


def prove(workload: str, able: Mapping[Place, Able], device: str, say: Say) -> Iterator[Proof]:
    """A Proof each, in both precisions; that of the reference holds its `train` against its own `step`.

    Raises: ProofFailed if an implementation does not come to its end.
    """
    first = reference_of(list(able))
    in_force: dict[Place, str] = {}
    for dtype in DTYPES:
        work = _Work(workload, first, device, dtype, say)
        expected = work.record(first, able[first], DEFAULT_MODE)
        for place, one in able.items():
            found = expected if place == first else work.record(place, one, DEFAULT_MODE)
            in_force[place] = found["mode"]
            yield work.proof(place, one, DEFAULT_MODE, found, expected)
    yield from _other_modes(_Work(workload, first, device, FLOAT64, say, MODE_STEPS), able, in_force)


def _other_modes(work: _Work, able: Mapping[Place, Able], in_force: Mapping[Place, str]) -> Iterator[Proof]:
    """Those that are not the default one."""
    others = [(place, mode) for place, one in able.items() for mode in one.modes if mode != in_force[place]]
    if not others:
        return
    expected = work.record(work.reference, able[work.reference], DEFAULT_MODE)
    for place, mode in others:
        yield work.proof(place, able[place], mode, work.record(place, able[place], mode), expected)


def reference_of(places: list[Place]) -> Place:
    return next((place for place in places if place[0] == REFERENCE), places[0])


@dataclass(frozen=True)
class _Work:
    """What is proven in one precision."""

    workload: str
    reference: Place
    device: str
    dtype: str
    say: Say
    steps: int | None = None  # of each trace; None: as many as the spec says

    def record(self, place: Place, able: Able, mode: str) -> dict[str, Any]:
        self.say(f"{self.workload} {' '.join(place)} {self.dtype}{in_mode(mode)}")
        return record(
            able.environment, request_for(self.workload, place[0], self.dtype, self.device, mode, self.steps)
        )

    def proof(
        self, place: Place, able: Able, mode: str, found: Mapping[str, Any], expected: Mapping[str, Any]
    ) -> Proof:
        wider = catalog.workload(self.workload).spec.tolerances
        return Proof(
            workload=self.workload,
            framework=place[0],
            version=place[1],
            device=self.device,
            dtype=self.dtype,
            mode=mode,
            mode_in_force=found["mode"],
            reference=" ".join(self.reference),
            isolation=able.environment.isolation,
            code_sha256=code_sha256(self.workload, place[0]),
            created=now(),
            checks=tuple(compare(found, expected, tolerance(place[0], self.dtype, wider))),
        )
