"""Which proofs of equal work hold for a merged campaign: those that every machine has made; pure.

A proof is of code in an environment, on the machine that ran it: another processor may choose other kernels. So that
of one machine covers no run of another's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.conformance.kept_proofs import Proof, in_words, not_covered
from harness.findings.codes import Code
from harness.merging.given import Mergeable
from harness.records import Finding


def by_all(found: Sequence[Mergeable]) -> tuple[Proof, ...]:
    """Each proof of what all have proven, once."""
    shared = set.intersection(*({name for p in one.proofs if p.passed for name in p.proves} for one in found))
    held = (p for one in found for p in one.proofs if p.passed and p.proves <= shared)
    return tuple({p.model_dump_json(): p for p in held}.values())


def findings(found: Sequence[Mergeable], labels: Sequence[str]) -> Iterator[Finding]:
    """Who lacks a proof that another has; what none has, each campaign's own findings say."""
    known = {name for one in found for p in one.proofs if p.passed for name in p.proves}
    for one, label in zip(found, labels, strict=True):
        own = [p for p in one.proofs if p.passed]
        left = {
            place: [each for each in several if (place, each) in known]
            for place, several in not_covered(one.record.plan.treatments, own).items()
        }
        if words := in_words({place: several for place, several in left.items() if several}):
            yield Finding.of(
                Code.NOT_VERIFIED,
                f"{label} has not proven itself what others have of {', '.join(words)}; theirs are not taken for it",
            )
