"""What lies inside an image, read through the engine from a container that is created and never started."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Any

import docker
from docker.errors import NotFound
from docker.models.containers import Container

from harness.environments import process_mark, sandbox
from harness.errors import UnsafeFile
from harness.files.untrusted import RECORD_BYTES

CHUNK_BYTES = 1 << 20
MOST_ENTRIES = 2_000_000  # of one image: the largest of ours has 40 000
FILE, FOLDER, LINK, HARD_LINK, OTHER = "file", "folder", "link", "hard link", "special file"
KINDS = {
    tarfile.REGTYPE: FILE,
    tarfile.AREGTYPE: FILE,
    tarfile.DIRTYPE: FOLDER,
    tarfile.SYMTYPE: LINK,
    tarfile.LNKTYPE: HARD_LINK,
}


@dataclass(frozen=True)
class Entry:
    """One member of an image's file system: a file with its hash, or a link with its target."""

    place: str  # absolute
    kind: str
    sha256: str = ""
    target: str = ""
    content: bytes | None = field(default=None, repr=False, compare=False)  # where it was asked for


@contextmanager
def container_of(client: docker.DockerClient, image_id: str) -> Iterator[Container]:
    """A container of an image that is never started: nothing inside the image ever runs."""
    label = {sandbox.HARNESS_LABEL: process_mark.own()}
    container = client.containers.create(image_id, ["never-started"], network_mode="none", labels=label)
    try:
        yield container
    finally:
        container.remove(force=True, v=True)


def entries(client: docker.DockerClient, image_id: str, keep: Callable[[str], bool]) -> Iterator[Entry]:
    """All that an image holds, in one stream: only the content of files that `keep` names stays in memory.

    Raises: UnsafeFile if it is more than what is read.
    """
    with container_of(client, image_id) as container, _tar(_exported(container)) as archive:
        for number, member in enumerate(archive):
            if number >= MOST_ENTRIES:
                raise UnsafeFile(f"{image_id} holds more than {MOST_ENTRIES} files: it is not read on")
            yield _entry(archive, member, keep)
            archive.members = []  # type: ignore[attr-defined]  # tarfile would remember the whole stream


def read(container: Container, place: str) -> bytes | None:
    """The content of one regular file; None if there is none. Raises: UnsafeFile if it is too large."""
    try:
        chunks, _ = container.get_archive(place)
    except NotFound:
        return None
    with _tar(chunks) as archive:
        member = archive.next()
        file = archive.extractfile(member) if member and member.isreg() else None
        return _content(file, place) if file else None


def _exported(container: Container) -> Iterator[bytes]:
    chunks: Any = container.export(CHUNK_BYTES)  # bytes, whatever its stubs say
    yield from chunks


@contextmanager
def _tar(chunks: Iterator[bytes]) -> Iterator[tarfile.TarFile]:
    """Of a stream that is read once, and never unpacked to a disk."""
    with tarfile.open(fileobj=io.BufferedReader(_Stream(chunks), CHUNK_BYTES), mode="r|") as archive:
        yield archive


class _Stream(io.RawIOBase):
    """Chunks as a file."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _entry(archive: tarfile.TarFile, member: tarfile.TarInfo, keep: Callable[[str], bool]) -> Entry:
    place = f"/{member.name}"
    kind = KINDS.get(member.type, OTHER)
    file = archive.extractfile(member) if kind == FILE else None
    if file is None:
        return Entry(place, kind, target=member.linkname)
    if keep(place):
        content = _content(file, place)
        return Entry(place, kind, hashlib.sha256(content).hexdigest(), content=content)
    return Entry(place, kind, hashlib.file_digest(file, "sha256").hexdigest())  # type: ignore[arg-type]


def _content(file: IO[bytes], place: str) -> bytes:
    content = file.read(RECORD_BYTES + 1)
    if len(content) > RECORD_BYTES:
        raise UnsafeFile(f"{place} inside the image is larger than the {RECORD_BYTES} bytes that are read")
    return content
