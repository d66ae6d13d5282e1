"""A run that another campaign made, of the same plan and so under the same name, is not counted as this one's."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import merging, store
from harness.errors import CampaignError
from harness.exports.anonymised import anonymised
from tests.campaigns import Recipe, build
from tests.harness.merging.nodes import change, nodes

Reads = Callable[[Path], object]
IDENTITIES = ("ab" * 16, "cd" * 16)
ANOTHER = "was made by another campaign .2026-01-02-test., and is not read: take its folder away"


def two(tmp_path: Path) -> list[Path]:
    """Of one plan; the same name, as machines have that are told the same -o."""
    return [
        build(tmp_path / name, Recipe(blocks=2, identity=identity, seconds=seconds)).folder
        for name, identity, seconds in zip("ab", IDENTITIES, (3.0, 6.0), strict=True)
    ]


def replaced(folder: Path, by: Path, name: str = "") -> str:
    """One run's folder by another's of that name in the campaign `by`."""
    name = name or sorted(path.name for path in (by / store.RUNS).iterdir())[0]
    shutil.rmtree(folder / store.RUNS / name)
    shutil.copytree(by / store.RUNS / name, folder / store.RUNS / name)
    return name


@pytest.mark.parametrize(
    "read", [store.load_campaign, lambda folder: merging.merge([folder], folder / "all")]
)
def test_a_run_of_another_campaign_is_refused_by_whoever_reads_it(tmp_path: Path, read: Reads) -> None:
    here, there = two(tmp_path)
    name = replaced(here, there)
    with pytest.raises(CampaignError, match=f"run {name} {ANOTHER}"):
        read(here)


@pytest.mark.parametrize("identities", [("", IDENTITIES[1]), (IDENTITIES[0], "")])
def test_one_of_before_and_one_of_now_are_two_campaigns(tmp_path: Path, identities: tuple[str, str]) -> None:
    here, there = (
        build(tmp_path / name, Recipe(blocks=1, identity=one)).folder
        for name, one in zip("ab", identities, strict=True)
    )
    replaced(here, there)
    with pytest.raises(CampaignError, match=ANOTHER):
        store.load_campaign(here)


def test_merged_campaigns_keep_whose_their_runs_are_and_take_no_other(tmp_path: Path) -> None:
    three = [
        change(one, identity=identity)
        for one, identity in zip(nodes(tmp_path, 3), (*IDENTITIES, "ef" * 16), strict=True)
    ]
    for folder, identity in zip(three, (*IDENTITIES, "ef" * 16), strict=True):
        for run in (folder / store.RUNS).iterdir():
            told = json.loads((run / store.RUN_FILE).read_text())
            (run / store.RUN_FILE).write_text(json.dumps({**told, "campaign_identity": identity}))
    both = merging.merge(three[:2], tmp_path / "both")
    of_all = merging.merge([both, three[2]], tmp_path / "all")
    read = store.load_campaign(of_all)
    assert {one.record.campaign_identity for one in read.runs} == {*IDENTITIES, "ef" * 16}
    assert read.record.identity not in {*IDENTITIES, "ef" * 16, ""}
    with anonymised(of_all) as copy:
        assert len(store.load_campaign(copy).runs) == len(read.runs)
    run = next((of_all / store.RUNS).glob("1-*")) / store.RUN_FILE
    run.write_text(run.read_text().replace(IDENTITIES[0], "ef" * 16))
    both_ways: tuple[Reads, ...] = (
        store.load_campaign,
        lambda folder: merging.merge([folder], tmp_path / "again"),
    )
    for reads in both_ways:
        with pytest.raises(CampaignError, match="another campaign"):
            reads(of_all)
