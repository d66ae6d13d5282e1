"""The report says which versions of the suite measured a campaign that another one resumed."""

from __future__ import annotations

from pathlib import Path

from harness.analysis.summary import analyse
from reports.methods import methods
from reports.sections import provenance
from reports.trust import trust
from tests.suite_versions import MESSAGE, from_block, from_the_middle_of_resnet, made


def test_the_report_says_it_where_it_tells_of_trust_of_methods_and_of_provenance(tmp_path: Path) -> None:
    campaign = made(tmp_path, from_the_middle_of_resnet)
    analysis = analyse(campaign)
    words = MESSAGE.format(4)
    (fact,) = (one for one in trust(analysis, campaign) if one.title == "Suite")
    assert (fact.value, fact.grade) == ("2 versions", "doubtful")
    assert words.removeprefix("measured by joulemark") in fact.words and "no verdict where" in fact.words
    assert f"The runs were {words}" in methods(analysis, campaign).text
    rows = {
        row.cells[0].text: row.cells[1].text for row in provenance.view(analysis, campaign)["tables"][0].rows
    }
    assert rows["measured by"] == words.removeprefix("measured by ")


def test_the_trust_box_has_no_word_of_verdicts_that_nothing_withholds(tmp_path: Path) -> None:
    campaign = made(tmp_path, from_block(5))
    (fact,) = (one for one in trust(analyse(campaign), campaign) if one.title == "Suite")
    assert "verdict" not in fact.words
