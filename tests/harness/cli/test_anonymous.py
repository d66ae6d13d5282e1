"""--anonymous: what is sent on tells nobody whose machine it was, in whatever form it is sent."""

from __future__ import annotations

import getpass
import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness import store
from harness.records import Finding
from harness.worker.events import EVENTS_FILE
from tests.campaigns import MACHINE, Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]

UUID = "GPU-5c6de1f0-0000-4000-8000-123456789abc"
PLANTED = {
    "hostname": "planted-host.example.org",
    "machine_id": "5ec7e75ec7e75ec7e75ec7e75ec7e75e",
    "kernel_command_line": "root=/dev/planted1 planted.option=1",
    "serial": "PLANTEDSERIAL",
    "gpus": [{"uuid": UUID, "name": "Example GPU"}],
    "settings": {"swaps": ["/dev/planted2"], "gpus": {UUID: {"power_limit_w": 300}}},
}
SECRETS = [
    "planted", "PLANTED", UUID, "5ec7e75e", "/home/", "plantedproject",
]  # fmt: skip


@pytest.fixture
def campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Identified in every way that records and logs know, by a user named planteduser."""
    monkeypatch.setattr(getpass, "getuser", lambda: "planteduser")
    foreign = Finding(
        code="foreign-gpu-process",
        severity="warning",
        message="others computed on the GPU: plantedproject",
        advice="stop them",
    )
    told = Finding(
        code="x", severity="warning", message=f"{UUID} of planteduser in /home/planteduser/x", advice="y"
    )
    recipe = Recipe(
        machine={**MACHINE, **PLANTED},
        findings=(told, foreign),
        run_findings=(told, foreign),
        isolation="interpreter",
    )
    folder = build(tmp_path / "planteduser-results", recipe).folder
    for path in (folder / store.RUNS).glob("*"):
        (path / store.CONSOLE_FILE).write_text(f"{folder} planteduser {UUID} on planted-host\n")
        event = {"kind": "facts", "t_ns": 1, "path": str(folder), "user": "planteduser"}
        with (path / EVENTS_FILE).open("a") as events:
            events.write(json.dumps(event) + "\n")
        record: dict[str, Any] = json.loads((path / store.RUN_FILE).read_text())
        record["environment"]["interpreter"] = "/opt/planted/bin/python"
        record["conditions"] = {"gpus": [{"uuid": UUID}], "settings": PLANTED["settings"]}
        (path / store.RUN_FILE).write_text(json.dumps(record))
    return folder


def another_session(campaign: Path) -> Path:
    """Of the same machine, on another day."""
    other = shutil.copytree(campaign, campaign.with_name("planteduser-again"))
    for path in (other / store.RUNS).glob(f"*/{store.RUN_FILE}"):
        record: dict[str, Any] = json.loads(path.read_text())
        record["started"] = "2031-05-06T07:08:09+00:00"
        path.write_text(json.dumps(record))
    return other


def found_in(content: bytes) -> list[str]:
    return [secret for secret in SECRETS if secret.encode() in content]


def test_without_it_the_report_tells(suite: Suite, campaign: Path, tmp_path: Path) -> None:
    """So that the tests below look for what would be there."""
    assert suite("report", campaign, "-o", tmp_path / "told.html").code == 0
    assert len(found_in((tmp_path / "told.html").read_bytes())) >= 4


def test_the_report_tells_nothing(suite: Suite, campaign: Path, tmp_path: Path) -> None:
    assert suite("report", campaign, "--anonymous", "-o", tmp_path / "r.html").code == 0
    page = (tmp_path / "r.html").read_bytes()
    assert found_in(page) == []
    assert b"Example CPU" in page
    assert b"Example GPU" in page


def test_the_bundle_tells_nothing_and_makes_its_report_again(
    suite: Suite, campaign: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert suite("export", campaign, "--format", "bundle", "--anonymous", "-o", out).code == 0
    (bundle,) = out.iterdir()
    assert found_in(bundle.name.encode()) == []
    assert found_in(gzip.decompress(bundle.read_bytes())) == []
    again = suite("report", bundle, "-o", tmp_path / "again.html")
    assert (again.code, "the same bytes" in again.out) == (0, True)


@pytest.mark.parametrize("form", ["csv", "json", "latex"])
def test_the_tables_tell_nothing(suite: Suite, campaign: Path, tmp_path: Path, form: str) -> None:
    out = tmp_path / "out"
    assert suite("export", campaign, "--format", form, "--anonymous", "-o", out).code == 0
    assert len(list(out.iterdir())) >= 1
    assert {path.name: found_in(path.read_bytes()) for path in out.iterdir()} == {
        path.name: [] for path in out.iterdir()
    }


def test_the_campaign_itself_stays_as_it_is(suite: Suite, campaign: Path, tmp_path: Path) -> None:
    def content() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in campaign.rglob("*") if path.is_file()}

    before = content()
    suite("report", campaign, "--anonymous", "-o", tmp_path / "r.html")
    suite("export", campaign, "--format", "bundle", "--anonymous", "-o", tmp_path / "out")
    assert content() == before


def test_nobody_knows_whether_an_anonymous_machine_is_the_same(
    suite: Suite, refused: Callable[..., str], campaign: Path, tmp_path: Path
) -> None:
    suite("export", campaign, "--format", "bundle", "--anonymous", "-o", tmp_path / "out")
    (bundle,) = (tmp_path / "out").iterdir()
    words = ("report", campaign, "--compare", bundle, "-o", tmp_path / "r.html")
    assert "one of them is anonymous" in refused(*words)
    assert suite(*words, "--across-machines").code == 0
    same = (
        "report",
        campaign,
        "--compare",
        another_session(campaign),
        "--anonymous",
        "-o",
        tmp_path / "s.html",
    )
    assert suite(*same).code == 0
    assert b"ran on different machines" not in (tmp_path / "s.html").read_bytes()


@pytest.mark.parametrize("command", ["report", "export"])
def test_what_a_link_leads_to_is_not_sent_on(
    refused: Callable[..., str], campaign: Path, tmp_path: Path, command: str
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "token.json").write_text('{"secret": 1}')
    shutil.rmtree(campaign / "baselines")
    (campaign / "baselines").symlink_to(tmp_path / "secret")
    out = ("-o", tmp_path / "out") if command == "report" else ("--format", "csv", "-o", tmp_path / "out")
    assert "is not read" in refused(command, campaign, "--anonymous", *out)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("content", [b"[" * 200_000, b"\xff", b"{"])
def test_what_is_no_json_is_one_line(
    refused: Callable[..., str], campaign: Path, tmp_path: Path, content: bytes
) -> None:
    (campaign / "more.json").write_bytes(content)
    assert "more.json is no JSON" in refused("report", campaign, "--anonymous", "-o", tmp_path / "out")
