"""A block's way from its node into the campaign: copied beside, renamed once, then handed out to where readers look.

The rename is what counts: it fails where the block is there already, whoever brought it, so that none is there twice;
a job that dies before it leaves nothing that anybody reads. Only the campaign's controller hands out, after it has
written down whose the runs are; what it was about when it died, it does again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

from harness import store
from harness.cluster.places import BLOCK_FILE, Places
from harness.cluster.records import BlockRecord
from harness.conformance.kept_proofs import CERTIFICATE_FILE
from harness.records import Purpose

PARTS = (store.RUNS, store.BASELINES, store.STATES)


def collect(done: Path, by: BlockRecord, places: Places) -> bool:
    """Brings what lies in `done`, a campaign of one block, here; whether it was the first to bring that block.

    Raises: OSError where the disk is full; nothing of it is left here then.
    """
    apart = places.incoming / f"{by.block:05d}-{by.job_id}"
    try:
        _copy(done, by, apart)
        apart.rename(places.of_block(by.block))  # fails onto a folder that holds anything
    except FileExistsError:
        return False
    except OSError:
        if places.of_block(by.block).exists():
            return False
        raise
    finally:
        shutil.rmtree(apart, ignore_errors=True)
    return True


def _copy(done: Path, by: BlockRecord, apart: Path) -> None:
    apart.mkdir(parents=True)
    for name in PARTS if by.block == 0 else PARTS[:2]:  # states are trained once, before all blocks
        shutil.copytree(done / name, apart / name, symlinks=True)
    for name in (store.CAMPAIGN_FILE, CERTIFICATE_FILE):
        if (done / name).is_file():
            shutil.copy2(done / name, apart / name)
    store.write_record(apart / BLOCK_FILE, by)
    for path in apart.rglob("*"):
        _onto_the_disk(path)


def _onto_the_disk(path: Path) -> None:
    if path.is_symlink() or not path.is_file():
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def set_aside(broken_off: Path, places: Places, name: str) -> None:
    """What a job had measured of a block that was not finished: kept, and read by nobody."""
    runs = broken_off / store.RUNS
    if runs.is_dir() and any(runs.iterdir()):
        with suppress(OSError):
            shutil.copytree(runs, _new(places.campaign / store.ASIDE, name), symlinks=True)


def hand_out(places: Places, block: Path) -> None:
    """Into the campaign's own folders, what is not there yet; warm-up runs, which enter no figure, stay."""
    for part in PARTS:
        for path in sorted((block / part).iterdir() if (block / part).is_dir() else ()):
            target = places.campaign / part / path.name
            if part == store.RUNS and _is_warm_up(path):
                continue
            if not os.path.lexists(target):
                path.rename(target)
            elif part == store.RUNS:
                path.rename(_new(places.campaign / store.ASIDE, path.name))
    kept, proven = places.campaign / CERTIFICATE_FILE, block / CERTIFICATE_FILE
    if proven.is_file() and not kept.exists():
        shutil.copyfile(proven, kept)


def _is_warm_up(run: Path) -> bool:
    return store.stored_record(run).planned.purpose == Purpose.WARM_UP


def _new(folder: Path, name: str) -> Path:
    folder.mkdir(exist_ok=True)
    return next(place for place in _numbered(folder, name) if not place.exists())


def _numbered(folder: Path, name: str) -> Iterator[Path]:
    return (folder / f"{name}-{number}" for number in count(1))
