"""What was measured: the work, the sum that is called energy, and the protocol by which it was done."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

import pandas as pd

from harness.analysis.groups import Group, in_words
from harness.analysis.quantities import UNITS
from harness.analysis.summary import Analysis
from harness.datasets import sources
from harness.records import IMPORTED, CoolDown, PlanRecord, Purpose
from harness.store import Campaign
from reports.formats import listed, number, percent, plural, quantity
from reports.headline import ISOLATIONS
from reports.parts import Cell, Column, Row, Table
from reports.wording import METERS, boundary_channels, energy_statement, only

TITLE, ORDER = "What was measured", 56
WORK = {
    "workload": "Workload", "stage": "Stage", "dataset": "Data set", "device": "Device", "settings": "Settings",
    "mode": "Mode in force", "each": "Work of a run", "runs": "Runs that count",
}  # fmt: skip
WORDS = {
    "samples": ("", "samples"), "steps": ("", "steps"), "parameters": ("", "parameters"),
    "flops_per_step": ("FLOP", "a step"), "data_bytes": ("bytes", "of data"),
}  # fmt: skip


def view(analysis: Analysis, campaign: Campaign) -> dict[str, Any]:
    work = _work(analysis, campaign.record.isolation)
    return {"tables": [*([work] if work.rows else []), _pairs({**_energy(campaign), **_protocol(campaign)})]}


def _pairs(texts: dict[str, str]) -> Table:
    rows = tuple(Row(name, (Cell(name), Cell(text))) for name, text in texts.items())
    columns = (Column("name", "What"), Column("value", "Value"))
    return Table("protocol", "Energy and protocol", columns, rows, pairs=True)


def _work(analysis: Analysis, isolation: str) -> Table:
    rows = [
        Row(f"work-{i}", _cells(analysis, group, isolation)) for i, group in enumerate(analysis.groups, 1)
    ]
    columns = tuple(Column(key, title) for key, title in WORK.items())
    return Table("work", "Work", columns, tuple(rows), detail="one row for each comparison")


def _cells(analysis: Analysis, group: Group, isolation: str) -> tuple[Cell, ...]:
    """Runs that count, of those that are stored, by framework."""
    settings = ", ".join(in_words(name, value) for name, value in json.loads(group.settings).items())
    stored, counted = group.select(_without_profiled(analysis.runs)), group.select(analysis.counted)
    runs = [
        f"{len(only(counted, treatment=name))} of {len(only(stored, treatment=name))} {name}"
        for name in group.treatments
    ]
    texts = (
        group.stage,
        _dataset(group.dataset, isolation),
        group.device,
        settings or "its own",
        _modes(counted, group),
        _each(counted),
        listed(runs),
    )
    return (Cell(group.workload), *map(Cell, texts))


def _without_profiled(runs: pd.DataFrame) -> pd.DataFrame:
    return runs[runs["purpose"] != Purpose.PROFILE]


def _modes(counted: pd.DataFrame, group: Group) -> str:
    """As the workers told them: what "default" stands for differs by framework, and by workload."""
    told = {
        name: only(counted, treatment=name)["mode"].dropna().astype(str).unique() for name in group.treatments
    }
    return listed(f"{'/'.join(modes)} {name}" for name, modes in told.items() if len(modes)) or "none told"


def _each(counted: pd.DataFrame) -> str:
    """What every run of a group did; a difference has a finding of its own."""
    counts = [str(name) for name in counted if str(name).startswith(UNITS)]
    units = {name: ("", f"{name.removeprefix(UNITS)}s") for name in counts}
    words = {**WORDS, **units}
    parts = [_amount(words[name], counted[name].dropna().unique()) for name in words]
    return ", ".join(part for part in parts if part) or "unknown"


def _amount(told: tuple[str, str], values: Collection[float]) -> str:
    base, words = told
    if len(values) != 1:
        return f"{words} differ" if len(values) else ""
    (value,) = values
    return f"{quantity(value, base) if base else number(value, digits=1)} {words}"


def _dataset(name: str, isolation: str) -> str:
    """Which files the name stands for; those of an imported campaign are not known."""
    known = sources() if isolation != IMPORTED else {}
    return f"{known[name].title} ({name})" if name in known else name


def _energy(campaign: Campaign) -> dict[str, str]:
    channels = boundary_channels(campaign)
    addends = dict.fromkeys(f"{c.domain} ({METERS.get(c.meter, c.meter)}, {c.provenance})" for c in channels)
    outside = "What no addend covers (power supply, fans, disks, a GPU without a meter) is in no number."
    return {
        "energy": energy_statement(campaign),
        "energy is the sum of": " + ".join(addends) or "nothing: no energy channel",
        "not in it": outside if addends else "everything",
        "isolation of runs": ISOLATIONS.get(campaign.record.isolation, campaign.record.isolation),
    }


def _protocol(campaign: Campaign) -> dict[str, str]:
    """An imported campaign's protocol was another's; the files do not tell it."""
    if campaign.record.isolation == IMPORTED:
        return {"protocol": "that of whoever measured; it is not in the files"}
    plan = campaign.record.plan
    return {
        "order": f"{plural(plan.repetitions, 'block')}, each with every treatment once, at random (seed {plan.seed})",
        "before the first block": _before(plan),
        "before each block": _before_block(plan),
        "before each run": _before_run(plan),
        "readings": f"every {quantity(plan.sample_period_s, 's')}, or as often as a sensor is renewed",
        "failed runs": f"repeated {plural(plan.retries, 'time')} at the end of their block"
        if plan.retries
        else "not repeated",
        "end": "once the ratios are known (see Verdict)" if plan.until else "after the last block",
    }


def _before(plan: PlanRecord) -> str:
    parts = [f"warm-up runs for {quantity(plan.warm_up_s, 's')}, in no number"] if plan.warm_up_s else []
    parts += ["every framework and data set read once"] if plan.rehearse else []
    return "; ".join(parts) or "nothing"


def _before_block(plan: PlanRecord) -> str:
    parts = [f"the idle machine sampled for {quantity(plan.baseline_s, 's')}"] if plan.baseline_s else []
    parts += ["a container at rest and fixed work, as a control"] if plan.control_rounds else []
    return "; ".join(parts) or "nothing"


def _before_run(plan: PlanRecord) -> str:
    parts = [f"a pause of {quantity(plan.idle_s, 's')}"] if plan.idle_s else []
    parts += [_cooled(plan.cool_down)] if plan.cool_down.at_most_s else []
    return "; ".join(parts) or "no wait"


def _cooled(one: CoolDown) -> str:
    return (
        f"rest until power is within {percent(one.power_band)} and temperatures within {one.temperature_band_k:g} K of "
        f"the idle machine's for {quantity(one.at_least_s, 's')}, waited for {quantity(one.at_most_s, 's')} at most"
    )
