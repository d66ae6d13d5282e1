"""What was proven of which code: kept beside the prepared data, and with each campaign."""

from __future__ import annotations

import functools
import json
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from harness import paths
from harness.conformance import asked
from harness.conformance.asked import Asked, Place
from harness.conformance.code import Checkout
from harness.conformance.kept_proofs import (
    CERTIFICATE_FILE,
    PROOFS,
    Proof,
    in_words,
    not_covered,
)  # fmt: skip
from harness.errors import MissingPrerequisite
from harness.files import whole_files
from harness.findings.codes import Code
from harness.inventory import catalog
from harness.records import Finding, Treatment


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def load(isolations: Container[str] | None = None) -> tuple[Proof, ...]:
    """The proofs made here; none where there are none, or where an older version of suite wrote them.

    `isolations`: in which of them; a container and the host's interpreter may hold other libraries below the same lock.

    Raises: MissingPrerequisite if what lies there is no file of ours.
    """
    path = paths.certificate()
    try:
        found = PROOFS.validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return ()
    except OSError as error:
        raise MissingPrerequisite(f"{path} cannot be read ({error.strerror}): remove it") from error
    return tuple(one for one in found if isolations is None or one.isolation in isolations)


def save(new: Sequence[Proof]) -> Path:
    """Puts proofs in the place of older ones of the same implementation; of two at once, each finds the other's."""
    from filelock import FileLock  # whoever only reads does not wait for it

    path = paths.certificate()
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{path}.lock"):
        kept = {(one.isolation, one.key): one for one in (*load(), *new)}
        whole_files.write_text(path, dumps(kept.values()))
    return path


def dumps(proofs: Iterable[Proof]) -> str:
    return json.dumps([one.model_dump(mode="json") for one in proofs], indent=1) + "\n"


def valid(proofs: Iterable[Proof]) -> dict[tuple[Place, Asked], Proof]:
    """Those that passed and whose code is the checkout's, by their key."""
    code = functools.cache(Checkout().sha256)  # the same for several proofs, while this is asked
    return {
        one.key: one
        for one in proofs
        if one.passed and _is_here(one) and one.code_sha256 == code(one.workload, one.framework)
    }


def _is_here(proof: Proof) -> bool:
    """Whether the checkout has what was proven: another's campaign may name anything."""
    one = catalog.workloads().get(proof.workload)
    return one is not None and proof.framework in one.frameworks


def keep(folder: Path, treatments: Iterable[Treatment], isolations: Container[str]) -> None:
    """Puts those proofs that hold for a campaign's treatments beside it.

    Of a treatment that nothing is compared with in it, too: another campaign may be.
    """
    wanted = {(asked.place_of(each), one) for each in treatments for one in asked.of(each)}
    held = [proof for proof in valid(load(isolations)).values() if proof.proves & wanted]
    if held:
        whole_files.write_text(folder / CERTIFICATE_FILE, dumps(held))


def missing(treatments: Iterable[Treatment], proofs: Iterable[Proof]) -> dict[Place, list[Asked]]:
    """What no proof covers of those that are compared with another's."""
    several = list(treatments)
    asked_of = {(asked.place_of(one), one.workload) for one in several}  # the code of no other is read
    return not_covered(several, valid(p for p in proofs if (p.key[0], p.workload) in asked_of).values())


def unproven(treatments: Iterable[Treatment], proofs: Iterable[Proof]) -> list[str]:
    """Treatments without a proof that covers them: "mnist_cnn jax 0.10.2 in mode jit"."""
    return in_words(missing(treatments, proofs))


def findings(treatments: Iterable[Treatment], proofs: Iterable[Proof]) -> Iterator[Finding]:
    """A comparison without its proof says so."""
    if left := unproven(treatments, proofs):
        yield Finding.of(
            Code.NOT_VERIFIED,
            f"nobody has proven here that these do the same work, set as they are: {_by_place(left)}",
        )


def unprovable(treatments: Iterable[Treatment]) -> Iterator[Finding]:
    """Nor can what has a single implementation be proven, whose versions are compared."""
    if alone := asked.without_another(treatments):
        yield Finding.of(
            Code.ONE_IMPLEMENTATION,
            f"no other implementation proves that these do the same work: {_by_workload(alone)}",
        )


def _by_workload(found: Mapping[str, Sequence[str]]) -> str:
    return "; ".join(f"{workload} by {', '.join(names)}" for workload, names in found.items())


def _by_place(missing: Iterable[str]) -> str:
    """Workloads that lack the same proofs share their words: "mnist_cnn, resnet on jax 0.10.2, torch 2.13.0; ..."."""
    places: dict[str, list[str]] = {}
    for one in missing:
        workload, _, place = one.partition(" ")
        places.setdefault(workload, []).append(place)
    workloads: dict[str, list[str]] = {}
    for workload, found in places.items():
        workloads.setdefault(", ".join(found), []).append(workload)
    return "; ".join(f"{', '.join(names)} on {found}" for found, names in workloads.items())
