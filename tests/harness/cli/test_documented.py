"""Every command that a page shows is one that the command line takes, and every one that it takes is on a page."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from harness import paths
from harness.cli import COMMANDS, cli
from tests.commands_page import page

PAGES = sorted(
    [*paths.ROOT.glob("*.md"), *(paths.ROOT / "docs").rglob("*.md"), *paths.ROOT.glob("*/README.md")]
)
FENCE = re.compile(r"^```(?:sh|bash|console)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
SHOWN = re.compile(r"^(?:sudo )?suite (?=[a-z-])")


def shown(place: Path) -> Iterator[str]:
    """In fences, comments taken off and lines that go on joined; and between backquotes."""
    text = place.read_text()
    for fence in FENCE.findall(text):
        yield from (line.strip() for line in fence.replace("\\\n", " ").splitlines())
    yield from CODE.findall(FENCE.sub("", text))


LINES = sorted(
    {
        (str(place.relative_to(paths.ROOT)), line)
        for place in PAGES
        if place.name != "commands.md"  # which is made of the command line
        for line in shown(place)
        if SHOWN.match(line)
    }
)


def taken(line: str) -> None:
    """Raises: click.UsageError for a command or an option that there is not."""
    words = shlex.split(SHOWN.sub("", line).split(" > ")[0], comments=True)
    command: click.Command = cli
    context = click.Context(cli)
    while isinstance(command, click.Group) and words:
        name = words.pop(0)
        if any(name in one.opts for one in command.get_params(context)):
            return  # of the program itself: --version, which ends it
        found = command.get_command(context, name)
        if found is None:
            raise click.UsageError(f"no command {name}")
        command, context = found, click.Context(found, parent=context, info_name=name)
    words = [word for word in words if word not in ("...", "…")]
    mentioned = (
        ["value"] if words and words[-1].startswith("--") and words[-1] in _with_a_value(command) else []
    )
    command.make_parser(context).parse_args(words + mentioned)


def _with_a_value(command: click.Command) -> set[str]:
    options = (one for one in command.params if isinstance(one, click.Option) and not one.is_flag)
    return {name for one in options for name in one.opts}


@pytest.mark.parametrize(("place", "line"), LINES)
def test_a_command_on_a_page_is_one_that_there_is(place: str, line: str) -> None:
    taken(line)


WHOLE = {"--all", "-w", "-f", "-s", "--resume", "-h", "--help"}


@pytest.mark.parametrize(("place", "line"), [one for one in LINES if one[1].startswith("suite run ")])
def test_a_campaign_that_a_page_begins_says_what_to_run(place: str, line: str) -> None:
    text = (paths.ROOT / place).read_text()
    in_a_block = any(line in fence for fence in FENCE.findall(text))
    assert not in_a_block or WHOLE & set(shlex.split(line, comments=True))


@pytest.mark.parametrize(
    "line", ["suite rum --all", "suite run --al-l", "suite images bild", "suite gate --most"]
)
def test_another_is_not_taken(line: str) -> None:
    with pytest.raises(click.UsageError):
        taken(line)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_on_a_page(name: str) -> None:
    assert any(SHOWN.sub("", line).split()[0] == name for _, line in LINES)


def test_every_option_says_what_it_does() -> None:
    context = click.Context(cli)
    silent = [
        f"{name} {one.opts}"
        for name in COMMANDS
        for one in getattr(cli.get_command(context, name), "params", [])
        if isinstance(one, click.Option) and not one.help
    ]
    assert not silent


def test_the_page_of_all_commands_is_the_command_line_s() -> None:
    assert (paths.ROOT / "docs/commands.md").read_text() == page()  # else: make docs/commands.md
