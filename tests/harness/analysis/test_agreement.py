"""How far two frameworks' texts go together, of what their runs left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from harness import store
from harness.analysis.agreement import AGREEMENT_COLUMNS, agreement
from harness.analysis.summary import analyse
from suite.fingerprint import of_outputs
from tests.campaigns import TEXT, Recipe, build
from tests.harness.analysis.test_serving import GENERATES
from tests.harness.analysis.test_tables import events, rewrite

SMALL = replace(GENERATES, blocks=2, seconds=1.0, ripple=0.0)


def of(folder: Path, texts: Mapping[str, np.ndarray]) -> pd.DataFrame:
    campaign = build(folder, replace(SMALL, texts=texts))
    analysis = analyse(campaign)
    return agreement(campaign, analysis.groups, analysis.reference).set_index("treatment")


def later(row: int, token: int) -> np.ndarray:
    """Another text in one row, from a token on, counted from 1."""
    other = TEXT.copy()
    other[row, token - 1 :] += 1
    return other


def test_the_first_token_that_differs_is_counted_from_1_and_the_rows_that_go_on_otherwise(
    tmp_path: Path,
) -> None:
    found = of(tmp_path / "c", {"jax": np.where(np.arange(8)[:, None] < 1, later(0, 11), later(5, 14))})
    jax, torch = found.loc["jax 0.10.2"], found.loc["torch 2.13.0"]
    assert (jax["output"], jax["length"], jax["first_apart"], jax["rows_apart"]) == ("tokens", 17, 11, 2 / 8)
    assert np.isnan(torch["first_apart"]) and torch["rows_apart"] == 0 and torch["blocks"] == 2


def test_of_several_blocks_the_first_place_counts(tmp_path: Path) -> None:
    built = build(tmp_path / "c", replace(SMALL, texts={"jax": later(0, 11)}))
    last = built.runs[-1] if "jax" in built.runs[-1].folder.name else built.runs[-2]
    told = [one for one in events(last.folder) if one["kind"] != "fingerprint"]
    answers = of_outputs({"tokens": later(2, 6)})
    passes = [{"tokens": answers["tokens/items"]}] * SMALL.passes
    rewrite(last.folder, [*told, {"t_ns": 9, "kind": "fingerprint", "passes": passes, "answers": answers}])
    campaign = store.load_campaign(tmp_path / "c")
    analysis = analyse(campaign)
    found = agreement(campaign, analysis.groups, analysis.reference).set_index("treatment").loc["jax 0.10.2"]
    assert (found["first_apart"], found["rows_apart"], found["blocks"]) == (6, 1 / 8, 2)


def test_the_same_text_differs_nowhere(tmp_path: Path) -> None:
    found = of(tmp_path / "c", {})
    assert found["first_apart"].isna().all() and (found["rows_apart"] == 0).all()


def test_scores_have_no_such_place(tmp_path: Path) -> None:
    campaign = build(tmp_path / "c", Recipe(blocks=1, stages=("infer",)))
    analysis = analyse(campaign)
    found = agreement(campaign, analysis.groups, analysis.reference)
    assert found.empty and list(found.columns) == AGREEMENT_COLUMNS
