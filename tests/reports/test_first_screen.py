"""The first screen tells the decided verdicts, all of them and no other, and how far to trust them."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from harness import store
from harness.analysis.narrowed import narrowed
from harness.analysis.narrowing import Narrowing
from harness.analysis.quantities import leads
from harness.analysis.summary import Analysis, analyse
from harness.analysis.withheld import Doubt
from harness.cli.summed_up import in_one_line
from harness.findings.codes import Code
from harness.records import Finding, Outcome
from harness.store import Campaign
from reports.answer import VOID, answer
from reports.render import render
from reports.trust import trust
from reports.trust_fact import DOUBTFUL, SOUND, TrustFact
from tests.campaigns import Recipe, build
from tests.harness.cli.test_documented import taken
from tests.reports.parts_of import panels_of, section_of
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried

WORKS = Recipe(
    frameworks={"torch": 1.0, "tensorflow": 1.5, "jax": 1.01}, blocks=5, noise=0.02, meter="estimate",
    more_workloads=("mnist_mlp", "svm"), stages=("train", "infer"), apart={("mnist_mlp", "jax"): 0.5},
)  # fmt: skip
BUSY = Finding.of(Code.FOREIGN_LOAD, "others kept 0.71 CPUs busy during the run")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return build(tmp_path_factory.mktemp("first") / "c", WORKS)


@pytest.fixture(scope="module")
def found(made: Campaign) -> Analysis:
    return analyse(made)


@pytest.fixture(scope="module")
def shown(made: Campaign) -> Page:
    return Page(render(made))


def matrix(page: Page) -> list[dict[str, str | None]]:
    """The cells of the first screen, each with its attributes."""
    return [attributes for tag, attributes in page.tags if tag == "td" and "data-verdict" in attributes]


def expected(analysis: Analysis) -> Counter[tuple[str, str]]:
    rows = analysis.costs[analysis.costs["quantity"].isin([one.name for one in leads()])]
    rows = rows[rows["treatment"] != rows["reference"]]
    verdicts = [VOID if pd.isna(one) else str(one) for one in rows["verdict"]]
    return Counter(zip(rows["quantity"], verdicts, strict=True))


def test_each_cell_is_the_verdict_of_the_analysis_and_none_is_left_out(shown: Page, found: Analysis) -> None:
    cells = Counter((str(one["data-quantity"]), str(one["data-verdict"])) for one in matrix(shown))
    assert cells == expected(found)
    assert {verdict for _, verdict in cells} >= {"worse", "better", "inconclusive", VOID}


def test_the_sentence_counts_the_cells(shown: Page, found: Analysis) -> None:
    cells = expected(found)
    differ = cells["energy_j", "worse"] + cells["energy_j", "better"]
    assert f"Energy (ESTIMATED): {differ} of 12 ratios differ, " in shown.text
    assert f"{cells['energy_j', 'inconclusive']} too close to tell" in shown.text
    assert f"{cells['energy_j', VOID]} without a verdict" in shown.text


def test_a_cell_has_sign_words_and_interval_and_never_colour_alone(shown: Page, found: Analysis) -> None:
    cells = [cell for row in shown.cells["answer-table"].values() for cell in list(row.values())[1:]]
    glyphs = {"worse:": "▲", "better:": "▼", "inconclusive:": "?", "no verdict:": "⊘"}
    for cell in cells:
        words = next(one for one in glyphs if one in cell.text)
        assert glyphs[words] in cell.text and re.search(r"interval [\d.]+–[\d.]+, 5 blocks", cell.text)


def test_the_interval_of_a_verdict_stands_in_its_cell_and_of_none_where_it_is_withheld(
    shown: Page, found: Analysis
) -> None:
    """Seen by whoever points at nothing: the first number of a cell is its ratio, the next two are its interval."""
    for row, cells in shown.cells["answer-table"].items():
        group = next(one for one in found.groups if row.startswith(f"{one.workload} · {one.stage} "))
        for cost in group.select(found.costs).to_dict("records"):
            if cost["quantity"] in ("energy_j", "duration_s") and cost["treatment"] != cost["reference"]:
                seen = cells[f"{cost['quantity']} {cost['treatment']}"].text.partition(cost["treatment"])[0]
                span = re.search(r"× ?([\d.]+)–([\d.]+)", seen)
                assert (span is not None) == isinstance(cost["verdict"], str), (row, seen)
                if span:
                    assert [float(one) for one in span.groups()] == pytest.approx(
                        [cost["low"], cost["high"]], rel=0.02
                    )


def test_where_a_finding_voids_the_verdict_the_cell_says_which_and_shows_none(shown: Page) -> None:
    void = [
        cell.text
        for row, cells in shown.cells["answer-table"].items()
        for cell in list(cells.values())[1:]
        if row.startswith("svm")
    ]
    assert len(void) == 8 and all("no verdict: one-implementation: " in text for text in void)
    assert not any(word in text for text in void for word in ("▲", "▼", "costs more", "too close"))


def test_no_two_verdicts_on_the_page_on_one_ratio_differ(shown: Page, found: Analysis) -> None:
    """The cells of the first screen, the table of all ratios, the tables and sentences of each work."""
    ratios, compared = shown.cells["ratios-table"], 0
    for index, group in enumerate(found.groups, 1):
        costs, table = group.select(found.costs), shown.cells[f"verdict-table-{index}"]
        work = f"{group.workload} · {group.stage}"
        first = next(row for key, row in shown.cells["answer-table"].items() if key.startswith(f"{work} "))
        for row in costs[costs["quantity"].isin(["energy_j", "duration_s"])].to_dict("records"):
            if row["treatment"] == row["reference"]:
                continue
            word = row["verdict"] if isinstance(row["verdict"], str) else VOID
            told = (
                first[f"{row['quantity']} {row['treatment']}"].text,
                ratios[f"{work} {row['treatment']} {row['quantity']}"]["ratio"].text,
                table[row["treatment"]][row["quantity"]].text,
            )
            assert all(word in text for text in told), (row, told)
            compared += 1
    assert compared == 24


def test_the_cheapest_is_never_told_where_its_verdict_is_open(tmp_path: Path) -> None:
    """A one-sided comparison sees more than a two-sided one: the sentence waits for the verdict."""
    for seed in range(1, 7):
        recipe = Recipe(frameworks={"torch": 1.0, "jax": 0.97}, blocks=4, noise=0.02, seed=seed)
        campaign = build(tmp_path / str(seed), recipe)
        costs, text = analyse(campaign).costs, Page(render(campaign)).text
        told = {
            row["verdict"] for row in costs.to_dict("records")
            if row["quantity"] in ("energy_j", "duration_s") and row["treatment"].startswith("jax")
        }  # fmt: skip
        assert not ("jax 0.10.2 costs least of all" in " ".join(text.split()) and told == {"inconclusive"})


def test_whoever_decides_most_stands_first_and_the_common_reference_has_no_column(found: Analysis) -> None:
    one = answer(found)
    assert one is not None and one.reference == "torch 2.13.0 = 1"
    assert one.treatments == ("tensorflow 2.21.0", "jax 0.10.2")
    sizes = [row.largest for row in one.rows]
    assert sizes == sorted(sizes, reverse=True) and one.rows[0].group.workload == "mnist_mlp"
    assert "(Dunnett)" in one.correction


def test_work_of_which_no_run_counts_is_named_below_and_has_no_row(tmp_path: Path) -> None:
    """As most of what a budget had no time for: rows of dashes tell nothing."""
    made = build(tmp_path / "c", Recipe(more_workloads=("mnist_mlp",), blocks=2))
    for run in made.runs:
        if run.record.planned.treatment.workload == "mnist_mlp":
            shutil.rmtree(run.folder)
    campaign = store.load_campaign(made.folder)
    one, page = answer(analyse(campaign)), Page(render(campaign))
    assert one is not None and {row.group.workload for row in one.rows} == {"mnist_cnn"}
    assert [row.group.workload for row in one.unmeasured] == ["mnist_mlp"] * len(one.unmeasured)
    assert not any(key.startswith("mnist_mlp") for key in page.cells["answer-table"])
    for row in one.unmeasured:
        assert one.labels[row.group] in page.text.partition("Not measured: ")[2].partition(".")[0]


def test_where_all_is_measured_nothing_is_named_below(shown: Page) -> None:
    assert "Not measured:" not in shown.text


@pytest.mark.parametrize(
    "recipe", [Recipe(blocks=0), Recipe(frameworks={"torch": 1.0}), Recipe(frameworks={})]
)
def test_where_nothing_is_compared_there_is_no_matrix(tmp_path: Path, recipe: Recipe) -> None:
    campaign = build(tmp_path / "c", recipe)
    one = answer(analyse(campaign))
    assert one is None or not any(cell.value for row in one.rows for cell in row.cells)


GPU_ALONE = Finding.of(Code.CPU_ENERGY_MISSING, "the energy is the GPU's alone")


SHORT = Finding.of(Code.WINDOW_TOO_SHORT, "the run lasted 0.4 s, less than 1 s")


def fact(folder: Path, title: str, recipe: Recipe) -> TrustFact:
    campaign = build(folder / "c", recipe)
    return next(one for one in trust(analyse(campaign), campaign) if one.title == title)


@pytest.mark.parametrize(
    ("title", "recipe", "value", "grade"),
    [
        ("Energy", Recipe(meter="estimate"), "ESTIMATED", DOUBTFUL),
        ("Energy", Recipe(), "measured", SOUND),
        ("Energy", Recipe(meter=None), "NOT KNOWN", DOUBTFUL),
        ("Energy", Recipe(run_findings=(GPU_ALONE,), findings_every=2), "measured", DOUBTFUL),
        ("Disturbed", Recipe(run_findings=(BUSY,), findings_every=2), "3 of 6 runs", DOUBTFUL),
        ("Too short", Recipe(run_findings=(SHORT,), findings_every=2), "3 of 6 runs", DOUBTFUL),
        ("Disturbed", Recipe(), "0 of 6 runs", SOUND),
        ("Equal work", Recipe(proven=False), "not proven", DOUBTFUL),
        ("Equal work", Recipe(), "proven", SOUND),
        ("Blocks", Recipe(blocks=3), "3", DOUBTFUL),
        ("Blocks", Recipe(blocks=8), "8", SOUND),
        ("Data", Recipe(findings=(Finding.of(Code.SCALED_DOWN, "less"),)), "digits", DOUBTFUL),
    ],
)
def test_what_it_can_be_trusted_for(
    tmp_path: Path, title: str, recipe: Recipe, value: str, grade: str
) -> None:
    one = fact(tmp_path, title, recipe)
    assert (one.value, one.grade) == (value, grade)
    if one.command:
        taken(one.command)
        words = one.command.split()
        assert words[1] != "run" or {"-w", "--all"} & set(words)  # as it would be refused otherwise


@pytest.mark.parametrize("recipe", [Recipe(run_findings=(BUSY,)), Recipe(run_findings=(SHORT,), meter=None)])
def test_of_windows_that_were_long_enough_or_have_no_joules_nothing_is_said(
    tmp_path: Path, recipe: Recipe
) -> None:
    campaign = build(tmp_path / "c", recipe)
    assert "Too short" not in [one.title for one in trust(analyse(campaign), campaign)]


def test_a_machine_that_itself_varied_is_not_ticked_off(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", replace(Recipe(), blocks=10))
    analysis = analyse(campaign)
    doubts = (
        Doubt(Code.CONTROL_UNSTEADY, "why", "control_energy_j", up_to=0.071),
        Doubt(Code.CONTROL_UNSTEADY, "why", "control_duration_s", up_to=0.081),
    )
    (noise,) = (
        one for one in trust(replace(analysis, doubts=doubts), campaign) if one.title == "Noise of a run"
    )
    assert (noise.grade, noise.command) == (DOUBTFUL, "suite doctor")
    assert "energy by 7.1" in noise.words and "time by 8.1" in noise.words


def test_noise_and_the_smallest_difference_are_those_of_the_campaign(tmp_path: Path) -> None:
    quiet = build(tmp_path / "quiet", replace(Recipe(), blocks=10, noise=0.01))
    loud = build(tmp_path / "loud", replace(Recipe(), blocks=10, noise=0.05))
    one, other = (analyse(campaign).outlook for campaign in (quiet, loud))
    assert one.noise["duration_s"] == pytest.approx(0.01, rel=0.5)
    assert other.noise["duration_s"] == pytest.approx(0.05, rel=0.5)
    assert one.smallest["duration_s"] < other.smallest["duration_s"]  # type: ignore[operator]


def test_the_forest_of_all_work_stands_in_the_order_of_the_matrix(made: Campaign, found: Analysis) -> None:
    told, section = answer(found), section_of("overview", found, made)
    assert told is not None and section is not None
    for panel in panels_of(section).values():
        encoding = panel.drawing.spec["layer"][-1]["encoding"]
        assert encoding["y"]["scale"]["domain"] == [told.labels[row.group] for row in told.rows]


def test_what_fetches_a_missing_data_set_is_the_finding_s_own_command(tmp_path: Path) -> None:
    for number, (advice, command) in enumerate(
        {"suite data fetch mnist": "suite data fetch mnist", "rm -rf /": "suite data list"}.items()
    ):
        missing = Finding.of(Code.DATA_NOT_PREPARED, "mnist is not prepared", advice=advice)
        assert fact(tmp_path / str(number), "Data", Recipe(findings=(missing,))).command == command


def test_a_dash_is_in_the_legend_where_a_cell_has_one(tmp_path: Path, shown: Page) -> None:
    failed = {("jax", block): Outcome.FAILED for block in (1, 2, 3)}
    page = Page(render(build(tmp_path / "c", replace(UNEQUAL, outcomes=failed))))
    legend = re.compile(r'<p class="legend">.*?</p>', re.S)
    for one, there in ((page, True), (shown, False)):
        (found,) = legend.findall(one.html)
        assert ("not compared" in found and ">–<" in found) is there
        assert any(cell["data-verdict"] == "not compared" for cell in matrix(one)) is there


UNEQUAL = Recipe(frameworks={"torch": 1.0, "jax": 1.2, "tensorflow": 1.3}, more_workloads=("svm",))


def test_what_is_not_compared_is_counted_as_compare_does(tmp_path: Path) -> None:
    """A framework that a workload has no implementation in is nobody's ratio."""
    failed = replace(UNEQUAL, outcomes={("jax", block): Outcome.FAILED for block in (1, 2, 3)})
    for number, recipe in enumerate((UNEQUAL, failed)):
        analysis = analyse(build(tmp_path / str(number), recipe))
        told, rows = (
            answer(analysis),
            analysis.costs[analysis.costs["treatment"] != analysis.costs["reference"]],
        )
        assert told is not None
        lines = (in_one_line(rows), " ".join(told.sentences))
        screen, page = (re.findall(r"(\d+) not compared", line) for line in lines)
        assert screen == page and bool(page) is (recipe is failed)


def test_where_frameworks_were_left_out_nobody_says_that_one_alone_was_measured(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(more_workloads=("mnist_mlp",)))
    _, less = narrowed(campaign, analyse(campaign), Narrowing(frameworks=("torch",)))
    told = answer(less)
    assert told is None or not told.alone


def test_of_work_that_is_not_shown_no_data_set_is_missed(tmp_path: Path) -> None:
    missing = Finding.of(Code.DATA_NOT_PREPARED, "mnist_mlp runs on digits: mnist is not prepared")
    campaign = build(tmp_path / "c", Recipe(more_workloads=("mnist_mlp",), findings=(missing,)))
    for workload, grade in (("mnist_mlp", DOUBTFUL), ("mnist_cnn", SOUND)):
        less, analysis = narrowed(campaign, analyse(campaign), Narrowing(workloads=(workload,)))
        assert [one.grade for one in trust(analysis, less) if one.title == "Data"] == [grade]
