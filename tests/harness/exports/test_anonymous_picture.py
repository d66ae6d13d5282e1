"""An anonymous copy keeps what was drawn, without names in it and well formed whatever they are."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as some

from harness.cli import profile_told
from harness.errors import CampaignError
from harness.exports.anonymised import anonymised
from harness.exports.anonymous_picture import MOST_BYTES, of_svg
from harness.records import Profiler
from harness.store import Campaign
from tests.campaigns import Recipe
from tests.profiled import build_profiled
from tests.profiled_within import build_within

HOME = f"{Path('/home')}/alice"
SVG = "{http://www.w3.org/2000/svg}"
TEXTS = some.text(some.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=40)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    """Told on the screen, as suite profile tells it."""
    found = build_within(tmp_path / "c", Recipe(blocks=1), Profiler.CPROFILE, [f"{HOME}/net <b>", f"f{HOME}"])
    profile_told.tell(found.folder)
    return found


@pytest.mark.unhurried
def test_call_graphs_stay_and_name_nobody(campaign: Campaign) -> None:
    (run, *_) = campaign.runs
    drawn = (run.folder / "calls.svg").read_text()
    with anonymised(campaign.folder) as folder:
        copies = {
            one.name: one.read_text() for one in sorted((folder / "runs" / run.folder.name).glob("calls.*"))
        }
    assert list(copies) == ["calls.csv", "calls.dot", "calls.svg"] and "alice" in drawn
    assert not any("alice" in text for text in copies.values())
    kept = ElementTree.fromstring(copies["calls.svg"])
    assert (
        len(list(kept.iter(f"{SVG}path"))) == len(list(ElementTree.fromstring(drawn).iter(f"{SVG}path"))) > 0
    )


@pytest.mark.unhurried
def test_joules_by_stack_stay(tmp_path: Path) -> None:
    campaign = build_profiled(tmp_path / "c", Recipe(blocks=1))
    profile_told.tell(campaign.folder)
    name = Path("runs") / campaign.runs[0].folder.name / "joules.folded"
    with anonymised(campaign.folder) as folder:
        assert (folder / name).read_text() == (campaign.folder / name).read_text()


@given(TEXTS, TEXTS)
def test_it_is_well_formed_whatever_stands_in_it(before: str, after: str) -> None:
    root = ElementTree.Element(f"{SVG}svg", {"class": f"{before}{HOME}"})
    ElementTree.SubElement(root, f"{SVG}text").text = f"{before} {HOME}/x{after}"
    found = of_svg(ElementTree.tostring(root, encoding="utf-8"), {"bob": "user"})
    (text,) = ElementTree.fromstring(found).iter(f"{SVG}text")
    assert "alice/x" not in (text.text or "")


@pytest.mark.unhurried
@pytest.mark.parametrize(
    "content", [b"<svg", b"\xff", b'<!DOCTYPE a [<!ENTITY b "c">]><a/>', b"<a>" * 5000 + b"</a>" * 5000]
)
def test_what_is_no_drawing_of_ours_is_refused_in_one_line(campaign: Campaign, content: bytes) -> None:
    (campaign.runs[0].folder / "calls.svg").write_bytes(content)
    with (
        pytest.raises(CampaignError, match=r"calls\.svg is no call graph of ours .*: remove it"),
        anonymised(campaign.folder),
    ):
        pass


def test_a_drawing_that_is_too_large_is_not_read() -> None:
    with pytest.raises(ValueError, match="so large"):
        of_svg(b" " * (MOST_BYTES + 1), {})
