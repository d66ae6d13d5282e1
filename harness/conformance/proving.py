"""Every implementation of a workload against the reference, in its own environment and in both precisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from harness import catalog
from harness.conformance.certificate import Proof, code_sha256, now
from harness.conformance.comparison import compare
from harness.conformance.recording import record, request_for
from harness.conformance.tolerances import DTYPES, tolerance
from harness.environments.base import Environment

REFERENCE = "torch"  # where it takes part: its float64 is as exact as any, and it starts fast

Place = tuple[str, str]  # framework and version
Say = Callable[[str], None]


def prove(workload: str, environments: Mapping[Place, Environment], device: str, say: Say) -> Iterator[Proof]:
    """A Proof each; that of the reference holds its `train` against its own `step`.

    Raises: ProofFailed if an implementation does not come to its end.
    """
    wider = catalog.workload(workload).spec.tolerances
    first = reference_of(list(environments))
    for dtype in DTYPES:
        expected = _record(workload, first, environments[first], dtype, device, say)
        for place, environment in environments.items():
            same = place == first
            found = expected if same else _record(workload, place, environment, dtype, device, say)
            yield Proof(
                workload=workload,
                framework=place[0],
                version=place[1],
                device=device,
                dtype=dtype,
                reference=" ".join(first),
                isolation=environment.isolation,
                code_sha256=code_sha256(workload, place[0]),
                created=now(),
                checks=tuple(compare(found, expected, tolerance(place[0], dtype, wider))),
            )


def reference_of(places: list[Place]) -> Place:
    return next((place for place in places if place[0] == REFERENCE), places[0])


def _record(
    workload: str, place: Place, environment: Environment, dtype: str, device: str, say: Say
) -> dict[str, Any]:
    say(f"{workload} {' '.join(place)} {dtype}")
    return record(environment, request_for(workload, place[0], dtype, device))
