"""A part of an analysis tells what the whole tells of it."""

from __future__ import annotations

import pandas as pd
import pytest

from harness.analysis.narrowed import narrowed
from harness.analysis.narrowing import EVERYTHING, Narrowing
from harness.analysis.summary import Analysis, analyse
from harness.errors import UsageError
from harness.store import Campaign
from reports.contents import sections_of
from tests.campaigns import Recipe, build

RECIPE = Recipe(
    frameworks={"torch": 1.0, "tensorflow": 1.02, "jax": 0.9}, blocks=6, stages=("train", "infer"), control_s=2.0,
    more_workloads=("mnist_mlp",), noise=0.02,
)  # fmt: skip
PART = Narrowing(workloads=("mnist_mlp",), stages=("infer",), frameworks=("jax",))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Campaign, Analysis]:
    campaign = build(tmp_path_factory.mktemp("c") / "campaign", RECIPE)
    return campaign, analyse(campaign)


def test_without_names_it_is_the_whole(whole: tuple[Campaign, Analysis]) -> None:
    assert narrowed(*whole, EVERYTHING) == whole


def test_every_row_is_one_of_the_whole(whole: tuple[Campaign, Analysis]) -> None:
    campaign, part = narrowed(*whole, PART)
    assert {(one.workload, one.stage, one.treatments) for one in part.groups} == {
        ("mnist_mlp", "infer", ("torch 2.13.0", "jax 0.10.2"))
    }
    for name in ("costs", "statistics", "parts"):
        some, every = getattr(part, name), getattr(whole[1], name)
        assert 0 < len(some) < len(every)
        pd.testing.assert_frame_equal(some, every.loc[some.index])
    measured = [one for one in campaign.runs if one.record.planned.purpose == "measure"]
    assert len(measured) == 12
    assert set(part.counted["run_id"]) == {one.record.planned.run_id for one in measured}


def test_the_work_that_never_changes_stays(whole: tuple[Campaign, Analysis]) -> None:
    campaign, part = narrowed(*whole, PART)
    assert [one.record.planned.purpose for one in campaign.runs].count("control") == 6
    pd.testing.assert_frame_equal(part.baselines, whole[1].baselines)


def test_all_sections_can_be_written_of_it_and_say_that_it_is_a_part(
    whole: tuple[Campaign, Analysis],
) -> None:
    campaign, part = narrowed(*whole, PART)
    assert [one.code for one in part.findings][-1] == "told-in-part"
    assert "mnist_mlp, infer, jax" in part.findings[-1].message
    views = {one.name: str(one.view) for one in sections_of(part, campaign)}
    assert {name for name, view in views.items() if "mnist_cnn" in view} <= {
        "conformance"
    }  # the proofs that it keeps


def test_a_name_that_is_not_there_is_refused(whole: tuple[Campaign, Analysis]) -> None:
    with pytest.raises(UsageError, match="did you mean 'mnist_mlp'"):
        narrowed(*whole, Narrowing(workloads=("mnist_ml",)))
