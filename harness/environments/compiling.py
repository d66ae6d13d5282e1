"""The last word on bytecode: what the base's own Python makes of a source.

Two patch versions of one Python compile some sources otherwise, so that this interpreter's word alone would accuse
honest images. The base is trusted, the sources are, too; nothing of the image that is looked at takes part.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import docker

from harness.environments import bytecode, process_mark, sandbox
from harness.environments.packing import packed

FOLDER = "verify"
NOBODY = "65534:65534"
TIMEOUT_S = 600


@dataclass(frozen=True)
class Suspect:
    """A .pyc at `place` of this structure; `name` is the source's as it was compiled."""

    place: str
    name: str
    source: bytes = field(repr=False)
    structure: str


def wrong_of(client: docker.DockerClient, base_id: str | None, suspects: list[Suspect]) -> set[str]:
    """Places of those that the base's Python would not make either; all of them where the base is not here."""
    if not suspects or base_id is None:
        return {one.place for one in suspects}
    made = _structures(client, base_id, suspects)
    return {
        one.place for one, there in zip(suspects, made, strict=True) if not there or there != one.structure
    }


def _structures(client: docker.DockerClient, base_id: str, suspects: list[Suspect]) -> list[str]:
    """Of each source, in the base's Python."""
    container = client.containers.create(
        base_id,
        ["-I", f"/{FOLDER}/bytecode.py", f"/{FOLDER}"],
        entrypoint="python3",
        network_mode="none",
        user=NOBODY,
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        labels={sandbox.HARNESS_LABEL: process_mark.own()},
    )
    try:
        container.put_archive("/", packed(_files(suspects)).getvalue())
        container.start()
        container.wait(timeout=TIMEOUT_S)
        lines: list[str] = container.logs(stdout=True, stderr=False).decode().splitlines()
        return lines + [""] * (len(suspects) - len(lines))
    finally:
        container.remove(force=True, v=True)


def _files(suspects: list[Suspect]) -> dict[str, bytes]:
    files = {f"{FOLDER}/{number}": one.source for number, one in enumerate(suspects)}
    files[f"{FOLDER}/names.json"] = json.dumps([one.name for one in suspects]).encode()
    files[f"{FOLDER}/bytecode.py"] = Path(bytecode.__file__).read_bytes()
    return files
