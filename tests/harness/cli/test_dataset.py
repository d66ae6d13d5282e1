"""suite export --format dataset: parts of many campaigns beside each other, none in the way of a run's folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness import store
from tests.campaigns import Recipe, build
from tests.harness.cli.conftest import Answer

FORM = ("--format", "dataset")


def test_two_campaigns_lie_beside_each_other(suite: Callable[..., Answer], tmp_path: Path) -> None:
    for name, blocks in (("a", 1), ("b", 2)):
        build(tmp_path / name, Recipe(blocks=blocks))
        assert suite("export", tmp_path / name, *FORM, "-o", tmp_path / "all").code == 0
    assert len(list((tmp_path / "all" / "runs").glob("campaign=*/node=1/part.parquet"))) == 2


def test_in_the_campaign_it_has_a_folder_of_its_own(suite: Callable[..., Answer], tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    answer = suite("export", campaign.folder, *FORM)
    assert answer.code == 0 and answer.out.count(f"{campaign.folder}/dataset/") == answer.out.count("\n")
    assert len(store.load_campaign(campaign.folder).runs) == len(campaign.runs)


def test_a_link_in_its_place_is_not_followed(refused: Callable[..., str], tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1))
    (tmp_path / "elsewhere").mkdir()
    (campaign.folder / "dataset").symlink_to(tmp_path / "elsewhere")
    assert "it is a link" in refused("export", campaign.folder, *FORM)
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_part_of_a_campaign_does_not_take_the_place_of_all_of_it(
    suite: Callable[..., Answer], refused: Callable[..., str], tmp_path: Path
) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=1)).folder
    assert suite("export", folder, *FORM, "-o", tmp_path / "all").code == 0
    (part,) = (tmp_path / "all" / "runs").rglob("part.parquet")
    before = part.read_bytes()
    assert "leave out -w, -f and -s" in refused(
        "export", folder, *FORM, "-f", "torch", "-o", tmp_path / "all"
    )
    assert part.read_bytes() == before
