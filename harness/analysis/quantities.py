"""The registry of quantities: to add one, add its row. Costs, comparisons, gates, reports and exports read it here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from harness.analysis.arrivals import ANSWER_TOKEN, ANSWERED
from harness.analysis.quantity import Mean, Quantity, Scope
from harness.analysis.ratios import energy_delay_js, per
from harness.analysis.serving import DECODE, GENERATED_TOKEN, PARTS, PREFILL, PROMPT_TOKEN, SERVED
from harness.analysis.utilisation import UTILISED, utilisation
from harness.records import MetricRecord
from suite.protocol import Event
from suite.task import INFER, Direction

WHOLE, OF_STAGE = ("energy_uncertainty_j", "energy_j"), ("stage_energy_uncertainty_j", "stage_energy_j")
STAGE = Scope.STAGE
UNITS = "units_"  # begins the columns of runs that count units of work
OF_A_UNIT = re.compile(r"stage_energy_j_per_(?P<per>[a-z][a-z0-9_]*)|stage_(?P<count>[a-z][a-z0-9_]*)s_per_s")
PHASE_NUMBERS = ["duration_s", "energy_j", "energy_uncertainty_j"]


def units_column(unit: str) -> str:
    return f"{UNITS}{unit}"


def of_part(name: str) -> tuple[str, str]:
    """As OF_STAGE, of one of its parts."""
    return f"{name}_energy_uncertainty_j", f"{name}_energy_j"


def from_event(kind: str, name: str) -> Callable[[Sequence[Event]], float | None]:
    """What the last event of a kind tells under this name; None where it tells no number."""

    def told(events: Sequence[Event]) -> float | None:
        last = next((event for event in reversed(events) if event.kind == kind), None)
        value = last.data.get(name) if last else None
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    return told


def stage_energy_per(column: str) -> Callable[[pd.DataFrame], pd.Series]:
    return lambda runs: per(runs["stage_energy_j"], runs[column])


# Rows of costs, of comparisons and of exports come in this order.
QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "energy_j", "Energy", "J", short="energy", energy=True, uncertainty=WHOLE, ranked=True, drawn=True
    ),
    Quantity(
        "energy_net_j", "Energy, net of idle", "J", energy=True, costed=False, compared=False
    ),
    Quantity("duration_s", "Time", "s", short="time", time=True, ranked=True, drawn=True),
    Quantity("mean_power_w", "Mean power", "W", None, energy=True, uncertainty=WHOLE, drawn=True),
    Quantity("stage_energy_j", "Energy", "J", scope=STAGE, energy=True, uncertainty=OF_STAGE, ranked=True),
    Quantity("stage_duration_s", "Time", "s", scope=STAGE, time=True, ranked=True),
    Quantity(
        "stage_mean_power_w", "Mean power", "W", None, scope=STAGE, energy=True, uncertainty=OF_STAGE,
        of=stage_energy_per("stage_duration_s"),
    ),
    Quantity(
        "stage_energy_j_per_sample", "Energy per sample", "J", scope=STAGE, per="sample", energy=True,
        uncertainty=OF_STAGE, of=stage_energy_per("samples"),
    ),
    Quantity(
        "stage_energy_j_per_epoch", "Energy per epoch", "J", scope=STAGE, per="epoch", energy=True,
        uncertainty=OF_STAGE, of=stage_energy_per("epochs"),
    ),
    Quantity(
        "energy_delay_js", "Energy x time", "J·s", energy=True, time=True, uncertainty=WHOLE,
        of=lambda runs: energy_delay_js(runs["energy_j"], runs["duration_s"]),
    ),
    Quantity("cpu_s", "CPU time", "s", short="cpu", told=from_event("usage", "cpu_s")),
    Quantity(
        "memory_peak_bytes", "Peak memory", "bytes", short="memory", told=from_event("usage", "memory_peak_bytes")
    ),
    Quantity(
        "quality", "Quality", "", Direction.HIGHER, compared=False, drawn=True, of_quality=True,
        mean=Mean.ARITHMETIC, digits=4,
    ),
    Quantity(
        "quality_per_kj", "Quality per energy", "1/kJ", None, energy=True, compared=False, of_quality=True,
        of=lambda runs: per(runs["quality"], runs["energy_j"] / 1000),
    ),
)  # fmt: skip
# Of runs whose stage has the parts prefill and decode (harness.analysis.serving); compiling is in none of them.
SERVING: tuple[Quantity, ...] = (
    Quantity(
        "prefill_energy_j_per_prompt_token", "Prefill energy per prompt token", "J", short="prompt-token",
        scope=Scope.PARTS, per=PROMPT_TOKEN, energy=True, ranked=True, uncertainty=of_part(PREFILL),
        of=lambda runs: per(runs["prefill_energy_j"], runs[units_column(PROMPT_TOKEN)]),
    ),
    Quantity(
        "decode_energy_j_per_generated_token", "Decode energy per generated token", "J", short="generated-token",
        scope=Scope.PARTS, per=GENERATED_TOKEN, energy=True, ranked=True, uncertainty=of_part(DECODE),
        of=lambda runs: per(runs["decode_energy_j"], runs[units_column(GENERATED_TOKEN)]),
    ),
    Quantity(
        "energy_j_per_request", "Energy per request", "J", short="request", scope=Scope.PARTS, per="request",
        energy=True, ranked=True, uncertainty=of_part(PARTS),
        of=lambda runs: per(runs["parts_energy_j"], runs["samples"]),
    ),
    Quantity(
        "first_token_s", "Time to first token", "s", short="first-token", scope=Scope.PARTS, time=True, ranked=True
    ),
    Quantity(
        "output_token_s", "Time per output token, median", "s", short="output-token", scope=Scope.PARTS,
        per=GENERATED_TOKEN, time=True, ranked=True,
    ),
    Quantity(
        "output_token_p95_s", "Time per output token, p95", "s", scope=Scope.PARTS, per=GENERATED_TOKEN, time=True
    ),
    Quantity(
        "prefill_tokens_per_s", "Prompt tokens per second", "tokens/s", Direction.HIGHER, scope=Scope.PARTS,
        per=PROMPT_TOKEN, time=True, of=lambda runs: per(runs[units_column(PROMPT_TOKEN)], runs["prefill_duration_s"]),
    ),
    Quantity(
        "decode_tokens_per_s", "Generated tokens per second", "tokens/s", Direction.HIGHER, scope=Scope.PARTS,
        per=GENERATED_TOKEN, time=True,
        of=lambda runs: per(runs[units_column(GENERATED_TOKEN)], runs["decode_duration_s"]),
    ),
    Quantity(
        "padding", "Share of padding", "", None, scope=Scope.PARTS, compared=False, mean=Mean.ARITHMETIC,
    ),
    Quantity(
        "cache_bytes", "Cache of a batch", "bytes", None, scope=Scope.PARTS, compared=False, mean=Mean.ARITHMETIC,
    ),
)  # fmt: skip
# Of runs whose stage has the part answer (harness.analysis.arrivals).
OF_BOTH = {one.name: one for one in SERVING if one.name in ("energy_j_per_request", "cache_bytes")}
WAITED: Mapping[str, Any] = {"scope": Scope.PARTS, "per": "request", "time": True}
ARRIVING: tuple[Quantity, ...] = (
    OF_BOTH["energy_j_per_request"],
    Quantity(
        "energy_j_per_answer_token", "Energy per answer token", "J", short="answer-token", scope=Scope.PARTS,
        per=ANSWER_TOKEN, energy=True, ranked=True, uncertainty=of_part(PARTS),
        of=lambda runs: per(runs["parts_energy_j"], runs[units_column(ANSWER_TOKEN)]),
    ),
    Quantity("request_s", "Latency of a request, median", "s", short="latency", ranked=True, **WAITED),
    Quantity("request_p95_s", "Latency of a request, p95", "s", **WAITED),
    Quantity("request_first_token_s", "Time to first token, median", "s", short="request-first-token", **WAITED),
    Quantity("request_first_token_p95_s", "Time to first token, p95", "s", **WAITED),
    Quantity(
        "requests_per_s", "Requests per second", "requests/s", Direction.HIGHER, scope=Scope.PARTS, per="request",
        time=True, of=lambda runs: per(runs["samples"], runs["parts_duration_s"]),
    ),
    Quantity(
        "answer_tokens_per_s", "Answer tokens per second", "tokens/s", Direction.HIGHER, scope=Scope.PARTS,
        per=ANSWER_TOKEN, time=True, of=lambda runs: per(runs[units_column(ANSWER_TOKEN)], runs["parts_duration_s"]),
    ),
    Quantity(
        "idle_slots", "Share of idle slots", "", None, scope=Scope.PARTS, compared=False, mean=Mean.ARITHMETIC,
    ),
    OF_BOTH["cache_bytes"],
)  # fmt: skip
# Of runs whose plan states a peak of their device.
UTILISATION = Quantity(
    "flops_utilisation", "Model FLOP/s utilisation", "", Direction.HIGHER, scope=STAGE, time=True, compared=False,
    of=utilisation,
)  # fmt: skip
# Of runs on a GPU, as their frameworks count it: mostly alike in every run, so that no interval and no verdict is told.
GPU_MEMORY = Quantity(
    "gpu_memory_peak_bytes", "Peak GPU memory", "bytes", None,
    told=from_event("usage", "gpu_memory_peak_bytes"),
)  # fmt: skip
OF_PARTS = tuple({one.name: one for one in (*SERVING, *ARRIVING)}.values())


def of_a_unit(unit: str) -> tuple[Quantity, ...]:
    """Rows of each unit of work that a task counts, beside samples."""
    count = units_column(unit)
    return (
        Quantity(
            f"stage_energy_j_per_{unit}", f"Energy per {unit}", "J", scope=STAGE, per=unit, energy=True,
            uncertainty=OF_STAGE, of=stage_energy_per(count),
        ),
        Quantity(
            f"stage_{unit}s_per_s", f"{unit.capitalize()}s per second", f"{unit}s/s", Direction.HIGHER, scope=STAGE,
            per=unit, time=True, of=lambda runs: per(runs[count], runs["stage_duration_s"]),
        ),
    )  # fmt: skip


def of_units(runs: pd.DataFrame) -> tuple[Quantity, ...]:
    """Of the units that some of these runs told; of those that one part alone does, that part's."""
    columns = [str(name) for name in runs.columns if str(name).startswith(UNITS)]
    told = [name.removeprefix(UNITS) for name in columns if runs[name].notna().any()]
    served = of_stage_parts(runs)
    known, of_parts = {one.name for one in QUANTITIES}, {one.per for one in served}
    rows = (one for unit in told if unit not in of_parts for one in of_a_unit(unit) if one.name not in known)
    where_told = (
        one
        for one, columns in ((GPU_MEMORY, [GPU_MEMORY.name]), (UTILISATION, UTILISED))
        if _has_all(runs, columns)
    )
    return (*rows, *served, *where_told)


