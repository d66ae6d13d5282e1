"""suite data: data sets, prepared once."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli import screen
from harness.datasets import official, prepared, source, sources
from harness.datasets.base import OwnCopy, command_for, is_at_hand, remedy
from harness.errors import UsageError


@click.group("data")
def command() -> None:
    """Lists, fetches, imports and verifies data sets."""


@command.command("list")
def list_() -> None:
    """Every data set, and whether it is prepared."""
    table = screen.table("data set", "state", "source")
    for name, one in sources().items():
        state = "prepared" if prepared.is_prepared(name) else command_for(one)
        screen.add_row(table, name, "embedded" if is_at_hand(one) else state, one.title)
    screen.console.print(table)


@command.command("fetch")
@click.argument("name")
@click.option("--mirror", help="Address that holds the official files under their own names.")
def fetch(name: str, mirror: str | None) -> None:
    """Downloads the official files of NAME, checks them and prepares them."""
    one = source(name)
    if isinstance(one, OwnCopy):
        raise UsageError(f"{name} is not to be had without an account: {remedy(one)}")
    screen.say(f"{name}: {prepared.prepare(one, official.download(one, mirror))}")


@command.command("import")
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path))
def import_(name: str, folder: Path) -> None:
    """Prepares NAME from official files, or a copy of one's own, already in FOLDER."""
    screen.say(f"{name}: {prepared.prepare(source(name), folder)}")


@command.command("verify")
@click.argument("names", nargs=-1)
def verify(names: tuple[str, ...]) -> None:
    """Compares prepared files with their checksums; all prepared data sets without NAMES."""
    chosen = names or tuple(name for name in sources() if prepared.is_prepared(name))
    for name in chosen:
        source(name)
        prepared.verify(name)
        screen.say(f"{name}: every file is as it was prepared")
