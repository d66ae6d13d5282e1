"""The command line: one file per command, thin; errors are one line and exit with 2."""

from __future__ import annotations

import atexit
import importlib
import sys

import click

from harness.environments import interrupts
from harness.errors import SuiteError
from harness.files.untrusted import printable

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
COMMANDS = (
    "calibrate", "compare", "data", "doctor", "export", "gate", "host", "images", "import", "meters", "plan", "power",
    "report", "reproduce", "run", "statistics", "status", "verify",
)  # fmt: skip
FILES = {"import": "importing"}  # where a command's name is no module's


class Commands(click.Group):
    """Imported one by one, when asked for: pandas and charts take longer to load than most commands to run."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"{__name__}.{FILES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        return command


@click.group(cls=Commands)
@click.version_option(package_name="joulemark")
def cli() -> None:
    """What the same workload costs on each framework: joules, seconds, bytes, accuracy."""


def main() -> None:
    """The `suite` program."""
    interrupts.only_the_first()
    atexit.register(interrupts.end_as_said)  # before whatever a command imports, so that it is called last
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
        interrupts.no_more(EXIT_INTERRUPTED)
        click.echo("interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)


def _fail(message: str) -> None:
    click.echo(f"suite: {printable(' '.join(message.split()))}", err=True)
    sys.exit(EXIT_USAGE)