def of_stage_parts(runs: pd.DataFrame) -> tuple[Quantity, ...]:
    """Of runs of which some took in prompts and made tokens, apart, or answered requests as they came."""
    serving = (SERVED[0], units_column(PROMPT_TOKEN), units_column(GENERATED_TOKEN))
    arriving = (ANSWERED[0], units_column(ANSWER_TOKEN))
    found = [
        *(SERVING if _has_all(runs, serving) else ()),
        *(ARRIVING if _has_all(runs, arriving) else ()),
    ]
    return tuple({one.name: one for one in found}.values())


def _has_all(runs: pd.DataFrame, names: Sequence[str]) -> bool:
    return all(name in runs and runs[name].notna().any() for name in names)


def judged_of(runs: pd.DataFrame) -> list[Quantity]:
    """Those of which these runs may tell a ratio with a verdict."""
    return [one for one in (*costed(), *of_units(runs)) if one.judged]


def costed() -> tuple[Quantity, ...]:
    return tuple(one for one in QUANTITIES if one.costed)


def costs_of(runs: pd.DataFrame, metric: MetricRecord | None) -> tuple[Quantity, ...]:
    """Of runs whose quality is this `metric`; where less of it is better, it is not divided by joules."""
    falls = metric is not None and metric.direction is Direction.LOWER
    rows = (one for one in costed() if not (falls and one.of_quality and one.of))
    return (*(as_metric(one, metric) for one in rows), *of_units(runs))


