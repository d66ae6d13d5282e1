"""Small archives in the layout of the official ones, sound or not."""

from __future__ import annotations

import io
import pickle
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np


def tar_gz(path: Path, members: Mapping[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def zipped(path: Path, members: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def sgm(text: bytes) -> bytes:
    """Lines as the segments of a test set of WMT."""
    segments = (b'<seg id="%d">%s</seg>\n' % one for one in enumerate(text.rstrip(b"\n").split(b"\n"), 1))
    return (
        b'<srcset setid="newstest" srclang="any">\n<doc><p>\n'
        + b"".join(segments)
        + b"</p></doc>\n</srcset>\n"
    )


def cifar_batch(rows: np.ndarray, labels: object, key: bytes = b"labels") -> bytes:
    """As NumPy pickles today; the real subset tests the form of Python 2."""
    return pickle.dumps({b"data": rows, key: labels}, protocol=4)


def png(image: np.ndarray) -> bytes:
    """uint8 [height, width, 3] or grey [height, width] as an unfiltered PNG file."""
    height, width = image.shape[:2]
    colour_type = 2 if image.ndim == 3 else 0
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    lines = b"".join(b"\0" + line.tobytes() for line in image)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*one) for one in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
