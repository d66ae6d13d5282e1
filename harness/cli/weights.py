"""suite weights: a file of pretrained weights, before a plan names it."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import screen
from harness.errors import UsageError
from harness.files import tensor_files
from harness.files.untrusted import printable
from harness.inventory import catalog
from harness.inventory.beginning import beginning
from harness.planning import plan_files, planner, pretrained
from harness.planning.plan import choose_dataset
from harness.planning.plan_files import PlanFile
from suite.spec import SettingError, Spec


@click.command("weights")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-w", "--workload", "workloads", multiple=True, help="Fail unless it fits this one (repeatable)."
)
@click.option(
    "--profile",
    default="standard",
    show_default=True,
    help="Whose settings: a shipped plan's, or a .toml file's.",
)
def command(file: Path, workloads: tuple[str, ...], profile: str) -> None:
    """Reads a safetensors FILE whole; prints its SHA-256, whom it fits, what stays random and what is left out."""
    plan = plan_files.read(profile)
    chosen = [
        one for name in workloads or _takers(plan) for one in _set(catalog.workload(name), plan, profile)
    ]
    found = tensor_files.read(file)
    screen.say(f"{len(found.tensors)} tensors in {found.size_bytes / 1e6:.1f} MB")
    for spec in chosen:
        try:
            told = beginning(spec, planner.DEFAULT_SEED, found.tensors).told
        except UsageError as error:
            if workloads:
                raise UsageError(
                    f"{printable(file)} does not fit {spec.name} as it is set: {error}"
                ) from error
            told = f"does not fit: {printable(error)}"
        screen.say(f"{spec.name}: {told}")
    click.echo(f"--pretrained {found.sha256}={printable(file)}")


def _takers(plan: PlanFile) -> list[str]:
    """Of the plan's workloads, which are all where it names none."""
    known, named = catalog.workloads(), plan.factors.workload
    return [
        name for name, one in known.items() if pretrained.takes_weights(one.spec) and name in (named or known)
    ]


def _set(workload: catalog.Workload, plan: PlanFile, profile: str) -> list[Spec]:
    """As the plan sets it, each combination once, on the data set that it would run on."""
    chosen = workload.profile(profile)
    spec = workload.spec.with_dataset(choose_dataset(chosen.datasets, planner.prepared_names()))
    several = [dict(chosen.settings) | levels | {pretrained.SETTING: ""} for levels in plan.combinations]
    try:
        takes = pretrained.takes_weights(spec)
        return list(dict.fromkeys(map(spec.with_settings, several))) if takes else [spec]
    except SettingError as error:
        raise UsageError(str(error)) from error
