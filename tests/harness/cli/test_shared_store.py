"""Campaigns of several machines by way of a store that they share: put once, merged from there, checked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.exports.bundle import Origin, write_bundle
from harness.files import object_store
from tests.harness.cli.conftest import Answer
from tests.harness.merging.nodes import node, sums

Suite = Callable[..., Answer]
pytestmark = pytest.mark.unhurried


@pytest.fixture
def machines(tmp_path: Path) -> list[Path]:
    """Each calls its campaign the same."""
    return [node(tmp_path / f"machine{number}" / "study", number) for number in (1, 2)]


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Of a folder in the store."""
    return f"file://{tmp_path}/bucket/study"


def put(machine: Path, url: str) -> str:
    """As suite export does, but for the report, which takes its time."""
    bundle = machine.with_name(f"{machine.parent.name}.tar.gz")
    write_bundle(machine, "", Origin(None, None), bundle)
    object_store.put_new(bundle, f"{url}/{bundle.name}")
    return f"{url}/{bundle.name}"


def test_what_each_machine_put_there_is_merged_as_if_it_lay_here(
    machines: list[Path], url: str, suite: Suite, tmp_path: Path
) -> None:
    put(machines[1], url)
    answer = suite("export", machines[0], "--format", "bundle", "-o", url)
    assert answer.code == 0, answer.err
    assert f"{url}/study-" in answer.out
    assert "it was there already" in suite("export", machines[0], "--format", "bundle", "-o", url).out
    bundles = sorted((tmp_path / "bucket" / "study").iterdir())
    assert len(bundles) == 2
    for number, words in enumerate((machines, [url], bundles)):
        answer = suite("merge", *words, "-o", tmp_path / str(number) / "all")
        assert answer.code == 0, answer.err
    assert sums(tmp_path / "0" / "all") == sums(tmp_path / "1" / "all") == sums(tmp_path / "2" / "all")


def test_half_a_bundle_is_never_taken(
    machines: list[Path], url: str, refused: Callable[..., str], tmp_path: Path
) -> None:
    first, _ = (put(one, url) for one in machines)
    half = Path(first.removeprefix("file://"))
    half.write_bytes(half.read_bytes()[:-100])
    assert f"{first} is not a whole bundle" in refused("merge", url, "-o", tmp_path / "all")
    half.unlink()
    assert "at least two" in refused("merge", url, "-o", tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_mistakes_name_the_bundle_and_not_where_it_was_unpacked(
    machines: list[Path], url: str, refused: Callable[..., str], tmp_path: Path
) -> None:
    first = put(machines[0], url)
    twice = refused("merge", url, machines[0], "-o", tmp_path / "all")
    assert "hold the same runs" in twice
    assert first in twice
    assert "only a bundle goes to a URL" in refused("export", machines[0], "--format", "csv", "-o", url)
    assert "does not exist" in refused("merge", f"{url}/none.tar.gz", "-o", tmp_path / "all")
    assert "is not understood" in refused("merge", "nonsense://x", machines[0], "-o", tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_a_short_name_of_one_s_own_is_no_part_of_the_words_around_it(
    refused: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused("merge", "n/", "./e", "-o", "all") == (
        "suite: n does not exist (suite run writes campaigns)\n"
    )


def test_what_cannot_end_well_is_refused_before_anything_is_made_or_fetched(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    nothing = tmp_path / "nothing"
    told = refused("export", nothing, "--format", "bundle", "-o", "simplecache::memory://shared")
    assert "is not written to" in told
    told = refused("export", nothing, "--format", "bundle", "-o", "memory://shared")
    assert "memory://shared is in this program's memory, and gone when it ends" in told
    (taken := tmp_path / "all").mkdir()
    (taken / "mine").touch()
    assert "is not empty" in refused("merge", f"file://{nothing}", "-o", taken)
