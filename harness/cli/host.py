"""suite host: what this machine is and how it is set, and what changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from harness import paths, store
from harness.cli import screen
from harness.cli.writing import writable
from harness.errors import CampaignError, UsageError
from harness.files.untrusted import parse_json, read_beneath
from harness.files.whole_files import write_text
from harness.host import machine
from harness.host.changes import changes
from harness.host.identity import names


@click.group("host")
def command() -> None:
    """Describes the measuring machine, and says what changed."""


@command.command("show")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for programs.")
def show(as_json: bool) -> None:
    """Prints hardware, firmware, kernel and settings, as every campaign records them.

    As text with the host's name and the kernel's command line, which no record has.
    """
    described = machine.describe()
    if as_json:
        click.echo(json.dumps(described, indent=1))
    else:
        _print_facts({**names(), **described})


def _print_facts(facts: Mapping[str, Any], indent: int = 0) -> None:
    """A description, nested ones below their name; what is not known says so."""
    for name, value in facts.items():
        if isinstance(value, Mapping) and value:
            screen.say(f"{' ' * indent}{name}")
            _print_facts(value, indent + 2)
        else:
            screen.say(f"{' ' * indent}{name}: {_fact(value)}")


def _fact(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, list | tuple | Mapping):
        return ", ".join(map(str, value)) or "none"
    return str(value)


@command.command("snapshot")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Default: where suite host diff looks.")
def snapshot(output: Path | None) -> None:
    """Writes the description to a file, to be compared with later."""
    path = output or paths.last_snapshot()
    described = json.dumps(machine.describe(), indent=1) + "\n"
    with writable(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, described)
    screen.say(f"snapshot: {path.absolute()}")


@command.command("diff")
@click.argument("before", type=click.Path(path_type=Path), required=False)
@click.argument("after", type=click.Path(path_type=Path), required=False)
def diff(before: Path | None, after: Path | None) -> int:
    """Says what changed: from BEFORE (default: the last snapshot) to AFTER (default: this machine, now).

    Each may be a snapshot or the folder of a campaign. Exit code 1 if anything changed.
    """
    one = _described(before or paths.last_snapshot())
    found = changes(one, _described(after) if after else machine.describe())
    for change in found:
        screen.say(str(change))
    if not found:
        screen.say("nothing changed")
    return 1 if found else 0


def _described(path: Path) -> dict[str, Any]:
    """Raises: UsageError if there is no description of a machine."""
    if path.is_dir():
        return store.load_campaign(path).record.machine
    try:
        place = path.resolve()
        content: dict[str, Any] = parse_json(read_beneath(place.parent, place.name))
        return {**content, "settings": dict(content["settings"])}
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist: suite host snapshot writes one") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CampaignError(f"{path} is no snapshot of a machine: suite host snapshot writes one") from error
