"""Files as a tar for the engine: with fixed modes, owner and time, so that no umask and no checkout shows in it."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import PurePosixPath

FILE_MODE, FOLDER_MODE = 0o644, 0o755  # for everybody to read, since a worker is nobody in particular


def packed(files: Mapping[str, bytes]) -> io.BytesIO:
    """Name -> content, with every folder above the files; all root's."""
    stream = io.BytesIO()
    folders = {str(parent) for name in files for parent in PurePosixPath(name).parents} - {".", "/"}
    with tarfile.open(fileobj=stream, mode="w") as archive:
        for name in sorted(folders):
            archive.addfile(_member(name, tarfile.DIRTYPE, FOLDER_MODE))
        for name, content in files.items():
            member = _member(name, tarfile.REGTYPE, FILE_MODE)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    stream.seek(0)
    return stream


def _member(name: str, kind: bytes, mode: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.uid, member.gid, member.mtime = kind, mode, 0, 0, 0
    return member
