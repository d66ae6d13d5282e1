"""What a person sees: tables and plain lines, by rich. Nothing here computes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from harness.analysis.compare import geometric_mean
from harness.analysis.tables import measured, tables
from harness.datasets.base import Source
from harness.meters import Meters
from harness.plan import duration_s
from harness.records import Plan, PlannedRun, Provenance
from harness.store import Campaign

if TYPE_CHECKING:
    from harness.conformance.certificate import Proof
    from harness.doctor import Check

console = Console(highlight=False)


def say(line: str) -> None:
    console.print(escape(line), soft_wrap=True)


def leave_stdout_to_machines() -> None:
    """What people read goes to standard error from now on."""
    console.stderr = True


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column)
    return table


def print_plan(plan: Plan, runs: int) -> None:
    """The treatments with what varies; the settings that all of a workload share stand below, once."""
    shared = {
        name: _shared_settings(plan, name) for name in dict.fromkeys(t.workload for t in plan.treatments)
    }
    columns = ["workload", "framework", "version", "device", "stage", "data set"]
    varying = any(one.settings != shared[one.workload] for one in plan.treatments)
    table = _table(*columns, *["settings"] * varying)
    for one in plan.treatments:
        own = {name: value for name, value in one.settings.items() if name not in shared[one.workload]}
        row = (one.workload, one.framework, one.version, one.device, one.stage, one.dataset)
        table.add_row(*row, *[_settings(own)] * varying)
    console.print(table)
    for name, settings in shared.items():
        if settings:
            say(f"settings of {name}: {_settings(settings)}")
    for reason, count in Counter(one.reason for one in plan.skipped).items():
        say(f"left out, {count} treatments: {reason}")
    say(
        f"profile {plan.profile}: {len(plan.treatments)} treatments x {plan.repetitions} blocks, {runs} runs with "
        f"preparation, about {_duration(duration_s(plan, runs))}; seed {plan.seed}"
    )


def _shared_settings(plan: Plan, workload: str) -> dict[str, Any]:
    """What no treatment of the workload has otherwise."""
    first, *others = [one.settings for one in plan.treatments if one.workload == workload]
    return {name: value for name, value in first.items() if all(one.get(name) == value for one in others)}


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds < 3 * 3600 else f"{seconds / 3600:.1f} hours"


def print_order(runs: Iterable[PlannedRun]) -> None:
    table = _table(
        "block", "run", "workload", "framework", "version", "device", "stage", "data set", "purpose"
    )
    for run in runs:
        one = run.treatment
        row = (
            run.block,
            run.position,
            one.workload,
            one.framework,
            one.version,
            one.device,
            one.stage,
            one.dataset,
        )
        table.add_row(*map(str, row), run.purpose)
    console.print(table)


def print_meters(meters: Meters) -> None:
    for channel in meters.channels:
        if channel.boundary:
            note = f" ({channel.note})" if channel.note else ""
            say(f"energy: {channel.provenance} by {channel.name}{note}")
    if not any(c.boundary and c.provenance is Provenance.MEASURED for c in meters.channels):
        say("note: nothing here measures energy; suite meters says why, and what to do")


def print_channels(meters: Meters) -> None:
    table = _table("channel", "unit", "scope", "provenance", "updates", "in the energy")
    for one in meters.channels:
        updates = "unknown" if one.update_s is None else f"every {one.update_s:.3g} s"
        row = (one.name, one.unit, one.domain, one.provenance, updates, "yes" if one.boundary else "no")
        table.add_row(*map(escape, row))
    console.print(table)
    for one in meters.channels:
        if one.note:
            say(f"{one.name}: {one.note}")
    for lacking in meters.unavailable:
        say(f"no {lacking.meter}: {lacking.reason}\n  remedy: {lacking.remedy}")


def print_summary(campaign: Campaign) -> None:
    """Geometric means of the runs that count."""
    runs = tables(campaign).runs
    counted = measured(runs)
    table = _table("workload", "stage", "framework", "version", "runs", "energy", "time", "quality")
    for key, group in counted.groupby(["workload", "stage", "framework", "version"]):
        assert isinstance(key, tuple)
        energy, duration_s = geometric_mean(group["energy_j"]), geometric_mean(group["duration_s"])
        provenance = group["provenance"].iloc[0]
        words = "unknown" if energy is None else f"{energy:.4g} J {provenance}"
        table.add_row(*map(str, key), str(len(group)), words, _number(duration_s, "s"), _quality(group))
    console.print(table)
    lost = Counter(runs[runs["purpose"] == "measure"]["outcome"]) - Counter({"ok": len(counted)})
    for outcome, count in lost.items():
        say(f"{count} runs {outcome}: see the report")
    if campaign.record.plan.until:
        say(_how_it_stopped(campaign))


def _how_it_stopped(campaign: Campaign) -> str:
    most = campaign.record.plan.repetitions
    if campaign.stop is None:
        return f"all {most} blocks were used; what is still inconclusive stands in the report"
    return f"stopped after {campaign.stop.blocks} of at most {most} blocks: every ratio is known"


def print_ratios(rows: pd.DataFrame) -> None:
    """Rows as harness.cli.comparing gives them: a heading for each pair of treatments, and a line a quantity."""
    for key, pair in rows.groupby(["workload", "stage", "dataset", "treatment", "reference"], sort=False):
        assert isinstance(key, tuple)
        say("{} {} {}: {} against {}".format(*key))
        table = _table("quantity", "ratio", "95 % interval", "blocks", "verdict")
        for row in pair.to_dict("records"):
            table.add_row(str(row["quantity"]), *_ratio_words(row), _or_nothing(row["verdict"]))
        console.print(Padding(table, (0, 0, 1, 2)))


def _ratio_words(row: dict[Any, Any]) -> tuple[str, str, str]:
    if pd.isna(row["ratio"]):
        return "unknown", escape(_why(row["ratio_reason"])), ""
    known = pd.notna(row["low"])
    interval = f"{row['low']:.3f} to {row['high']:.3f}" if known else "too few blocks"
    return f"{row['ratio']:.3f}", interval, f"{row['blocks']:.0f}"


def _or_nothing(value: Any) -> str:
    return str(value) if pd.notna(value) else ""


def _why(reason: Any) -> str:
    return str(reason) if pd.notna(reason) and reason else "not recorded"


def _number(value: float | None, unit: str) -> str:
    return "unknown" if value is None else f"{value:.3g} {unit}"


def _quality(group: pd.DataFrame) -> str:
    known = group["quality"].dropna()
    return "unknown" if known.empty else f"{group['quality_metric'].iloc[0]} {known.mean():.4f}"


def print_datasets(state: Mapping[Source, bool]) -> None:
    table = _table("data set", "state", "source")
    for one, prepared in state.items():
        words = "embedded" if not one.files else "prepared" if prepared else f"suite data fetch {one.name}"
        table.add_row(one.name, words, one.title)
    console.print(table)


def print_images(rows: Iterable[Sequence[str]]) -> None:
    table = _table("framework", "version", "image", "size", "state")
    for row in rows:
        table.add_row(*map(escape, row))
    console.print(table)


def print_proofs(proofs: Iterable[Proof]) -> None:
    """A line a proof, with the check that came closest to its tolerance; below it, every one that did not pass."""
    for one in proofs:
        place = f"{one.framework} {one.version}"
        mode = f" in mode {one.mode_in_force}" if one.mode_in_force else ""
        verdict = "[green]equal[/]" if one.passed else "[red]DIFFERS[/]"
        console.print(
            f"{verdict}  {one.workload} {place} {one.dtype}{mode}, against {one.against}: {_closest(one)}",
            soft_wrap=True,
        )
        for check in one.checks:
            if not check.passed:
                say(f"         {check.check} is {check.value:.3g} apart, {check.tolerance:.3g} are allowed")


def _closest(proof: Proof) -> str:
    share, check = max((one.share, one.check) for one in proof.checks)
    return f"{len(proof.checks)} checks, the closest at {share:.1%} of what is allowed ({check})"


def print_facts(facts: Mapping[str, Any], indent: int = 0) -> None:
    """A description, nested ones below their name; what is not known says so."""
    for name, value in facts.items():
        if isinstance(value, Mapping) and value:
            say(f"{' ' * indent}{name}")
            print_facts(value, indent + 2)
        else:
            say(f"{' ' * indent}{name}: {_fact(value)}")


def _fact(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, list | tuple | Mapping):
        return ", ".join(map(str, value)) or "none"
    return str(value)


def print_checks(checks: Iterable[Check], why: bool) -> None:
    """A line a check; below it, what to do, and why it matters where asked for."""
    for check in checks:
        style = {"ok": "green", "worse": "yellow", "missing": "red"}[check.level]
        console.print(
            f"[{style}]{check.level:<8}[/]{escape(check.name)}: {escape(check.state)}", soft_wrap=True
        )
        if check.remedy:
            say(f"{'':8}  -> {check.remedy}")
        if why:
            say(f"{'':8}  why: {check.why}")
