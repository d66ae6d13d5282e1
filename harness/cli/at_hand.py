"""Campaigns as they are named on the command line: folders, bundles, and bundles in a store that others share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.errors import CampaignError, SuiteError, TooLarge, UsageError
from harness.exports import unbundle
from harness.exports.bundle import SUFFIX
from harness.files import object_store
from harness.files.shown_urls import shown
from harness.files.untrusted import printable

Named = tuple[Path, str]  # its folder here, and what whoever asked calls it


@dataclass
class Room:
    """What all bundles may take in the folder of temporary files, packed and unpacked: a store may hold anything."""

    most_bytes: int
    taken_bytes: int = 0

    @property
    def left_bytes(self) -> int:
        return self.most_bytes - self.taken_bytes

    def full(self, called: str) -> UsageError:
        return UsageError(
            f"the bundles as far as {called} take more than {self.most_bytes / 2**30:g} GiB in the folder of temporary "
            "files: --most-gib takes more of them, TMPDIR names another folder"
        )


@contextmanager
def at_hand(words: Sequence[str], most_bytes: int) -> Iterator[list[Named]]:
    """As long as they are needed. A URL that names no bundle is a folder, of which all bundles are meant.

    Raises: CampaignError for what is no whole bundle, UsageError where all of them take more than `most_bytes` here;
    whatever harness.files.object_store raises.
    """
    room = Room(most_bytes)
    with tempfile.TemporaryDirectory(prefix="joulemark-") as place, ExitStack() as stack:
        found = list[Named]()
        try:
            for word in words:
                found.extend(_of(word, Path(place), stack, room))
            yield found
        except SuiteError as error:
            raise type(error)(_as_named(str(error), found)) from error


def _as_named(message: str, found: Sequence[Named]) -> str:
    """Nobody knows the folder into which a bundle was unpacked."""
    for folder, name in found:
        if folder == Path(name):  # one of a user's own: its name may be a part of any word
            continue
        message = message.replace(str(folder), name)
    return message


def _of(word: str, place: Path, stack: ExitStack, room: Room) -> Iterator[Named]:
    if object_store.is_url(word):
        urls = [word] if word.endswith(SUFFIX) else object_store.names_in(word, SUFFIX)
        for number, url in enumerate(urls):
            bundle, called = place / f"{number}{SUFFIX}", printable(shown(url))
            _fetch(url, called, bundle, room)
            yield _unpacked(bundle, called, stack, room), called
            room.taken_bytes -= bundle.stat().st_size
            bundle.unlink()
    elif word.endswith(SUFFIX) and Path(word).is_file():
        yield _unpacked(Path(word), word, stack, room), word
    else:
        yield Path(word), word


def _fetch(url: str, called: str, place: Path, room: Room) -> None:
    try:
        object_store.get(url, place, min(unbundle.MOST_BYTES, room.left_bytes))
    except TooLarge as error:
        if room.left_bytes < unbundle.MOST_BYTES:
            raise room.full(called) from error
        raise
    room.taken_bytes += place.stat().st_size


def _unpacked(bundle: Path, called: str, stack: ExitStack, room: Room) -> Path:
    try:
        folder = stack.enter_context(unbundle.opened(bundle, room.left_bytes))
        room.taken_bytes += _bytes_in(folder)
        return folder
    except TooLarge as error:
        raise room.full(called) from error
    except CampaignError as error:
        raise CampaignError(str(error).replace(str(bundle), called)) from error


def _bytes_in(folder: Path) -> int:
    """On the disk, where a small file takes a whole sector."""
    found = (path.lstat() for path in folder.rglob("*"))
    return sum(max(one.st_size, 512 * one.st_blocks) for one in found)
