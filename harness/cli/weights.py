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
from harness.planning import plan, plan_files, planner, pretrained
from suite.spec import Spec


@click.command("weights")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-w", "--workload", "workloads", multiple=True, help="Fail unless it fits this one (repeatable)."
)
@click.option("--profile", default="standard", show_default=True, help="Whose settings: quick or standard.")
def command(file: Path, workloads: tuple[str, ...], profile: str) -> None:
    """Reads a safetensors FILE whole; prints its SHA-256, whom it fits, what stays random and what is left out."""
    plan_files.read(profile)
    chosen = [_set(catalog.workload(name), profile) for name in workloads or _takers()]
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


def _takers() -> list[str]:
    return [name for name, one in catalog.workloads().items() if pretrained.takes_weights(one.spec)]


def _set(workload: catalog.Workload, profile: str) -> Spec:
    """As the profile sets it, on the data set that it would run on."""
    chosen = workload.profile(profile)
    dataset = plan.choose_dataset(chosen.datasets, planner.prepared_names())
    return workload.spec.with_dataset(dataset).with_settings(chosen.settings)
