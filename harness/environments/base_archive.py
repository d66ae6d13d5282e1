"""The base of Apptainer's images: the public one, or an archive of ours that `docker save` wrote elsewhere."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.environments.recipe import public_base
from harness.errors import MissingPrerequisite
from harness.files.untrusted import parse_json

ARCHIVE_VARIABLE = "JOULEMARK_BASE_ARCHIVE"
IN_CONTEXT = "base.tar"
MOST_BYTES = 4 << 20  # of one description in an archive


@dataclass(frozen=True)
class ArchivedBase:
    """`bootstrap` and `source` are Apptainer's words; `reference` and `identity` those that Docker's images carry.

    `file` is the archive, which the build finds under the name `source`: where it lies decides nothing.
    """

    bootstrap: str
    source: str
    reference: str
    identity: str
    file: Path | None = None


def choose_archive() -> ArchivedBase:
    """The archive that the user names, else the base that the recipe pins.

    Raises: MissingPrerequisite if the file is none that `docker save` writes.
    """
    if named := os.environ.get(ARCHIVE_VARIABLE):
        return _of_archive(Path(named).absolute())
    reference = public_base()
    name, _, digest = reference.partition("@")
    # a tag beside a digest is refused by what Apptainer fetches with
    untagged = re.sub(r":[^/:]+$", "", name)
    return ArchivedBase("docker", f"{untagged}@{digest}", reference, digest)


def _of_archive(path: Path) -> ArchivedBase:
    try:
        with tarfile.open(path, "r:") as archive:
            (described,) = _member(archive, "manifest.json")
            config = _member(archive, str(described["Config"]))
        identity = identity_of(config["rootfs"]["diff_ids"], config["config"].get("Env") or [])
        reference = _word((described["RepoTags"] or [IN_CONTEXT])[0])
    except (OSError, tarfile.TarError, KeyError, TypeError, ValueError) as error:
        raise MissingPrerequisite(
            f"{ARCHIVE_VARIABLE}: {path} is no archive of one image ({error}); where an engine is: "
            f"suite images base, then docker save joulemark/base:bookworm -o {path.name}"
        ) from error
    return ArchivedBase("docker-archive", IN_CONTEXT, reference, identity, path)


def _word(reference: str) -> str:
    """Raises: ValueError for what is no name of an image: it is written into the definition."""
    if not re.fullmatch(r"[\w./:@-]+", reference, re.ASCII):
        raise ValueError("it is not named as an image is")
    return reference


def identity_of(layers: list[str], variables: list[str]) -> str:
    """A hash of what is in an image, whatever its name and the time of its making."""
    return f"sha256:{hashlib.sha256(json.dumps([layers, variables]).encode()).hexdigest()}"


def _member(archive: tarfile.TarFile, name: str) -> Any:
    file = archive.extractfile(name)
    if file is None:
        raise ValueError(f"{name} is no file")
    return parse_json(file.read(MOST_BYTES))
