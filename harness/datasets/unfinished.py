"""The finished steps of a long preparation: a second call, after an interruption, does not repeat them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from harness import paths
from harness.datasets.official import sha256
from harness.errors import MissingPrerequisite
from harness.files import exclusive
from harness.files.whole_files import write_text

RECORD = "finished.json"


class KeptSteps:
    """Files in a folder, those of finished steps with their checksums."""

    def __init__(self, folder: Path, origin: str) -> None:
        """`origin` says what all is made from: where it is another, everything begins again."""
        self.folder, self._record = folder, folder / RECORD
        self._known: dict[str, str] = {"origin": origin}
        if (found := self._read()).get("origin") == origin:
            self._known = found
        else:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)

    def once(self, names: tuple[str, ...], make: Callable[..., None]) -> list[Path]:
        """The files of these names, which `make`, given their paths, writes if they are not there and whole."""
        found = [self.folder / name for name in names]
        if not all(path.is_file() and sha256(path) == self._known.get(path.name) for path in found):
            make(*found)
            self._known |= {path.name: sha256(path) for path in found}
            write_text(self._record, json.dumps(self._known, indent=1) + "\n")
        return found

    def _read(self) -> dict[str, str]:
        try:
            found = json.loads(self._record.read_text())
            return found if isinstance(found, dict) else {}
        except (OSError, ValueError):
            return {}


@contextmanager
def steps(name: str, origin: str) -> Iterator[KeptSteps]:
    """Of one data set, for one process at a time; nothing is left of them where all were finished.

    Raises: MissingPrerequisite if another process is at it.
    """
    home = paths.data_home() / "unfinished"
    home.mkdir(parents=True, exist_ok=True)
    lock = exclusive.open_lock(home / f"{name}.lock", 0o644)
    try:
        if not exclusive.acquire(lock):
            raise MissingPrerequisite(f"another process is preparing {name}: wait until it is through")
        yield KeptSteps(home / name, origin)
        shutil.rmtree(home / name)
    finally:
        os.close(lock)
