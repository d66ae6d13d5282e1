"""Less of a campaign: what was asked for and nothing else, whose verdicts stay those of the whole."""

from __future__ import annotations

import pandas as pd
import pytest

from harness.analysis.narrowing import Narrowing
from harness.errors import UsageError
from harness.records import Treatment

ROWS = pd.DataFrame(
    [
        (work, stage, name)
        for work in ("a", "b")
        for stage in ("train", "infer")
        for name in ("torch 2.1", "jax 0.4")
    ],
    columns=["workload", "stage", "treatment"],
)
TREATMENTS = [
    Treatment(
        workload=work,
        stage=stage,
        dataset="d",
        **dict(zip(("framework", "version"), name.split(), strict=True)),
    )
    for work, stage, name in ROWS.itertuples(index=False)
]


def test_without_names_all_is_kept() -> None:
    assert Narrowing().everything
    pd.testing.assert_frame_equal(Narrowing().rows(ROWS), ROWS)


@pytest.mark.parametrize(
    ("asked", "kept"),
    [
        (Narrowing(workloads=("a",)), 4),
        (Narrowing(stages=("infer",)), 4),
        (Narrowing(frameworks=("torch",)), 4),
        (Narrowing(frameworks=("torch@2.1", "jax")), 8),
        (Narrowing(frameworks=("torch@2.2",)), 0),
        (Narrowing(("a",), ("train",), ("jax",)), 1),
    ],
)
def test_names_of_one_kind_add_up_and_those_of_several_meet(asked: Narrowing, kept: int) -> None:
    assert len(asked.rows(ROWS)) == kept


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (Narrowing(workloads=("c",)), "unknown workload of the campaign 'c'"),
        (Narrowing(stages=("trian",)), "did you mean 'train'?"),
        (Narrowing(frameworks=("trch",)), "did you mean 'torch'?"),
        (Narrowing(frameworks=("torch@9",)), "did you mean 'torch'?"),
    ],
)
def test_a_name_that_the_campaign_does_not_have_is_told_the_nearest(asked: Narrowing, line: str) -> None:
    with pytest.raises(UsageError, match=line.replace("?", r"\?")):
        asked.require(TREATMENTS)
    Narrowing(("a",), ("infer",), ("jax@0.4",)).require(TREATMENTS)
