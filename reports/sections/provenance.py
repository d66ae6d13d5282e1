"""What it takes to repeat this: plan, seed, machine, versions and channels."""

from __future__ import annotations

import json
from typing import Any

from harness import version
from harness.analysis.groups import name_of
from harness.analysis.suite_versions import in_words, suite_versions
from harness.analysis.summary import Analysis
from harness.records import IMPORTED, Channel, PowerModel
from harness.store import Campaign, Run
from reports.formats import plural, quantity
from reports.parts import Cell, Column, Row, Table

TITLE, ORDER = "Provenance", 70
CARRIED_OUT = (
    "seed",
    "sampling period",
    "run timeout",
    "energy boundary",
    "power model (estimate only)",
)  # of no imported campaign


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    return {
        "tables": [_plan(campaign), _machine(campaign), _channels(campaign)],
        "environments": _environments(campaign),
    }


def _pairs(key: str, caption: str, pairs: dict[str, str]) -> Table:
    rows = tuple(Row(name, (Cell(name), Cell(text))) for name, text in pairs.items())
    return Table(key, caption, (Column("name", "What"), Column("value", "Value")), rows, pairs=True)


def _modelled(model: PowerModel | None) -> str:
    return f"{model.idle_w:g} W idle + {model.busy_cpu_w:g} W per busy CPU" if model else "none"


def _plan(campaign: Campaign) -> Table:
    record, plan = campaign.record, campaign.record.plan
    known = {
        "campaign": record.campaign_id, "created": record.created, "profile": plan.profile, "seed": str(plan.seed),
        "treatments": str(len(plan.treatments)), "repetitions (blocks)": str(plan.repetitions),
        "planned runs": str(len(record.order)), "sampling period": quantity(plan.sample_period_s, "s"),
        "run timeout": quantity(plan.run_timeout_s, "s") if plan.run_timeout_s is not None else "unknown",
        "energy boundary": plan.boundary, "isolation": record.isolation,
        "power model (estimate only)": _modelled(plan.power_model),
        **{f"data of {name}": f"SHA-256 {sha256}" for name, sha256 in record.datasets.items()},
        **_measured_by(campaign),
        "report written by": f"joulemark {version.number()}",
    }  # fmt: skip
    here = {
        name: text for name, text in known.items() if record.isolation != IMPORTED or name not in CARRIED_OUT
    }
    return _pairs("plan", "Campaign and plan", here)


def _measured_by(campaign: Campaign) -> dict[str, str]:
    """By each version where there were several; without a row where none is told."""
    found, made_by = suite_versions(campaign.record, campaign.runs), campaign.record.made_by
    if len(found) > 1:
        return {"measured by": in_words(found)}
    return {"measured by": f"joulemark {made_by}"} if made_by else {}


def _machine(campaign: Campaign) -> Table:
    return _pairs(
        "machine", "Machine", {name: _named(name, value) for name, value in campaign.record.machine.items()}
    )


def _named(name: str, value: object) -> str:
    if name == "files" and isinstance(value, dict):
        return f"{plural(len(value), 'file')}, named with their SHA-256 in campaign.json"
    if name.endswith("_bytes") and isinstance(value, int | float):
        return quantity(float(value), "bytes")
    return _text(value)


def _text(value: object) -> str:
    if value is None:
        return "unknown"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _channels(campaign: Campaign) -> Table:
    of_runs = [channel for run in campaign.runs for channel in run.record.channels]
    channels = {channel.name: channel for channel in [*campaign.record.channels, *of_runs]}
    titles = {
        "channel": "Channel", "unit": "Unit", "kind": "Kind", "scope": "Scope", "provenance": "Provenance",
        "boundary": "In the run's energy", "wraps": "Wraps at", "note": "Note",
    }  # fmt: skip
    rows = tuple(Row(name, _channel(channel)) for name, channel in channels.items())
    columns = tuple(Column(key, title) for key, title in titles.items())
    return Table("channels", "Channels", columns, rows, detail="what was read, in which unit, of what")


def _channel(one: Channel) -> tuple[Cell, ...]:
    wraps = "" if one.wraps_at is None else f"{one.wraps_at:g} {one.unit}"
    texts = (one.name, one.unit, str(one.kind), one.domain)
    return (
        *(Cell(text) for text in texts), Cell("", mark=str(one.provenance)), Cell("yes" if one.boundary else "no"),
        Cell(wraps), Cell(one.note),
    )  # fmt: skip


def _environments(campaign: Campaign) -> list[dict[str, Any]]:
    """Each distinct environment and mode of each framework once, with what its worker said of itself."""
    found: dict[str, dict[str, Any]] = {}
    for run in campaign.runs:
        description, facts = run.record.environment, _facts(run)
        what = [name_of(run.record.planned.treatment), description, facts.get("mode")]
        key = json.dumps(what, sort_keys=True, default=str)
        one = found.setdefault(key, _environment(name_of(run.record.planned.treatment), description))
        one["facts"] = one["facts"] or {name: _text(value) for name, value in facts.items()}
    return list(found.values())


def _environment(name: str, description: dict[str, Any]) -> dict[str, Any]:
    packages = description.get("packages")
    rest = {key: _text(value) for key, value in description.items() if key != "packages"}
    return {
        "name": name,
        "rest": rest,
        "packages": packages if isinstance(packages, dict) else {},
        "facts": {},
    }


def _facts(run: Run) -> dict[str, Any]:
    return next((dict(event.data) for event in run.events if event.kind == "facts"), {})
