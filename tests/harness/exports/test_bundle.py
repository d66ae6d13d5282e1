"""A bundle: the same bytes every time, whole or refused, and the report within comes out of it again."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import CampaignError
from harness.exports.bundle import SUMS_FILE, Origin, write_bundle
from harness.exports.unbundle import made_otherwise, opened
from harness.store import Campaign, load_campaign
from tests.campaigns import Recipe, build

Change = Callable[[list[tuple[tarfile.TarInfo, bytes]]], None]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return build(tmp_path_factory.mktemp("bundle") / "c", Recipe(blocks=1))


@pytest.fixture
def bundle(campaign: Campaign, tmp_path: Path) -> Path:
    write_bundle(campaign.folder, "<page>", Origin(None, None), tmp_path / "c.tar.gz")
    return tmp_path / "c.tar.gz"


def repacked(bundle: Path, change: Change) -> Path:
    """The bundle with its members changed, and its sums left as they were."""
    with tarfile.open(bundle) as archive:
        members = [(one, archive.extractfile(one).read()) for one in archive]  # type: ignore[union-attr]
    change(members)
    with tarfile.open(bundle, "w:gz") as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return bundle


def test_it_holds_every_run_and_any_shell_can_check_it(
    bundle: Path, campaign: Campaign, tmp_path: Path
) -> None:
    with tarfile.open(bundle) as archive:
        archive.extractall(tmp_path / "out", filter="data")
    folder = tmp_path / "out" / "c"
    done = subprocess.run(
        ["sha256sum", "-c", SUMS_FILE], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert [run.record for run in load_campaign(folder).runs] == [run.record for run in campaign.runs]
    assert (folder / "report.html").read_text() == "<page>"


def test_the_same_campaign_gives_the_same_bytes_whenever_it_is_bundled(
    campaign: Campaign, bundle: Path
) -> None:
    first = bundle.read_bytes()
    for path in campaign.folder.rglob("*"):
        os.utime(path, (1, 1))
    write_bundle(campaign.folder, "<page>", Origin(None, None), bundle)
    assert bundle.read_bytes() == first


def test_what_is_derived_or_unfinished_stays_outside(campaign: Campaign, bundle: Path) -> None:
    for name in ("runs.csv", "unfinished/half.json", "states/weights.npz"):
        (campaign.folder / name).write_text("x")
    write_bundle(campaign.folder, "<page>", Origin(None, None), bundle)
    with tarfile.open(bundle) as archive:
        tops = {name.split("/")[1] for name in archive.getnames()}
    assert tops == {"campaign.json", "runs", "report.html", "report.json", SUMS_FILE}


def altered(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    member, content = members[0]
    members[0] = member, content[:-1] + bytes([content[-1] ^ 1])


def removed(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    del members[2]


def added(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members.append((tarfile.TarInfo("c/runs/more.json"), b"{}"))


def climbing(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members.append((tarfile.TarInfo("c/../../out.json"), b"{}"))


def linked(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    link = tarfile.TarInfo("c/runs/link")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    members.append((link, b""))


def without_sums(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members[:] = [one for one in members if not one[0].name.endswith(SUMS_FILE)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (altered, "was altered"), (removed, "was altered"), (added, "was altered"),
        (climbing, "which is no file of a campaign"), (linked, "which is no file of a campaign"),
        (without_sums, f"has no {SUMS_FILE}"),
    ],
)  # fmt: skip
def test_what_was_tampered_with_is_refused(bundle: Path, change: Change, words: str) -> None:
    with pytest.raises(CampaignError, match=words), opened(repacked(bundle, change)):
        pass
    assert not list(bundle.parent.glob("out.json"))


@pytest.mark.parametrize(
    "content", [b"", b"no archive", gzip.compress(b"no archive"), b"\x1f\x8b\x08rubbish"]
)
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.tar.gz").write_bytes(content)
    with pytest.raises(CampaignError, match="is not a"), opened(tmp_path / "c.tar.gz"):
        pass


def test_half_a_download_is_refused(bundle: Path) -> None:
    bundle.write_bytes(bundle.read_bytes()[:-2000])
    with pytest.raises(CampaignError, match="is not a whole bundle"), opened(bundle):
        pass


def test_the_software_that_differs_is_named(bundle: Path) -> None:
    with opened(bundle) as folder:
        assert made_otherwise(folder) == []
        file = folder / "report.json"
        file.write_text(file.read_text().replace('"altair": "', '"altair": "9'))
        (said,) = made_otherwise(folder)
        assert said.startswith("altair 9") and json.loads(file.read_text())["margin"] is None


def test_nothing_is_left_behind(bundle: Path) -> None:
    with opened(bundle) as folder:
        assert hashlib.sha256((folder / "campaign.json").read_bytes()).hexdigest()
    assert not folder.exists()
