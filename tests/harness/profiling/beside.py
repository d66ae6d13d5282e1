"""The same campaign with runs under the profiler and without, and all that is computed of each as comparable text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from harness import store
from harness.findings.codes import Code
from harness.records import Finding, Outcome
from harness.store import Campaign
from tests.campaigns import NS, Recipe, build, readings

IDLE_W = 8.0
RECIPE = Recipe(blocks=4, prepare=True, stages=("train", "infer"), control_s=0.5, ripple=0.05)
# All that speaks against a measured run, and costs by which it would be seen in any mean.
OTHERWISE = {
    "session": 7.0, "watts": 400.0, "weights": 5.0, "meter": "estimate", "suite_sha256": "99" * 32,
    "run_findings": tuple(
        Finding.of(code, "planted") for code in (Code.NEW_MACHINE, Code.STALE_IMAGE, Code.COUNTER_DISAGREES)
    ),
    "environments": {"torch": "98" * 32}, "told": {"threads": 99}, "work": {"samples": 1, "steps": 7},
}  # fmt: skip
FAILED = {
    "outcomes": {("torch", block): Outcome.FAILED for block in (5, 6)},
    "reason": "it computed something else: planted",
}
LOOKED_AT = {
    "costly": OTHERWISE,
    "quick": {**OTHERWISE, "session": 0.01, "watts": 4.0},
    "failed": {**OTHERWISE, **FAILED},
}


def both(folder: Path, profiled: Mapping[str, Any], recipe: Recipe = RECIPE) -> tuple[Campaign, Campaign]:
    """With and without, in folders of the same name."""
    one = build(folder / "with" / "campaign", replace(recipe, profile_runs=2, profiled=profiled))
    other = build(folder / "without" / "campaign", recipe)
    for campaign in (one, other):
        for block in {run.record.planned.block for run in campaign.runs}:
            _rest(campaign.folder, block, IDLE_W * (5 if block > recipe.blocks else 1))
    return one, other


def _rest(folder: Path, block: int, watts: float) -> None:
    """A baseline before a block, of another power before those that are profiled."""
    recipe = replace(RECIPE, watts=watts, dram_watts=0.0, ripple=0.0)
    path = store.baseline_path(folder, block)
    readings(recipe, "rapl", watts, ((block + 1) * 100 * NS, (block + 1) * 100 * NS + NS)).to_parquet(
        path, index=False
    )


def plain(value: Any) -> Any:
    """Whatever is computed, as what compares by its content."""
    if isinstance(value, pd.DataFrame | pd.Series):
        return json.loads(value.to_json(orient="split", double_precision=12, default_handler=str))
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [plain(one) for one in value]
    return repr(value)


def differing(one: Any, other: Any, at: str = "") -> Iterator[str]:
    """Where two such texts are not the same."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys([*one, *other]):
            yield from differing(one.get(key), other.get(key), f"{at}.{key}")
    elif one != other:
        yield f"{at}: {str(one)[:200]} != {str(other)[:200]}"
