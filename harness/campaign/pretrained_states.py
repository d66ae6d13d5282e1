"""Weights that files give, as states of a campaign: what a container is given is no file of the user's, but these.

All frameworks begin with the same bytes. A campaign that goes on needs the user's file no more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from harness.errors import UsageError
from harness.files import array_files, tensor_files, whole_files
from harness.files.untrusted import printable
from harness.findings.codes import Code
from harness.inventory import specs
from harness.inventory.beginning import Beginning, beginning
from harness.records import Finding, Plan, Treatment
from suite.task import TRAIN

Files = Mapping[str, Path]  # by their SHA-256


def findings(plan: Plan, files: Files) -> Iterator[Finding]:
    """What of each workload's weights is a file's, and what stays random.

    Raises: DataError for a file that is none, UsageError for one that does not fit.
    """
    told = dict.fromkeys(
        f"{one.workload} begins with the weights of the file whose SHA-256 is {_sha256(one)}: {found.told}"
        for one, found in _beginnings(plan, files)
    )
    yield from (Finding.of(Code.WEIGHTS_OF_A_FILE, words) for words in told)


def write(folder: Path, plan: Plan, files: Files) -> dict[str, str]:
    """Into a campaign's folder of states; the SHA-256 of each. Raises: as `findings`."""
    for one, found in _beginnings(plan, files):
        path = _path(folder, one)
        with whole_files.replacing(path) as file:
            array_files.write(file, found.weights.items())
        path.chmod(0o644)  # whatever the umask: a worker may be another user
    return kept(folder, plan)


def kept(folder: Path, plan: Plan) -> dict[str, str]:
    """Name -> SHA-256 of those that are there."""
    paths = dict.fromkeys(_path(folder, one) for one in _begun_by_file(plan))
    return {path.stem: _sum(path) for path in paths if path.is_file() and not path.is_symlink()}


def _sum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _path(folder: Path, treatment: Treatment) -> Path:
    return folder / f"{specs.file_state(treatment)}.npz"


def _sha256(treatment: Treatment) -> str:
    return str(treatment.settings[specs.PRETRAINED])


def _begun_by_file(plan: Plan) -> list[Treatment]:
    """Treatments by the states that they, or the trainings which they infer from, begin with: one of each.

    What infers from a file as it is comes first.
    """
    able = [one for one in plan.treatments if (spec := specs.of(one)) and spec.pretrained]
    by_need = sorted(able, key=lambda one: not _infers(one))
    return list({specs.file_state(one): one for one in reversed(by_need)}.values())


def _infers(treatment: Treatment) -> bool:
    return treatment.stage != TRAIN and specs.begins_with_file(treatment)


def _beginnings(plan: Plan, files: Files) -> Iterator[tuple[Treatment, Beginning]]:
    """File by file, so that one at a time is in memory."""
    several = _begun_by_file(plan)
    for sha256 in dict.fromkeys(map(_sha256, several)):
        file = tensor_files.read(files[sha256], sha256)
        for one in several:
            if _sha256(one) == sha256:
                yield one, _beginning(one, plan.seed, file)


def _beginning(treatment: Treatment, seed: int, file: tensor_files.TensorFile) -> Beginning:
    spec = specs.of(treatment)
    assert spec is not None  # it has a file's checksum among its settings
    try:
        found = beginning(spec, seed, file.tensors)
    except UsageError as error:
        raise UsageError(
            f"{printable(file.path)} does not fit {treatment.workload} as it is set: {error}"
        ) from error
    if found.drawn and _infers(treatment):
        raise UsageError(
            f"stage {treatment.stage} of {treatment.workload} answers with the weights as they are, and "
            f"{printable(file.path)} gives only {found.told}: leave that stage out, -s {TRAIN}"
        )
    return found
