"""Campaigns of one plan, as several machines would have measured them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from harness import store
from tests.campaigns import MACHINE, NS, Recipe, build

BOOTED = datetime(2026, 1, 2, 3, 0, tzinfo=UTC)
PLAN = Recipe(blocks=2, control_s=0.5, seconds=1.0, epochs=1)


def node(folder: Path, number: int, recipe: Recipe = PLAN, **machine: Any) -> Path:
    """The plan's campaign on the node of that number; `machine`: what sets it apart."""
    facts = {**MACHINE, "machine_id": f"{number:032x}", **machine}
    build(folder, replace(recipe, seed=recipe.seed + number, machine=facts))
    later(folder, 0)
    return change(folder, created=f"2026-01-02T03:04:{number:02d}+00:00")


def nodes(place: Path, count: int, recipe: Recipe = PLAN) -> list[Path]:
    return [node(place / f"node{number}", number, recipe) for number in range(1, count + 1)]


def later(campaign: Path, seconds: int, booted: int = 0) -> Path:
    """As if measured so much later, on a machine that was started anew so many seconds after its first start."""
    for path in campaign.glob("runs/*/run.json"):
        record = json.loads(path.read_text())
        for name in ("start_ns", "ready_ns", "go_ns", "done_ns", "exit_ns"):
            record[name] += (seconds - booted) * NS
        up = timedelta(seconds=record["start_ns"] // NS + booted)
        record["started"] = (BOOTED + up).isoformat(timespec="seconds")
        path.write_text(json.dumps(record))
    return campaign


def change(campaign: Path, **values: Any) -> Path:
    """Fields of its record; a dotted name lies within another."""
    path = campaign / store.CAMPAIGN_FILE
    record = json.loads(path.read_text())
    for name, value in values.items():
        *way, last = name.split("__")
        place = record
        for one in way:
            place = place[one]
        place[last] = value
    path.write_text(json.dumps(record))
    return campaign


def sums(folder: Path) -> Mapping[str, str]:
    """Of everything below, by its name."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(one.relative_to(folder)): hashlib.sha256(one.read_bytes()).hexdigest() for one in files}
