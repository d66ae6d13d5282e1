"""A bundle: the same bytes every time, whole or refused, and the report within comes out of it again."""

from __future__ import annotations

import errno
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

from harness.errors import CampaignError, UnsafeFile
from harness.exports import unbundle
from harness.exports.bundle import SUMS_FILE, Origin, write_bundle
from harness.exports.unbundle import made_otherwise, opened, origin
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
    assert tops == {"campaign.json", "conformance.json", "runs", "report.html", "report.json", SUMS_FILE}


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


def twice(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members.append(members[0])


def one_in_the_way_of_another(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    members.append((tarfile.TarInfo("c/campaign.json/more"), b""))


def device(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    null = tarfile.TarInfo("c/runs/null")
    null.type, null.devmajor, null.devminor = tarfile.CHRTYPE, 1, 3
    members.append((null, b""))


def hard_linked(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    link = tarfile.TarInfo("c/runs/link")
    link.type, link.linkname = tarfile.LNKTYPE, "c/campaign.json"
    members.append((link, b""))


def named(name: str) -> Change:
    def change(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
        members.append((tarfile.TarInfo(name), b"x"))

    return change


def with_pax(**headers: str) -> Change:
    def change(members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
        member = tarfile.TarInfo("c/runs/more.json")
        member.pax_headers = {name.replace("_", "."): text for name, text in headers.items()}
        members.append((member, b"x"))

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (altered, "was altered"), (removed, "was altered"), (added, "was altered"),
        (climbing, "which is no file of a campaign"), (linked, "which is no file of a campaign"),
        (hard_linked, "which is no file of a campaign"), (device, "which is no file of a campaign"),
        (named("/etc/joulemark"), "which is no file of a campaign"), (named("c"), "which is no file of a campaign"),
        (named("c/\x1b[2J"), "which is no file of a campaign"), (named("c/a\\b"), "which is no file of a campaign"),
        (named("c/" + "a" * 600), "which is no file of a campaign"), (named("c/" + "a/" * 9 + "b"), "no file of"),
        (with_pax(GNU_sparse_size="1000000000000"), "no file of"), (with_pax(comment="x"), "no file of"),
        (with_pax(comment="x" * 70_000), "more than the 65536 that a header may have"),
        (twice, "twice"), (one_in_the_way_of_another, "is not a whole bundle"),
        (without_sums, f"has no {SUMS_FILE}"),
    ],
)  # fmt: skip
def test_what_was_tampered_with_is_refused(bundle: Path, change: Change, words: str) -> None:
    with pytest.raises(CampaignError, match=words) as caught, opened(repacked(bundle, change)):
        pass
    assert "\n" not in str(caught.value) and "\x1b" not in str(caught.value)
    assert not list(bundle.parent.glob("out.json"))


def packed(path: Path, *headers: bytes) -> Path:
    path.write_bytes(gzip.compress(b"".join(headers) + bytes(1024)))
    return path


def header(name: str, size: int, kind: bytes = tarfile.REGTYPE) -> bytes:
    member = tarfile.TarInfo(name)
    member.size, member.type = size, kind
    return member.tobuf(tarfile.GNU_FORMAT)


def test_a_few_bytes_that_unpack_to_many_are_refused_before_they_fill_the_disk(tmp_path: Path) -> None:
    bomb, zeros = tmp_path / "c.tar.gz", bytes(1 << 20)
    with gzip.open(bomb, "wb") as file:
        file.write(header("c/campaign.json", 1 << 30))
        for _ in range(128):
            file.write(zeros)
    with pytest.raises(CampaignError, match="unpacks to more than the 67108864 bytes"), opened(bomb):
        pass


@pytest.mark.parametrize(
    "kind", [tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_SPARSE]
)
@pytest.mark.parametrize("size", [1 << 33, -1])
def test_a_header_that_claims_a_size_is_not_believed(tmp_path: Path, kind: bytes, size: int) -> None:
    bomb = packed(tmp_path / "c.tar.gz", header("c/x", size, kind))
    with pytest.raises(CampaignError, match="is not a"), opened(bomb):
        pass


def test_headers_of_headers_without_end_are_refused(tmp_path: Path) -> None:
    bomb = packed(tmp_path / "c.tar.gz", *[header("c/x", 0, tarfile.XHDTYPE)] * 20_000)
    with pytest.raises(CampaignError, match="is not a whole bundle"), opened(bomb):
        pass


def test_files_without_end_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unbundle, "MOST_MEMBERS", 3)
    bomb = packed(tmp_path / "c.tar.gz", *[header(f"c/{number}", 0) for number in range(5)])
    with pytest.raises(CampaignError, match="'c/3' beyond the 3 files that are read"), opened(bomb):
        pass


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"{}", b"[" * 100_000, b"\xff", b'{"reference": 5, "margin": null}', b'{"reference": null}',
        b'{"reference": null, "margin": 1e400}', b'{"reference": null, "margin": -1}',
        b'{"reference": null, "margin": null, "software": {"numpy": 2}}',
    ],
)  # fmt: skip
def test_a_damaged_origin_is_one_line(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "report.json").write_bytes(text)
    with pytest.raises(CampaignError, match=r"report\.json (cannot be read|is not valid)") as caught:
        origin(tmp_path)
    assert "\n" not in str(caught.value)


def link_to_a_secret(runs: Path, secret: Path) -> None:
    (runs / "0009-more").mkdir()
    (runs / "0009-more" / "console.log").symlink_to(secret / "shadow")


def link_to_a_folder(runs: Path, secret: Path) -> None:
    (runs / "0009-more").symlink_to(secret)


def runs_elsewhere(runs: Path, secret: Path) -> None:
    runs.rename(secret / "runs")
    runs.symlink_to(secret / "runs")


def record_elsewhere(runs: Path, secret: Path) -> None:
    (runs.parent / "more.json").symlink_to(secret / "shadow")


def fifo(runs: Path, secret: Path) -> None:
    os.mkfifo(runs / "console.log")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "plant", [link_to_a_secret, link_to_a_folder, runs_elsewhere, record_elsewhere, fifo]
)
def test_nothing_that_a_link_leads_to_is_packed(tmp_path: Path, plant: Callable[[Path, Path], None]) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "shadow").write_text("root's")
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    plant(campaign.folder / "runs", tmp_path / "secret")
    with pytest.raises(UnsafeFile, match="is not read"):
        write_bundle(campaign.folder, "<page>", Origin(None, None), tmp_path / "c.tar.gz")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "secret"]


