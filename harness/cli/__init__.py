"""The command line: one file per command, thin; errors are one line and exit with 2."""

from __future__ import annotations

import sys

import click

from harness.cli import (
    compare,
    data,
    doctor,
    export,
    gate,
    host,
    images,
    importing,
    meters,
    plan,
    power,
    report,
    reproduce,
    run,
    status,
)
from harness.errors import SuiteError

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


@click.group()
@click.version_option(package_name="joulemark")
def cli() -> None:
    """What the same workload costs on each framework: joules, seconds, bytes, accuracy."""


for module in (
    compare,
    data,
    doctor,
    export,
    gate,
    host,
    images,
    importing,
    meters,
    plan,
    power,
    report,
    reproduce,
    run,
    status,
):
    cli.add_command(module.command)


def main() -> None:
    """The `suite` program."""
    try:
        sys.exit(cli.main(prog_name="suite", standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(EXIT_USAGE)
    except click.ClickException as error:
        _fail(error.format_message())
    except SuiteError as error:
        _fail(str(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)


def _fail(message: str) -> None:
    click.echo(f"suite: {' '.join(message.split())}", err=True)
    sys.exit(EXIT_USAGE)
