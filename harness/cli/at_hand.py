"""Campaigns as they are named on the command line: folders, bundles, and bundles in a store that others share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from harness.errors import CampaignError, SuiteError
from harness.exports import unbundle
from harness.exports.bundle import SUFFIX
from harness.files import object_store
from harness.files.shown_urls import shown
from harness.files.untrusted import printable

Named = tuple[Path, str]  # its folder here, and what whoever asked calls it


@contextmanager
def at_hand(words: Sequence[str]) -> Iterator[list[Named]]:
    """As long as they are needed. A URL that names no bundle is a folder, of which all bundles are meant.

    Raises: CampaignError for what is no whole bundle; whatever harness.files.object_store raises.
    """
    with tempfile.TemporaryDirectory(prefix="joulemark-") as place, ExitStack() as stack:
        found = list[Named]()
        try:
            for word in words:
                found.extend(_of(word, Path(place), stack))
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


def _of(word: str, place: Path, stack: ExitStack) -> Iterator[Named]:
    if object_store.is_url(word):
        urls = [word] if word.endswith(SUFFIX) else object_store.names_in(word, SUFFIX)
        for number, url in enumerate(urls):
            bundle = place / f"{number}{SUFFIX}"
            object_store.get(url, bundle, unbundle.MOST_BYTES)
            called = printable(shown(url))
            yield _unpacked(bundle, called, stack), called
            bundle.unlink()
    elif word.endswith(SUFFIX) and Path(word).is_file():
        yield _unpacked(Path(word), word, stack), word
    else:
        yield Path(word), word


def _unpacked(bundle: Path, called: str, stack: ExitStack) -> Path:
    try:
        return stack.enter_context(unbundle.opened(bundle))
    except CampaignError as error:
        raise CampaignError(str(error).replace(str(bundle), called)) from error
