"""suite merge: campaigns of one plan from several machines, as one."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import completing
from harness.errors import UsageError


@click.command("merge")
@click.argument(
    "folders",
    nargs=-1,
    required=True,
    metavar="FOLDER...",
    shell_complete=completing.campaigns,
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The merged campaign's new folder."
)
@click.option("--different-hardware", is_flag=True, help="Merge although the machines are not of one kind.")
@click.option(
    "--most-gib",
    type=click.IntRange(min=1),
    default=64,
    show_default=True,
    help="What all bundles together may take in the folder of temporary files.",
)
def command(folders: tuple[str, ...], output: Path, different_hardware: bool, most_gib: int) -> None:
    """Makes one campaign of several of the same plan, from several machines or sessions, whole or not at all.

    Runs are copied as they are; a cluster's campaign counts as what each of its nodes did. Every command reads the
    result; ratios are told over nodes, or over sessions of a single machine, and the report has each node's own.

    A FOLDER may be a bundle that suite export made, or the URL of one; a URL of a folder means all bundles in it.
    """
    from harness import merging, store  # pydantic and SciPy: no help waits
    from harness.campaign import lock
    from harness.cli import screen
    from harness.cli.at_hand import at_hand
    from harness.files.record_files import read_record
    from harness.merging.joined import labels
    from harness.records import CampaignRecord

    store.require_new(output)  # before gigabytes come from afar
    with at_hand(folders, most_gib << 30) as found:
        for folder, name in found:
            if lock.is_held(folder):
                raise UsageError(f"{name} is being carried out: merge it when it has ended")
        place = merging.merge([folder for folder, _ in found], output, different_hardware)
    record = read_record(CampaignRecord, place, store.CAMPAIGN_FILE)
    for number, (one, label) in enumerate(zip(record.sources, labels(record.sources), strict=True), 1):
        blocks = f"blocks {one.after + 1} to {one.after + one.blocks}"
        name = f" ({one.node_name})" if one.node_name else ""
        screen.say(f"{number}: {one.campaign_id}, {label}{name}, {blocks}")
    for finding in record.findings:
        screen.say(f"{finding.severity}: {finding.code}: {finding.message}")
    screen.say(f"campaign: {place.absolute()}")