def as_metric(one: Quantity, metric: MetricRecord | None) -> Quantity:
    """A row with the title, the unit and the direction of what runs tell as their quality."""
    if metric is None or not one.of_quality:
        return one
    title = one.title.replace(named("quality").title, metric.title[:1].upper() + metric.title[1:])
    if one.of is not None:
        return replace(one, title=title)
    return replace(one, title=title, unit=metric.unit, direction=metric.direction)


def as_users_say() -> dict[str, Quantity]:
    return {one.short: one for one in (*QUANTITIES, *OF_PARTS) if one.short}


def leads() -> tuple[Quantity, ...]:
    return tuple(one for one in QUANTITIES if one.lead)


def ranked() -> tuple[Quantity, ...]:
    return tuple(one for one in QUANTITIES if one.ranked)


def recorded() -> tuple[Quantity, ...]:
    """Those that a run's own record tells, not computed from others."""
    return tuple(one for one in QUANTITIES if one.of is None)


def named(name: object) -> Quantity:
    """Raises: KeyError for a name that no row has, nor one of a unit of work."""
    known = {one.name: one for one in (*QUANTITIES, GPU_MEMORY, *OF_PARTS, UTILISATION)}
    if name not in known and (unit := OF_A_UNIT.fullmatch(str(name))):
        known = {one.name: one for one in of_a_unit(unit["per"] or unit["count"])}
    return known[str(name)]


def with_rates(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs with what the registry derives from their columns: mean power, joules per sample, quality per kJ..."""
    several = (*QUANTITIES, *of_units(runs))
    return runs.assign(**{one.name: one.of(runs) for one in several if one.of is not None})


def drawn() -> tuple[Quantity, ...]:
    return tuple(one for one in QUANTITIES if one.drawn)


def of_phases() -> tuple[Quantity, ...]:
    """The leads that are known of each phase, too."""
    return tuple(one for one in leads() if one.name in PHASE_NUMBERS)


def of_rows(rows: pd.DataFrame) -> list[Quantity]:
    """Those that COST_COLUMNS are of, each once, but for what inference has not: epochs."""
    infers = bool((rows["stage"] == INFER).all())
    several = (named(name) for name in rows["quantity"].drop_duplicates())
    return [one for one in several if not (infers and one.per == "epoch")]


def in_tables(quantities: Sequence[Quantity]) -> list[Quantity]:
    """As tables show them: first what was measured, then what follows from it, and last what is not compared."""
    return sorted(quantities, key=lambda one: (not one.compared, one.of is not None))


def alike(lead: Quantity) -> tuple[Quantity, ...]:
    """A lead and what is called like it in the other scopes."""
    return tuple(one for one in ranked() if one.title == lead.title)
