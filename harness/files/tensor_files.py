"""Files of tensors in the format safetensors, which hold numbers and no code; whatever else is refused in one line.

The format: 8 bytes of a header's length, the header in JSON, the tensors' bytes. That these cover the file without
holes or overlaps is what the library checks (github.com/huggingface/safetensors); what it lets pass is checked here.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, deserialize

from harness.errors import DataError, UnsafeFile
from harness.files.untrusted import open_beneath, printable

MOST_BYTES = (
    16 << 30
)  # it is read whole: what is summed is what is believed; 8e9 numbers of 16 bits have less
LENGTH_BYTES = 8
MOST_HEADER_BYTES = 16 << 20  # of 100 000 tensors; a real file has some hundreds
SHOWN = 200  # characters of what the library says
# What torch.save writes is a zip file of a pickle, and was a pickle.
CODE = {b"PK": "a zip file, as PyTorch's .pt and .pth are", b"\x80": "a pickle"}
# What NumPy has no type for stays as it is, of half the size, until it is asked for: the upper half of float32.
NUMBERS: dict[str, Any] = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": [("upper", "<u2")],
    "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
    "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1", "BOOL": "?",
}  # fmt: skip
BFLOAT16 = np.dtype(NUMBERS["BF16"])


@dataclass(frozen=True)
class TensorFile:
    path: Path
    sha256: str
    size_bytes: int
    tensors: dict[str, np.ndarray[Any, Any]]  # as they lie there: `numbers` tells what they are


def read(path: Path, sha256: str = "") -> TensorFile:
    """The tensors of a file, which must have this SHA-256, if one is named, before anything of it is believed.

    Raises: DataError with cause and remedy.
    """
    try:
        return _read(path, sha256)
    except MemoryError:
        raise DataError(
            f"{printable(path)} takes more memory than there is: twice its size while it is read; free some"
        ) from None


def _read(path: Path, sha256: str) -> TensorFile:
    content = _content(path)
    found = hashlib.sha256(content).hexdigest()
    if sha256 and found != sha256:
        raise DataError(
            f"{printable(path)} has SHA-256 {found}, not {sha256}: name the file that has it, or this file's own sum"
        )
    try:
        return TensorFile(path, found, len(content), _tensors(content))
    except ValueError as error:
        raise DataError(f"{printable(path)} is not read: {printable(error)}") from None


def _content(path: Path) -> bytes:
    try:
        with os.fdopen(open_beneath(path.parent, path.name), "rb") as file:
            if (size := os.fstat(file.fileno()).st_size) > MOST_BYTES:
                raise UnsafeFile(f"{printable(path)} has {size} bytes, and at most {MOST_BYTES} are read")
            return file.read(size)  # and no more: Python asks at once for as much memory as it may read
    except FileNotFoundError:
        raise DataError(f"{printable(path)} does not exist: name a file as this machine sees it") from None
    except UnsafeFile as error:
        raise DataError(f"{error}; name the file of weights itself") from None
    except OSError as error:
        raise DataError(f"{printable(path)} cannot be read: {error.strerror}") from None


def _tensors(content: bytes) -> dict[str, np.ndarray[Any, Any]]:
    """Raises: ValueError with the reason and the remedy."""
    header = _header(content)
    try:
        told = deserialize(content)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise ValueError(f"it is damaged ({str(error)[:SHOWN]}): fetch or convert it again") from None
    _require_single_names(header)
    return {name: _tensor(name, one["dtype"], one["shape"], one["data"]) for name, one in told}


def _header(content: bytes) -> bytes:
    """Known by its length and its first character alone: a length may begin like a pickle."""
    length, begins = (
        int.from_bytes(content[:LENGTH_BYTES], "little"),
        content[LENGTH_BYTES : LENGTH_BYTES + 1],
    )
    if len(content) > LENGTH_BYTES and begins == b"{":
        if length > MOST_HEADER_BYTES:
            raise ValueError(f"its header claims {length} bytes, and at most {MOST_HEADER_BYTES} are read")
        return content[LENGTH_BYTES : LENGTH_BYTES + length]
    if content.startswith(b"{"):
        raise ValueError("it is text, as the index of several files is: join those files into one")
    kind = next((kind for start, kind in CODE.items() if content.startswith(start)), "no safetensors")
    raise ValueError(f"it is {kind}: only the format safetensors is, which holds no code; convert it")


def _require_single_names(header: bytes) -> None:
    """The library takes the last of two."""

    def unique(pairs: list[tuple[str, Any]]) -> None:
        name, count = Counter(name for name, _ in pairs).most_common(1)[0] if pairs else ("", 1)
        if count > 1:
            raise ValueError(f"its header names {name[:SHOWN]!r} twice: convert it again")

    json.loads(header, object_pairs_hook=unique)


def _tensor(name: str, dtype: str, shape: list[int], data: bytearray) -> np.ndarray[Any, Any]:
    if dtype not in NUMBERS:
        known = ", ".join(NUMBERS)
        raise ValueError(f"its tensor {name[:SHOWN]!r} is of {dtype}, not of {known}: convert it")
    try:
        return np.frombuffer(data, NUMBERS[dtype]).reshape(shape)
    except ValueError as error:  # of more dimensions than NumPy has, or none of a size without end
        raise ValueError(
            f"its tensor {name[:SHOWN]!r} has no shape of NumPy's ({error}): convert it"
        ) from None


def numbers(tensor: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Of a tensor, or a view of one, as NumPy computes with them."""
    if tensor.dtype != BFLOAT16:
        return tensor
    return (tensor["upper"].astype(np.uint32) << np.uint32(16)).view(np.float32)