@pytest.mark.parametrize(
    "content",
    [b"", b"no archive", gzip.compress(b"no archive", mtime=0), b"\x1f\x8b\x08rubbish"],
    ids=["nothing", "no archive", "a compressed one", "rubbish that begins as one"],
)
def test_what_is_no_bundle_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "c.tar.gz").write_bytes(content)
    with pytest.raises(CampaignError, match="is not a"), opened(tmp_path / "c.tar.gz"):
        pass


def test_half_a_download_is_refused(bundle: Path) -> None:
    bundle.write_bytes(bundle.read_bytes()[:-2000])
    with pytest.raises(CampaignError, match="is not a whole bundle"), opened(bundle):
        pass


def test_a_disk_without_room_is_not_the_bundle_s_fault(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(unbundle, "_extract", full)
    told = r"cannot be unpacked in .*: No space left on device; TMPDIR names another folder"
    with pytest.raises(CampaignError, match=told), opened(bundle):
        pass


def test_the_software_that_differs_is_named(bundle: Path) -> None:
    with opened(bundle) as folder:
        assert made_otherwise(folder) == []
        file = folder / "report.json"
        file.write_text(file.read_text().replace('"jinja2": "', '"jinja2": "9'))
        (said,) = made_otherwise(folder)
        assert said.startswith("jinja2 9") and json.loads(file.read_text())["margin"] is None


def test_nothing_is_left_behind(bundle: Path) -> None:
    with opened(bundle) as folder:
        assert hashlib.sha256((folder / "campaign.json").read_bytes()).hexdigest()
    assert not folder.exists()


def test_sums_of_more_files_than_a_bundle_holds_are_refused_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / SUMS_FILE).write_text("\n" * 11)
    monkeypatch.setattr(unbundle, "MOST_MEMBERS", 10)
    with pytest.raises(CampaignError, match="names more files than a bundle holds"):
        unbundle._require_sums(Path("b"), tmp_path, {SUMS_FILE: ""})
