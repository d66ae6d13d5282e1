"""suite doctor: every prerequisite, its state, why it matters, and the remedy."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict

import click

from harness.cli import screen
from harness.doctor import Check, every_check
from harness.doctor.in_short import in_short
from harness.errors import MissingPrerequisite, UsageError
from harness.suggest import unknown


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
@click.option("--require", default="", help="Fail unless these checks are ok: governor,swap,energy.")
@click.option("--why", is_flag=True, help="Say of each check why it matters.")
def command(as_json: bool, require: str, why: bool) -> None:
    """Every prerequisite with its state and the remedy, and last what to expect here; nothing is changed."""
    found = list(every_check())
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], indent=1))
    else:
        _print(found, why)
        screen.say(in_short(found))
    _require(require, found)


def _print(checks: Iterable[Check], why: bool) -> None:
    """A line a check; below it, what to do, and why it matters where asked for."""
    for check in checks:
        style = {"ok": "green", "worse": "yellow", "missing": "red"}[check.level]
        line = screen.plain(f"{check.level:<8}", style) + screen.plain(f"{check.name}: {check.state}")
        screen.console.print(line, soft_wrap=True)
        if check.remedy:
            screen.say(f"{'':8}  -> {check.remedy}")
        if why:
            screen.say(f"{'':8}  why: {check.why}")


def _require(names: str, found: list[Check]) -> None:
    """Raises: MissingPrerequisite for the first that is not ok, UsageError for a word that is no check."""
    by_name = {one.name: one for one in found}
    for name in filter(None, map(str.strip, names.split(","))):
        if name not in by_name:
            raise UsageError(unknown("check", name, by_name))
        if not by_name[name].good:
            raise MissingPrerequisite(f"{name} is required: {by_name[name].state}; {by_name[name].remedy}")
