"""What a reader is told of more blocks: a campaign by turns goes on, any other begins anew."""

from __future__ import annotations

import pytest

from harness.analysis.adaptive import declare
from harness.store import Campaign
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.test_methods import changed

OPEN = Recipe(frameworks={"torch": 1.0, "jax": 1.03}, noise=0.04, blocks=5)
ANEW, ON = "Blocks that are added after a look at the verdicts", "it may go on instead"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    return build(tmp_path_factory.mktemp("open") / "c", OPEN)


def test_blocks_after_a_look_belong_into_a_campaign_of_their_own(made: Campaign) -> None:
    page = render(made)
    assert ANEW in page and ON not in page


def test_a_campaign_by_turns_allows_for_its_looks_and_goes_on(made: Campaign) -> None:
    until = declare(made.record.plan.treatments, 0.02, 10)
    page = render(changed(made, {"turns": ("mnist_cnn",), "until": until, "repetitions": 10}))
    assert f"{ON}, by suite run --resume results/{made.record.campaign_id} --budget +1h." in page
    assert ANEW not in page
