"""The command line: one file per command, thin; errors are one line and exit with 2."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys

import click
from click.shell_completion import CompletionItem, add_completion_class

from harness.cli import examples, next_step, shells, streams
from harness.environments import interrupts
from harness.errors import SuiteError, cause
from harness.files.untrusted import printable
from harness.suggest import nearest, unknown

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
GARBAGE_AT = 200_000  # objects more: to look through what is loaded at each 700 takes a tenth of the time
# To start the others, which nothing here has work for, takes a tenth of a second of CPU. No worker inherits it.
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "1")
# Of click's own, which speaks of its types.
PLAIN_WORDS = {
    "is not a valid integer range": "is no whole number",
    "is not a valid integer": "is no whole number",
    "is not a valid float range": "is no number",
    "is not a valid float": "is no number",
}
# What the help shows, which imports none of them: pandas and charts take longer to load than most commands to run.
SECTIONS = {
    "Measure": {
        "run": "Measure workloads; write a campaign and its report.",
        "status": "See how far a campaign is, also while it runs.",
        "verify": "Prove that the frameworks do the same work.",
        "profile": "See which functions and operators the joules and the time go to.",
    },
    "Read what was measured": {
        "report": "Write the HTML report of a campaign.",
        "compare": "Compare the treatments of one campaign, or two campaigns.",
        "gate": "Fail a CI job where a cost rose by more than is allowed.",
        "statistics": "Test the treatments of a campaign by the ranks of their blocks.",
        "export": "Write a campaign for other programs.",
        "merge": "Make one campaign of several of the same plan, as of several machines.",
    },
    "Plan": {
        "plan": "Show what a profile would run, and for how long.",
        "power": "Say how many blocks it takes to find an effect.",
        "calibrate": "Measure one treatment against itself: this machine's noise.",
    },
    "Prepare the machine": {
        "doctor": "Check every prerequisite; name what is missing and the remedy.",
        "host": "Describe the machine, and what has changed since.",
        "images": "Build, list, verify and remove the frameworks' images.",
        "data": "List, fetch, import and verify data sets.",
        "weights": "Check a file of pretrained weights; print its checksum.",
        "meters": "List the energy channels of this machine.",
    },
    "Others' results": {
        "import": "Write a campaign of what another tool has measured.",
        "reproduce": "Print a study's published numbers beside ours.",
    },
}
COMMANDS = tuple(name for section in SECTIONS.values() for name in section)
FILES = {"import": "importing"}  # where a command's name is no module's


class Commands(click.Group):
    """Imported one by one, when asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"{__name__}.{FILES.get(cmd_name, cmd_name)}")
        command: click.Command = module.command
        command.epilog = examples.told(cmd_name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Names and what each is for, as the help has them: click would import every command for its own words."""
        lines = {name: line for section in SECTIONS.values() for name, line in section.items()}
        found = [
            CompletionItem(name, help=line) for name, line in lines.items() if name.startswith(incomplete)
        ]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(unknown("command", args[0], COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, lines in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(list(lines.items()))


def _tell_version(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
    if asked:
        from harness import version  # no other command waits for what it imports

        click.echo(f"suite, version {version.told()}")
        ctx.exit()


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_tell_version,
    help="Show the version, and of which commit it is.",
)
def cli() -> None:
    """What the same workload costs on each framework: joules, seconds, bytes, accuracy."""


def main() -> None:
    """The `suite` program."""
    gc.set_threshold(GARBAGE_AT)
    os.environ.setdefault(*ONE_THREAD)
    streams.make_usable()
    interrupts.only_the_first()
    for shell in (shells.Bash, shells.Zsh, shells.Fish):
        add_completion_class(shell)
    out = sys.stdout
    atexit.register(interrupts.end_as_said)  # before whatever a command imports, so that it is called last
    try:
        code = cli.main(prog_name="suite", standalone_mode=False)
        next_step.tell(sys.argv[1:])
        sys.exit(code)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        sys.exit(EXIT_USAGE)
    except click.ClickException as error:
        _fail(_mistake(error))
    except SuiteError as error:
        _fail(str(error))
    except SystemExit:
        if sys.stdout is out:
            raise
        from harness.cli.screen import unread

        unread()  # click puts another in its place where nobody reads, and ends with 1: as a gate does
    except OSError as error:
        _fail(f"{error.filename or 'the system'}: {cause(error)}; see to it, and run the command again")
    except (click.Abort, KeyboardInterrupt):
        interrupts.no_more(EXIT_INTERRUPTED)
        click.echo("interrupted", err=True)
        sys.exit(EXIT_INTERRUPTED)


def _mistake(error: click.ClickException) -> str:
    """As click says it, of an option with the nearest one that the command has, and where to read what is wanted."""
    told = error.message if isinstance(error, click.NoSuchOption) else error.format_message()
    for theirs, ours in PLAIN_WORDS.items():
        told = told.replace(theirs, ours)
    if not isinstance(error, click.UsageError) or error.ctx is None or type(error) is click.BadParameter:
        return told
    near = _nearest(error) if isinstance(error, click.NoSuchOption) else ""
    return f"{told.removesuffix('.')}{near} (see: {error.ctx.command_path} --help)"


def _nearest(error: click.NoSuchOption) -> str:
    """Of the long options, whose dashes all have."""
    assert error.ctx is not None
    every = (
        name for one in error.ctx.command.get_params(error.ctx) for name in (*one.opts, *one.secondary_opts)
    )
    long = [name.removeprefix("--") for name in every if name.startswith("--")]
    near = nearest(error.option_name.lstrip("-"), long)
    return f"; did you mean '--{near}'?" if near else ""


def _fail(message: str) -> None:
    click.echo(f"suite: {printable(' '.join(message.split()))}", err=True)
    sys.exit(EXIT_USAGE)
