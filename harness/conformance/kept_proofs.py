"""What a proof says, those that are kept with a campaign, and which treatments they do not cover. Reads no code."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from harness import shape_errors
from harness.conformance import asked
from harness.conformance.asked import Asked, Place
from harness.conformance.comparison import Checked
from harness.devices import is_gpu
from harness.errors import CampaignError
from harness.files.untrusted import read_beneath
from harness.records import Record, Treatment
from suite.neural import DEFAULT_MODE
from suite.verify import KINDS


class Proof(Record):
    """One implementation in one version and mode against the reference, "torch 2.13.0"; `code_sha256` of what was run.

    `kind`, `dataset` and `settings` as harness.conformance.asked has them; `mode_in_force` is what the worker told:
    what "default" stands for.
    """

    workload: str
    framework: str
    version: str
    device: str
    kind: str
    dtype: str
    dataset: str = ""
    settings: str = "{}"
    mode: str = DEFAULT_MODE
    mode_in_force: str = ""
    reference: str
    isolation: str
    code_sha256: str
    created: str
    checks: tuple[Checked, ...]

    @property
    def passed(self) -> bool:
        return bool(self.checks) and all(one.passed for one in self.checks)

    @property
    def key(self) -> tuple[Place, Asked]:
        return (self.framework, self.version, self.device), self._asked(self.mode)

    @property
    def proves(self) -> set[tuple[Place, Asked]]:
        """By the name of the mode that was asked for, and by that of the one in force."""
        return {self.key, (self.key[0], self._asked(self.mode_in_force))}

    def _asked(self, mode: str) -> Asked:
        return Asked(self.workload, self.kind, mode, self.dataset, self.settings)

    @property
    def against(self) -> str:
        """What the reference itself is held against, in its default mode, are its single steps, where `train` is."""
        itself = f"{self.framework} {self.version}" == self.reference and self.mode == DEFAULT_MODE
        if not itself:
            return self.reference
        return "its own single steps" if KINDS[self.kind].by_train else "itself, the reference"


CERTIFICATE_FILE = "conformance.json"
PROOFS = TypeAdapter(tuple[Proof, ...])


def of_campaign(folder: Path) -> tuple[Proof, ...]:
    """The proofs kept with a campaign; none where there are none."""
    path = folder / CERTIFICATE_FILE
    try:
        return PROOFS.validate_json(read_beneath(folder, CERTIFICATE_FILE))
    except FileNotFoundError:
        return ()
    except ValidationError as error:
        raise CampaignError(
            f"{path} is damaged: {shape_errors.message(error)}; take it from a copy, or remove it"
        ) from error


def not_covered(treatments: Iterable[Treatment], proofs: Iterable[Proof]) -> dict[Place, list[Asked]]:
    """As `missing`, of proofs that are taken as they are: those kept with a campaign, whose code was its own."""
    covered = {name for proof in proofs for name in proof.proves}
    left = {
        place: [one for one in several if (place, one) not in covered]
        for place, several in asked.all_of(treatments).items()
    }
    return {place: several for place, several in left.items() if several}


def in_words(left: Mapping[Place, Sequence[Asked]]) -> list[str]:
    return list(
        dict.fromkeys(
            f"{one.workload} {' '.join(place[:2])}{in_device(place[2])}{in_mode(one.mode)}"
            for place, several in sorted(left.items())
            for one in several
        )
    )


def in_device(device: str) -> str:
    """Ends a line of words; the host needs none."""
    return f" on {device}" if is_gpu(device) else ""


def in_mode(mode: str) -> str:
    """Ends a line of words; the default mode needs none."""
    return "" if mode == DEFAULT_MODE else f" in mode {mode}"
