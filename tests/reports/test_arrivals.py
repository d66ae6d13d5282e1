"""The section on requests that arrive: joules of each over what its user waits, a line over the loads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from harness.analysis.compare import geometric_mean
from harness.analysis.summary import analyse
from tests.campaigns import build
from tests.harness.analysis.test_arrivals import ANSWERS
from tests.harness.analysis.test_serving import GENERATES
from tests.reports.parts_of import numbers_in, page_of, panels_of, section_of
from tests.reports.studies import Study

TABLE, RATES = "arrivals-table-1", (0.05, 0.2, 0.8)


@pytest.fixture(scope="module")
def over_rates(tmp_path_factory: pytest.TempPathFactory) -> Study:
    settings = tuple({"arrivals_per_step": rate} for rate in RATES)
    recipe = replace(ANSWERS, settings=settings, seconds=2.0, blocks=3)
    campaign = build(tmp_path_factory.mktemp("arrivals") / "c", recipe)
    return analyse(campaign), campaign


def test_each_cell_is_the_mean_of_its_runs(over_rates: Study) -> None:
    section = section_of("arrivals", *over_rates)
    assert section is not None
    page, runs = page_of(section), over_rates[0].counted
    for rate in RATES:
        mine = runs[(runs["framework"] == "jax") & (runs["settings"] == f'{{"arrivals_per_step": {rate}}}')]
        cells = page.cells[TABLE][f"jax 0.10.2 arrivals_per_step {rate}"]
        for name in ("energy_j_per_request", "request_s", "request_first_token_p95_s", "requests_per_s"):
            assert float(str(cells[name].value)) == pytest.approx(geometric_mean(mine[name]), rel=1e-12)
        assert float(str(cells["idle_slots"].value)) == 0.25


def test_joules_lie_over_both_latencies_and_over_the_rate(over_rates: Study) -> None:
    section = section_of("arrivals", *over_rates)
    assert section is not None
    panels = {title: panel for (_, title), panel in panels_of(section).items()}
    assert [title.partition(" against ")[2] for title in panels] == [
        "latency of a request, median", "latency of a request, p95", "arrivals per step",
    ]  # fmt: skip
    (marks,) = numbers_in(panels["Energy per request against arrivals per step"])
    assert sorted(marks["x"]) == sorted([*RATES, *RATES])
    (waits,) = numbers_in(panels["Energy per request against latency of a request, p95"])
    assert len(waits) == 6 and (waits["low"] < waits["y"]).all() and set(waits["place"]) == set(RATES)


def test_a_campaign_of_static_batches_goes_without_it(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", replace(GENERATES, blocks=1))
    assert section_of("arrivals", analyse(campaign), campaign) is None
