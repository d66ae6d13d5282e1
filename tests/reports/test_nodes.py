"""The section of nodes: which machines there are, each one's own ratios, and how much they differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness import merging, store
from harness.analysis.summary import Analysis, analyse
from harness.store import Campaign
from reports.render import render
from reports.sections.nodes import MOST
from tests.campaigns import Recipe, build
from tests.harness.merging.nodes import PLAN, later, node
from tests.reports.parts_of import page_of, section_of
from tests.reports.scrape import Page


def merged(place: Path, factors: tuple[float, ...] = (1.2, 1.3, 1.4), recipe: Recipe = PLAN) -> Campaign:
    folders = [
        node(
            place / f"n{number}",
            number,
            replace(recipe, frameworks={"torch": 1.0, "jax": factor}, noise=0.003),
        )
        for number, factor in enumerate(factors, 1)
    ]
    return store.load_campaign(merging.merge(folders, place / "all"))


def section(campaign: Campaign) -> tuple[Page, Analysis]:
    analysis = analyse(campaign)
    found = section_of("nodes", analysis, campaign)
    assert found is not None
    return page_of(found), analysis


def test_a_campaign_of_one_machine_has_no_such_section(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", PLAN)
    assert section_of("nodes", analyse(campaign), campaign) is None


def test_every_machine_and_its_own_ratios_are_told(tmp_path: Path) -> None:
    page, analysis = section(merged(tmp_path))
    assert [row["node"].text for row in page.cells["sources"].values()] == ["1", "2", "3"]
    own = analysis.apart.own.set_index(["quantity", "number"])["ratio"]
    for number in (1, 2, 3):
        told = page.value("own-ratios-1", str(number), "duration_s jax 0.10.2")
        assert told == pytest.approx(own["duration_s", number], rel=1e-12)
        assert told == pytest.approx(1.1 + 0.1 * number, rel=0.02)
    assert "the 3 nodes differ, by a standard deviation of" in page.text
    assert page.value("heterogeneity-1", "duration_s jax 0.10.2", "p") < 0.05


def test_nodes_that_are_alike_are_never_called_equal(tmp_path: Path) -> None:
    page, _ = section(merged(tmp_path, (1.2, 1.2, 1.2)))
    assert "which does not make them equal" in page.text and "the 3 nodes differ" not in page.text


def test_different_hardware_is_said_before_any_number(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), node(tmp_path / "b", 2, cpu_model="Another CPU")]
    page, _ = section(store.load_campaign(merging.merge(given, tmp_path / "all", different_hardware=True)))
    assert "The nodes are of different hardware" in page.text and "node 2: Another CPU" in page.text


def test_one_session_of_one_machine_is_told_as_one_campaign(tmp_path: Path) -> None:
    given = [node(tmp_path / "a", 1), later(node(tmp_path / "b", 1), 3600)]
    page, analysis = section(store.load_campaign(merging.merge(given, tmp_path / "all")))
    assert "measured in one session of one machine" in page.text
    assert set(analysis.costs["over"].dropna()) == {"blocks"}


def test_verdicts_and_tests_name_what_they_are_over(tmp_path: Path) -> None:
    html = render(merged(tmp_path))
    page = Page(html)
    assert "3 nodes)" in page.text and "Without any one node" in page.text
    assert "Nodes" in page.headers["statistics-1"] and "on 3 nodes, each with: Example CPU" in page.text


@pytest.mark.unhurried
def test_of_many_nodes_those_that_lie_furthest_out_are_shown(tmp_path: Path) -> None:
    number = MOST + 4
    page, _ = section(
        merged(tmp_path, tuple(1 + 0.02 * n for n in range(number)), replace(PLAN, blocks=1, control_s=None))
    )
    shown = [int(name) for name in page.cells["own-ratios-1"]]
    assert shown == [*range(1, MOST // 2 + 1), *range(number - MOST // 2 + 1, number + 1)]
    assert "4 more are in the exports" in page.text
