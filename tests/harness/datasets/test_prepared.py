"""Data sets are prepared whole, checked on every use, and refused by file name and checksum when damaged."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

from harness import paths
from harness.datasets import prepared, source, sources
from harness.errors import DataError
from suite.data import load


def test_every_source_is_found() -> None:
    assert set(sources()) >= {"digits", "mnist", "cifar10", "synthetic-cifar10"}
    assert len(set(sources().values())) == len(sources())


def test_digits_are_the_real_ones_in_the_size_of_mnist(digits: Path) -> None:
    data = load(digits)
    assert data.train["x"].shape == (1437, 28, 28)
    assert data.test["x"].shape == (360, 28, 28)
    assert data.train["x"].dtype == np.uint8
    labels = np.concatenate([data.train["y"], data.test["y"]])
    assert np.array_equal(np.bincount(labels), np.bincount(load_digits().target))


def test_preparing_twice_gives_the_same_bytes(digits: Path, home: Path) -> None:
    again = prepared.prepare(source("digits"), Path())
    for file in digits.iterdir():
        assert (again / file.name).read_bytes() == file.read_bytes()


def test_data_that_are_whole_stay_where_they_are_when_they_are_prepared_again(home: Path) -> None:
    """A campaign under way has them mounted."""
    place = prepared.prepare(source("digits"), Path())
    inode = place.stat().st_ino
    assert prepared.prepare(source("digits"), Path()).stat().st_ino == inode


def test_damaged_data_are_replaced_when_they_are_prepared_again(home: Path) -> None:
    (prepared.prepare(source("digits"), Path()) / "train_x.npy").write_bytes(b"damaged")
    prepared.prepare(source("digits"), Path())
    prepared.verify("digits")


def test_campaigns_that_prepare_the_same_data_at_once_do_not_meet(home: Path) -> None:
    """One that had prepared them took them for missing while another replaced them."""

    def prepare_and_verify(_: int) -> object:
        prepared.prepare(source("digits"), Path())
        return prepared.verify("digits")["name"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(prepare_and_verify, range(24))) == ["digits"] * 24
    assert [one.name for one in paths.data_home().iterdir()] == ["digits"]


def test_a_flipped_byte_in_a_prepared_file_is_found(home: Path) -> None:
    place = prepared.prepare(source("digits"), Path())
    prepared.verify("digits")
    damaged = place / "train_x.npy"
    content = bytearray(damaged.read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(DataError) as caught:
        prepared.verify("digits")
    assert str(damaged) in str(caught.value)
    assert hashlib.sha256(content).hexdigest() in str(caught.value)


def test_other_contents_have_another_checksum(home: Path) -> None:
    assert prepared.content_sha256("digits") is None
    place = prepared.prepare(source("digits"), Path())
    before = prepared.content_sha256("digits")
    assert before and re.fullmatch("[0-9a-f]{64}", before)
    manifest = json.loads((place / "manifest.json").read_text())
    (place / "manifest.json").write_text(json.dumps({**manifest, "title": "other words"}))
    assert prepared.content_sha256("digits") == before
    manifest["arrays"]["test_y"]["sha256"] = "0" * 64
    (place / "manifest.json").write_text(json.dumps(manifest))
    assert prepared.content_sha256("digits") not in (None, before)


def test_what_lies_beside_the_arrays_is_checked_like_them(home: Path) -> None:
    references = prepared.prepare(source("synthetic-translation"), Path()) / "references.txt"
    content = references.read_bytes()
    for harm in (content[:-1], None):
        references.write_bytes(harm) if harm else references.unlink()
        with pytest.raises(
            DataError, match=r"references\.txt is damaged.*suite data fetch synthetic-translation"
        ):
            prepared.verify("synthetic-translation")
        prepared.prepare(source("synthetic-translation"), Path())
        assert references.read_bytes() == content


def test_under_a_private_umask_other_users_can_read_what_is_prepared(home: Path) -> None:
    before = os.umask(0o077)
    try:
        place = prepared.prepare(source("digits"), Path())
    finally:
        os.umask(before)
    assert stat.S_IMODE(place.stat().st_mode) == 0o755
    assert {stat.S_IMODE(path.stat().st_mode) for path in place.iterdir()} == {0o644}
    assert os.geteuid() != 0 or read_as(10001, place) == sum(one.stat().st_size for one in place.iterdir())


def read_as(uid: int, folder: Path) -> int:
    """How many bytes a user reads in a folder that is open to it, as a bind mount is: what lies above is no matter."""
    program = (
        "import os, sys; f = int(sys.argv[1]);"
        "print(sum(len(open(os.open(name, os.O_RDONLY, dir_fd=f), 'rb').read()) for name in os.listdir(f)))"
    )
    opened = os.open(folder, os.O_RDONLY)
    command = ["/usr/bin/env", "python3", "-c", program, str(opened)]
    as_them = {"user": uid, "group": uid, "extra_groups": [], "env": {"PATH": os.defpath}, "cwd": "/"}
    try:
        return int(subprocess.check_output(command, pass_fds=[opened], **as_them))  # type: ignore[call-overload]
    finally:
        os.close(opened)


@pytest.mark.parametrize("victim", ["train_x.npy", "manifest.json"])
def test_a_missing_file_is_found(home: Path, victim: str) -> None:
    (prepared.prepare(source("digits"), Path()) / victim).unlink()
    with pytest.raises(DataError, match="suite data fetch digits"):
        prepared.verify("digits")


def test_a_damaged_manifest_is_found(home: Path) -> None:
    (prepared.prepare(source("digits"), Path()) / "manifest.json").write_text("{")
    with pytest.raises(DataError, match=r"manifest\.json is damaged"):
        prepared.verify("digits")


def test_official_mnist_is_imported(official_mnist: Path, home: Path) -> None:
    data = load(prepared.prepare(source("mnist"), official_mnist))
    assert data.train["x"].shape == (60000, 28, 28)
    assert data.test["y"].shape == (10000,)
    assert np.bincount(data.train["y"]).tolist() == [
        5923,
        6742,
        5958,
        6131,
        5842,
        5421,
        5918,
        6265,
        5851,
        5949,
    ]
    assert data.train["y"][:5].tolist() == [5, 0, 4, 1, 9]


def test_an_official_file_cut_short_leaves_nothing_prepared(
    official_mnist: Path, home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "official"
    shutil.copytree(official_mnist, folder)
    victim = folder / "t10k-labels-idx1-ubyte.gz"
    victim.chmod(0o644)
    victim.write_bytes(victim.read_bytes()[:-7])
    with pytest.raises(DataError) as caught:
        prepared.prepare(source("mnist"), folder)
    assert str(victim) in str(caught.value)
    assert "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6" in str(caught.value)
    assert not prepared.is_prepared("mnist")


def test_a_lone_wrong_file_is_refused_before_it_is_read(home: Path, tmp_path: Path) -> None:
    for file in source("mnist").files:
        (tmp_path / file.name).write_bytes(gzip.compress(b"anything"))
    with pytest.raises(DataError, match="is damaged or another file"):
        prepared.prepare(source("mnist"), tmp_path)
