"""Files of weights that somebody gave: sound ones give their numbers, all others one line with cause and remedy."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from harness.errors import DataError
from harness.files import tensor_files
from harness.files.untrusted import memory_within
from tests.tensor_files import content, entry, with_header

ARRAYS = {
    "conv.weight": np.arange(24, dtype=np.float32).reshape(2, 3, 2, 2),
    "half": np.array([1.5, -2], np.float16),
    "wide": np.array([[np.pi]]),
    "count": np.array(7),
    "none": np.zeros((0, 3), np.float32),
}


def of(tmp_path: Path, whole: bytes) -> Path:
    path = tmp_path / "weights.safetensors"
    path.write_bytes(whole)
    return path


def refused(path: Path, sha256: str = "") -> str:
    with pytest.raises(DataError) as caught:
        tensor_files.read(path, sha256)
    message = str(caught.value)
    assert message.isprintable()
    assert len(message) < 500 + len(str(path))
    return message


def test_every_number_of_a_sound_file_is_read_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    save_file(ARRAYS, path)  # as its own library writes it
    found = tensor_files.read(path)
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.size_bytes == path.stat().st_size
    assert found.tensors.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(found.tensors[name], array, strict=True)


def test_numbers_in_bfloat16_are_widened_exactly(tmp_path: Path) -> None:
    halves = np.array([0x3F80, 0xC049, 0x7F80, 0x0001], np.uint16)  # 1, -pi cut, infinity, the least
    body = halves.astype("<u2").tobytes()
    path = of(tmp_path, with_header({"a": entry(0, 8, (4,), "BF16")}, body))
    held = tensor_files.read(path).tensors["a"]
    assert held.nbytes == 8  # until somebody asks
    found = tensor_files.numbers(held)
    assert found.dtype == np.float32
    assert found.tolist() == [1.0, -3.140625, np.inf, 2.0**-133]
    turned = tensor_files.numbers(held.reshape(2, 2).T[:, :1])
    assert turned.tolist() == [[1.0], [-3.140625]]


def test_a_file_whose_length_begins_as_a_pickle_does_is_read(tmp_path: Path) -> None:
    header = json.dumps({"a": entry(0, 4)}).encode().ljust(0x280)
    path = of(tmp_path, with_header(header, bytes(4)))
    assert path.read_bytes().startswith(b"\x80\x02")
    assert tensor_files.read(path).tensors["a"].tolist() == [0.0]


def test_another_checksum_is_told_with_that_which_was_found_before_anything_is_parsed(tmp_path: Path) -> None:
    path = of(tmp_path, b"\x80 whatever it is")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    assert f"has SHA-256 {found}, not {'0' * 64}: name the file" in refused(path, "0" * 64)


class Harm:
    def __reduce__(self) -> tuple[Callable[..., None], tuple[str]]:
        return os.mkdir, ("harm",)


def zipped() -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(Harm(), protocol=2))
    return file.getvalue()


SOUND = content(ARRAYS)
WHOLE = {"a": entry(0, 4)}
TWICE = b'{"a":%(one)s,"a":%(one)s}' % {b"one": json.dumps(entry(0, 4)).encode()}
ATTACKS = {
    "pickle": (pickle.dumps(Harm(), protocol=2), "it is a pickle: only the format safetensors is"),
    "pickle 5": (pickle.dumps({"a": Harm()}, protocol=5), "it is a pickle"),
    "pickle 0": (pickle.dumps(Harm(), protocol=0), "it is no safetensors"),
    "zip": (zipped(), "it is a zip file, as PyTorch's .pt and .pth are"),
    "empty": (b"", "it is no safetensors"),
    "a few bytes": (b"\x08\0\0", "it is no safetensors"),
    "a length alone": ((2).to_bytes(8, "little"), "it is no safetensors"),
    "npz": (b"\x93NUMPY" + bytes(100), "it is no safetensors"),
    "an index": (b'{"weight_map": {"a": "1.safetensors"}}', "the index of several files is: join those"),
    "text": (b"weights: none\n" * 20, "it is no safetensors"),
    "cut in the header": (SOUND[:40], "it is damaged"),
    "cut in the numbers": (SOUND[:-1], "it is damaged"),
    "more at the end": (SOUND + b"\0", "it is damaged"),
    "10 GB of header": (with_header(WHOLE, bytes(4), 10 << 30), "claims 10737418240 bytes, and at most 16777216"),
    "a header without end": (with_header(WHOLE, bytes(4), 2**64 - 1), "claims 18446744073709551615 bytes"),
    "header beyond the file": (with_header(WHOLE, b"", 4096), "it is damaged"),
    "no JSON": (with_header(b"{nonsense"), "it is damaged"),
    "no UTF-8": (with_header(b'{"\xff": 1}'), "it is damaged"),
    "nested": (with_header(b'{"a":' * 100_000), "it is damaged"),
    "no entries": (with_header({"a": 1}), "it is damaged"),
    "overlap": (with_header({"a": entry(0, 4), "b": entry(0, 4)}, bytes(4)), "it is damaged"),
    "hole": (with_header({"a": entry(0, 4), "b": entry(8, 12)}, bytes(12)), "it is damaged"),
    "backwards": (with_header({"a": entry(4, 0)}, bytes(4)), "it is damaged"),
    "other size": (with_header({"a": entry(0, 4, (2,))}, bytes(4)), "it is damaged"),
    "negative": (with_header({"a": entry(0, 4, (-1,))}, bytes(4)), "it is damaged"),
    "overflow": (with_header({"a": entry(0, 4, (2**62, 2**62))}, bytes(4)), "it is damaged"),
    "unknown type": (with_header({"a": entry(0, 4, (1,), "OBJECT")}, bytes(4)), "it is damaged"),
    "twice": (with_header(TWICE, bytes(4)), "its header names 'a' twice"),
    "8 bits": (with_header({"a": entry(0, 1, (1,), "F8_E4M3")}, bytes(1)), "its tensor 'a' is of F8_E4M3, not of F64"),
    "complex": (with_header({"a": entry(0, 8, (1,), "C64")}, bytes(8)), "its tensor 'a' is of C64"),
    "65 dimensions": (with_header({"a": entry(0, 4, (1,) * 65)}, bytes(4)), "its tensor 'a' has no shape of NumPy's"),
    "none, without end": (with_header({"a": entry(0, 0, (0, 2**62))}), "its tensor 'a' has no shape of NumPy's"),
    "a name of commands": (
        with_header({"\x1b[2J" + "x" * 5000: entry(0, 1, (1,), "F8_E5M2")}, bytes(1)), "is of F8_E5M2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_is_no_whole_file_of_numbers_is_refused_in_one_line(
    attack: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    whole, reason = ATTACKS[attack]
    assert reason in refused(of(tmp_path, whole))
    assert not Path("harm").exists()


def test_no_byte_of_a_header_can_be_changed_into_another_failure(tmp_path: Path) -> None:
    """Whatever a header says, it is read or refused."""
    length = len(SOUND) - sum(array.nbytes for array in ARRAYS.values())
    generator = np.random.default_rng(1)
    for place, byte in zip(generator.integers(0, length, 400), generator.integers(0, 256, 400), strict=True):
        changed = bytearray(SOUND)
        changed[place] = byte
        path = of(tmp_path, bytes(changed))
        try:
            tensor_files.read(path)
        except DataError as error:
            assert str(error).isprintable()


def test_a_place_where_no_file_is_says_how_to_name_one(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    of(tmp_path, SOUND)
    (tmp_path / "link").symlink_to("weights.safetensors")
    reasons = {
        "absent": "does not exist: name a file as this machine sees it",
        "nowhere/absent": "does not exist",
        "fifo": "no regular file; name the file of weights itself",
        "folder": "name the file of weights itself",
        "link": "that no link leads to (Too many levels of symbolic links); name the file of weights itself",
        "nul\0": "name the file of weights itself",
        "long" * 100: "name the file of weights itself",
    }
    for name, reason in reasons.items():
        assert reason in refused(tmp_path / name)
    assert "does not exist" in refused(Path("/data/weights.safetensors"))  # where a container would have it


def test_a_file_larger_than_what_is_read_is_not_begun(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # of which the disk holds nothing
    assert f"has {1 << 40} bytes, and at most {16 << 30} are read" in refused(path)


def test_a_small_file_takes_little_memory_and_one_that_takes_too_much_says_so(tmp_path: Path) -> None:
    small, large = of(tmp_path, SOUND), tmp_path / "large.safetensors"
    with large.open("wb") as file:
        file.truncate(8 << 30)  # of which the disk holds nothing
    with memory_within(1 << 30):
        assert tensor_files.read(small).tensors.keys() == ARRAYS.keys()
        assert "takes more memory than there is: twice its size while it is read; free some" in refused(large)


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(folder: Path, name: str) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tensor_files, "open_beneath", forbidden)
    assert "cannot be read: Permission denied" in refused(of(tmp_path, SOUND))
