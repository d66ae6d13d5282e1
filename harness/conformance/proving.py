"""Every implementation of a workload against the reference, in its own environment."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from harness.conformance.asked import Asked, Place
from harness.conformance.certificate import now
from harness.conformance.code import code_sha256
from harness.conformance.comparison import compare
from harness.conformance.kept_proofs import Proof, in_device
from harness.conformance.recording import BreakOff, ProofFailed, record
from harness.conformance.references import reference_of, with_references
from harness.conformance.tolerances import tolerance
from harness.devices import is_gpu
from harness.environments.base import Environment
from harness.host import machine
from harness.inventory import catalog
from suite.neural import NeuralSpec
from suite.verify import as_proven, kind_of

Say = Callable[[str], None]
STALE = "of a stale image"  # in place of a hash: what such a one holds is not the checkout's, and proves nothing of it
Environments = Mapping[tuple[str, str], Environment]  # by framework and version
Code = Mapping[tuple[str, Place], str]  # of a workload in a place: its hash
Records = Mapping[tuple[Place, Asked], Mapping[str, Any]]


def prove(
    wanted: Mapping[Place, Sequence[Asked]],
    places: Sequence[Place],
    environments: Environments,
    say: Say,
    end_s: float | None = None,
) -> list[Proof]:
    """A Proof each; that of the reference holds its `train` against its own `step`. `places`: where work is compared.

    Raises: ProofFailed if an implementation does not come to its end, or is another by then; OutOfTime if it has not
    by `end_s`, on CLOCK_MONOTONIC.
    """
    recorded = with_references(wanted, places)
    before = _code(recorded, environments)
    records = _records(recorded, environments, say, end_s)
    if _code(recorded, environments) != before:
        raise ProofFailed("the checkout was changed while it was proven: say it again")
    return [
        _proof(place, one, reference_of(one.workload, places), environments[place[:2]], records, before)
        for place, several in wanted.items()
        for one in several
    ]


def _code(recorded: Mapping[Place, Sequence[Asked]], environments: Environments) -> Code:
    stale = {place for place in recorded if environments[place[:2]].describe().get("stale")}
    pairs = {(one.workload, place) for place, several in recorded.items() for one in several}
    return {pair: STALE if pair[1] in stale else code_sha256(pair[0], pair[1][0]) for pair in pairs}


def _records(
    wanted: Mapping[Place, Sequence[Asked]], environments: Environments, say: Say, end_s: float | None
) -> Records:
    """Each framework in one process, as many at once as there are CPUs; a GPU is not shared."""
    slots: SimpleQueue[tuple[int, ...]] = SimpleQueue()
    stop = BreakOff(end_s)
    for cpus in _shares(len(wanted), alone=any(is_gpu(device) for _, _, device in wanted)):
        slots.put(cpus)

    def recorded(place: Place) -> list[tuple[tuple[Place, Asked], dict[str, Any]]]:
        cpus = slots.get()
        try:
            say(_told(place, wanted[place]))
            found = record(environments[place[:2]], place, wanted[place], cpus, stop)
            return [((place, one), each) for one, each in zip(wanted[place], found, strict=True)]
        finally:
            slots.put(cpus)

    with ThreadPoolExecutor(slots.qsize()) as pool:
        try:
            return dict(pair for several in pool.map(recorded, wanted) for pair in several)
        except BaseException:  # one that failed, or Ctrl-C: nobody needs the others
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _shares(frameworks: int, alone: bool) -> list[tuple[int, ...]]:
    """Of the machine's CPUs, one for each framework that is proven at the same time."""
    cpus = machine.share_cpus().workload
    count = 1 if alone else max(1, min(frameworks, len(cpus)))
    return [cpus[start::count] for start in range(count)]


def _told(place: Place, several: Sequence[Asked]) -> str:
    workloads = ", ".join(dict.fromkeys(one.workload for one in several))
    return f"proving {place[0]} {place[1]}{in_device(place[2])}: {workloads}"


def _proof(
    place: Place, one: Asked, first: Place, environment: Environment, records: Records, code: Code
) -> Proof:
    """`first`: the reference's place, without whose own code nothing is proven."""
    found = records[place, one]
    expected = records[first, one.in_default_mode]
    measured = catalog.workload(one.workload).spec.with_dataset(one.dataset).with_settings(one.values)
    assert isinstance(measured, NeuralSpec)  # nothing else has two implementations
    shape = kind_of(one.kind, measured)
    allowed = tolerance(
        place[0], one.kind, as_proven(measured, shape).allowed_apart(), one.precision, place[2]
    )
    return Proof(
        workload=one.workload,
        framework=place[0],
        version=place[1],
        device=place[2],
        kind=one.kind,
        dtype=shape.dtype,
        dataset=one.dataset,
        settings=one.settings,
        mode=one.mode,
        mode_in_force=found["mode"],
        reference=" ".join(first[:2]),
        isolation=environment.isolation,
        code_sha256=STALE if code[one.workload, first] == STALE else code[one.workload, place],
        created=now(),
        checks=tuple(compare(found, expected, allowed, shape.together)),
    )
