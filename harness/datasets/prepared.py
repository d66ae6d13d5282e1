"""Prepared data sets: .npy files, train_<name> and test_<name>, what lies beside, and their manifest."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
import tempfile
from pathlib import Path

import numpy as np

from harness import paths
from harness.datasets import failures
from harness.datasets.base import Source, Streamed
from harness.datasets.official import check, sha256
from harness.errors import DataError
from harness.files.whole_files import write_text

MANIFEST = "manifest.json"
VERSION = 1


def folder(name: str) -> Path:
    return paths.data_home() / name


def is_prepared(name: str) -> bool:
    return (folder(name) / MANIFEST).exists()


def prepare(source: Source, official: Path) -> Path:
    """Checks the official files, converts them and puts the result in place at once.

    Raises: DataError if a file is not the official one, MissingPrerequisite where there is no room, say.
    """
    with failures.told(source):
        check(official, source)
        paths.data_home().mkdir(parents=True, exist_ok=True)
        return _prepared(source, official)


def _prepared(source: Source, official: Path) -> Path:
    with tempfile.TemporaryDirectory(dir=paths.data_home(), prefix=f".{source.name}-") as temporary:
        apart = Path(temporary) / source.name
        apart.mkdir()
        _write(apart, source, official)
        write_text(apart / MANIFEST, json.dumps(_manifest(apart, source), indent=1) + "\n")
        _let_everybody_read(apart)
        return _put(apart, folder(source.name))


def _put(apart: Path, place: Path) -> Path:
    """What is there and whole stays: a campaign under way may be reading it, or another has just prepared it."""
    try:
        return apart.rename(place)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    if not _is_the_same(apart, place):
        shutil.rmtree(place)
        apart.rename(place)
    return place


def _is_the_same(apart: Path, place: Path) -> bool:
    try:
        return bool(verify(place.name) == json.loads((apart / MANIFEST).read_text()))
    except DataError:
        return False


def _write(apart: Path, source: Source, official: Path) -> None:
    if isinstance(source, Streamed):
        source.write(official, apart)
        return
    for part, array in source.arrays(official).items():
        np.save(apart / f"{part}.npy", array, allow_pickle=False)


def _manifest(apart: Path, source: Source) -> dict[str, object]:
    """Of all that was written: `arrays` by their part, and `files` where there are any beside them."""
    arrays = sorted(apart.glob("*.npy"))
    files = sorted(set(apart.iterdir()) - set(arrays))
    manifest = {
        "version": VERSION,
        "name": source.name,
        "title": source.title,
        "source": [{"name": f.name, "url": f.url, "sha256": f.sha256} for f in source.files],
        "arrays": {path.stem: _entry(path) for path in arrays},
    }
    return manifest | ({"files": {path.name: {"sha256": sha256(path)} for path in files}} if files else {})


def _let_everybody_read(place: Path) -> None:
    """Whatever the umask: a worker in a container is another user than the one who prepares."""
    for path in place.iterdir():
        path.chmod(0o644)
    place.chmod(0o755)


def _entry(path: Path) -> dict[str, object]:
    """Raises: OSError where a full disk has cut the file, which NumPy does not always notice as it writes."""
    try:
        array = np.load(path, "r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise OSError(f"{path.name} was not written whole") from error
    return {"shape": list(array.shape), "dtype": str(array.dtype), "sha256": sha256(path)}


def verify(name: str) -> dict[str, object]:
    """The manifest of a prepared data set whose files are all as they were written.

    Raises: DataError naming the file and both checksums.
    """
    place = folder(name)
    try:
        manifest: dict[str, object] = json.loads((place / MANIFEST).read_text())
        arrays, files = manifest["arrays"], manifest.get("files", {})
        assert isinstance(arrays, dict) and isinstance(files, dict)
    except FileNotFoundError as error:
        raise DataError(f"{name} is not prepared: suite data fetch {name}") from error
    except (ValueError, KeyError, AssertionError) as error:
        raise DataError(f"{place / MANIFEST} is damaged: suite data fetch {name}") from error
    for file, entry in ({f"{part}.npy": entry for part, entry in arrays.items()} | files).items():
        _verify_file(place / file, entry["sha256"], name)
    return manifest


def train_samples(name: str) -> int | None:
    """How many there are to train on; None if the set is not prepared."""
    return _samples(name, "train_")


def test_samples(name: str) -> int | None:
    """How many there are to answer; None if the set is not prepared."""
    return _samples(name, "test_")


def _samples(name: str, split: str) -> int | None:
    try:
        arrays = json.loads((folder(name) / MANIFEST).read_text())["arrays"]
        files = {part: one["shape"][0] for part, one in arrays.items() if part.startswith(split)}
        first = next(iter(files)).partition(".")[0]  # which may lie in several files
        return sum(int(rows) for part, rows in files.items() if part.partition(".")[0] == first)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, StopIteration):
        return None


def content_sha256(name: str) -> str | None:
    """Of the contents of all its files, as its manifest tells them; None if the set is not prepared."""
    try:
        manifest = json.loads((folder(name) / MANIFEST).read_text())
        contents = {**manifest["arrays"], **manifest.get("files", {})}
    except (OSError, ValueError, LookupError, TypeError):
        return None
    return hashlib.sha256(json.dumps(contents, sort_keys=True).encode()).hexdigest()


def _verify_file(path: Path, expected: str, name: str) -> None:
    found = sha256(path) if path.is_file() else "missing"
    if found != expected:
        raise DataError(
            f"{path} is damaged: sha256 {found}, prepared as {expected}; "
            f"prepare it again: suite data fetch {name}"
        )
