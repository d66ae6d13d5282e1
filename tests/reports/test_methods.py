"""The text for a paper says what the records say, what they leave open is unknown, and it cites what can be cited."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness import paths
from harness.analysis.adaptive import declare
from harness.analysis.summary import analyse
from harness.planning import plan_files
from harness.records import CoolDown, Outcome
from harness.store import Campaign
from reports import citations
from reports.citations import STUDIES, software_version, suite_entry
from reports.methods import Methods, methods
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.conftest import HOSTILE
from tests.reports.scrape import Page

TWO = Recipe(blocks=2, meter="estimate", outcomes={("torch", 2): Outcome.FAILED})


def told(campaign: Campaign) -> Methods:
    found = methods(analyse(campaign), campaign)
    assert found is not None
    return found


def changed(campaign: Campaign, plan: dict[str, Any] | None = None, **record: Any) -> Campaign:
    kept = campaign.record.model_copy(update=record)
    return replace(campaign, record=kept.model_copy(update={"plan": kept.plan.model_copy(update=plan or {})}))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return build(tmp_path_factory.mktemp("methods") / "c", TWO)


def test_it_says_what_the_records_say(made: Campaign) -> None:
    text = told(made).text
    for words in (
        "We measured mnist_cnn on digits (train) with torch 2.13.0 and tensorflow 2.21.0",
        "campaign 2026-01-02-test, created 2026-01-02T03:04:05+00:00",
        f"Joulemark {software_version()} [joulemark]",
        "2 blocks, each with every treatment once in an order drawn at random with the seed 1",
        "3 measured runs counted, 1 excluded as failed or invalid",
        "Energy is ESTIMATED from CPU time (10 W idle + 8 W per busy CPU), not measured.",
        "estimate/cpu (cpu_model, ESTIMATED), read about every 100 ms",
        "Joules are gross",
        "ratios to torch 2.13.0, paired within blocks",
        "lie within 2 % of 1",
        "CPU Example CPU @ 3.0 GHz, logical CPUs 8, memory 16.0 GB",
        "torch 2.13.0 (Python 3.11.9, its lock's SHA-256 abababababab",
        "digits (SHA-256 efefefefefef)",
        "sources is cdcdcdcdcdcd.",
    ):
        assert words in text
    assert len(told(made).paragraphs) == 5


def test_what_no_record_tells_is_unknown(made: Campaign) -> None:
    bare = changed(made, {"seed": None, "baseline_s": None}, machine={}, datasets={}, suite_sha256="")
    text = told(bare).text
    for words in (
        "CPU unknown, logical CPUs unknown, memory unknown, operating system unknown, kernel unknown",
        "virtual machine unknown", "digits (checksum unknown)", "sources is unknown", "an unknown seed",
        "Whether the idle machine was sampled is unknown.",
    ):  # fmt: skip
        assert words in text


def test_the_protocol_is_told_as_far_as_it_was_asked_for(made: Campaign) -> None:
    assert "No cool-down was asked for" in told(made).text and "pause" not in told(made).text
    asked = {
        "cool_down": CoolDown(at_most_s=300.0), "idle_s": 60.0, "warm_up_s": 300.0, "retries": 1,
        "rehearse": True, "control_rounds": 5, "baseline_s": 30.0,
    }  # fmt: skip
    text = told(changed(made, asked)).text
    for words in (
        "within 5 % of its idle power and 3 K of its idle temperatures for 10.0 s, which was waited for 300 s",
        "a pause of 60.0 s", "Runs of 300 s warmed the machine up", "repeated once at the end of its block",
        "read once before anything was measured", "opened each block as a control", "sampled for 30.0 s",
    ):  # fmt: skip
        assert words in text


def test_a_campaign_by_turns_claims_no_blocks_of_everything(made: Campaign) -> None:
    until = declare(made.record.plan.treatments, 0.02, 10)
    text = told(
        changed(made, {"turns": ("mnist_cnn",), "until": until, "repetitions": 10, "baseline_s": 3.0})
    ).text
    for words in (
        "at most 10 blocks of each work, as far as a stated time reached", "the first block of each number",
        "two one-sided tests at that error", "all looks at one ratio err together in",
    ):  # fmt: skip
        assert words in text
    assert "each with every treatment once" not in text


def test_of_a_campaign_that_ended_early_it_says_how_many_blocks_were_made(made: Campaign) -> None:
    assert "; 2 of the 10 were made" in told(changed(made, {"repetitions": 10})).text
    assert "were made" not in told(made).text


def test_the_version_that_began_it_is_told_where_it_is_known(made: Campaign) -> None:
    record = made.record.model_copy(update={"made_by": "0.1.0 (commit 8dfc059ab012)"})
    assert (
        "joulemark 0.1.0 (commit 8dfc059ab012) began the campaign" in told(replace(made, record=record)).text
    )
    assert "Which version of the suite measured is unknown" in told(made).text


def test_of_imported_runs_nobody_claims_a_protocol(made: Campaign) -> None:
    text = told(changed(made, isolation="imported")).text
    assert text.startswith("Other tools measured")
    assert "How these runs were ordered, cooled down and limited is unknown here." in text
    assert "its description is unknown here" in text and "seed" not in text and "We " not in text


def test_where_nothing_is_compared_no_statistics_are_claimed(tmp_path: Path) -> None:
    text = told(build(tmp_path / "c", Recipe(frameworks={"torch": 1.0}, blocks=2))).text
    assert "Nothing is compared" in text and "interval" not in text and "proven" not in text
    assert "Energy is measured by RAPL" in text and "ESTIMATED" not in text


def test_without_a_run_that_counts_there_is_no_text(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=0))
    assert methods(analyse(campaign), campaign) is None
    assert citations.TITLE not in render(campaign)


def test_a_study_is_cited_where_the_plan_follows_one_and_nowhere_else(made: Campaign) -> None:
    assert told(made).bibtex == suite_entry()
    for name, study in STUDIES.items():
        found = told(changed(made, {"profile": name}))
        assert f"follows {study.words}" in found.text
        assert (study.bibtex in found.bibtex) and (f"[{study.key}]" in found.text) == bool(study.key)
    own = told(changed(made, {"profile": "my/icse22.toml"}))
    assert "Georgiou" not in own.text + own.bibtex


def test_every_plan_of_a_study_has_its_citation() -> None:
    of_studies = {name for name in plan_files.names() if re.search(r"\d\d$", name)}
    assert of_studies == set(STUDIES)


def test_the_entries_are_those_of_the_citation_file() -> None:
    cff = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text())
    entry = suite_entry()
    for value in (cff["title"], cff["authors"][0]["name"]):
        assert f"{{{{{value}}}}}" in entry
    assert cff["license"] in entry and cff["version"] == software_version()
    assert f"version = {{{cff['version']}}}" in entry
    (paper,) = cff["references"]
    names = " and ".join(f"{one['family-names']}, {one['given-names']}" for one in paper["authors"])
    for value in (paper["title"], names, str(paper["year"]), paper["doi"], paper["collection-title"]):
        assert f"{{{value}}}" in STUDIES["icse22"].bibtex


def test_the_page_has_both_texts(made: Campaign) -> None:
    text = Page(render(made)).text
    found = told(made)
    assert found.text in text and found.bibtex in text


def test_a_strangers_words_stay_words_on_one_line(made: Campaign) -> None:
    strange = changed(
        made,
        isolation=HOSTILE,
        campaign_id=f"a\n\nb{HOSTILE}",
        machine={"cpu_model": HOSTILE, "gpus": [3, {}]},
    )
    text = told(strange).text
    assert len(text.split("\n\n")) == 5
    assert not [one for one in text if one != "\n" and unicodedata.category(one) in ("Cc", "Cf")]
