"""The page of all commands, docs/commands.md, as the command line describes itself.

python -m tests.commands_page > docs/commands.md
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from harness.cli import SECTIONS, cli
from harness.cli.examples import EXAMPLES

HEAD = """# Commands

What `suite COMMAND --help` prints, on one page; made by `make docs/commands.md`.
"""


def page() -> str:
    return "\n".join([HEAD, *_sections()])


def _sections() -> Iterator[str]:
    context = click.Context(cli, info_name="suite")
    for title, names in SECTIONS.items():
        yield f"## {title}\n"
        for name in names:
            command = cli.get_command(context, name)
            assert command is not None
            yield from _of(command, click.Context(command, parent=context, info_name=name))


def _of(command: click.Command, context: click.Context) -> Iterator[str]:
    words = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield f"### `{context.command_path}`\n\n```\n{words}\n```\n\n{_text(command)}\n"
    if rows := [
        row for one in command.params if isinstance(one, click.Option) and (row := _row(one, context))
    ]:
        yield "\n".join(["| option | what it does |", "|---|---|", *rows]) + "\n"
    if name := command.name if command.epilog else None:
        yield _examples(name)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _of(inner, click.Context(inner, parent=context, info_name=name))


def _examples(name: str) -> str:
    lines = EXAMPLES[name]
    width = max(len(line) for line, _ in lines)
    return "```sh\n" + "".join(f"{line.ljust(width)}  # {words}\n" for line, words in lines) + "```\n"


def _text(command: click.Command) -> str:
    r"""Paragraphs that click shall not wrap, after \b, are code."""
    paragraphs = inspect.cleandoc(command.help or "").replace("\f", "").split("\n\n")
    return "\n\n".join(
        "```\n" + one.removeprefix("\b\n") + "\n```" if one.startswith("\b") else " ".join(one.split())
        for one in paragraphs
    )


def _row(one: click.Parameter, context: click.Context) -> str:
    if (record := one.get_help_record(context)) is None:
        return ""
    option, told = (" ".join(cell.split()).replace("|", "\\|") for cell in record)
    return f"| `{option}` | {told} |"


if __name__ == "__main__":
    print(page(), end="")
