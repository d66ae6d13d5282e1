"""What bash, zsh and fish make of what fits: click's own scripts, mended where they fail in a real shell."""

from __future__ import annotations

import os

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

ANY = "x"  # put behind what is typed: the last word is then never empty
# What readline parts words at, of that with which options, versions and paths are written: where the next word begins.
BREAKS = {"=": 1, ":": 1, "@": 0}
SOURCE_BASH = """\
%(complete_func)s() {
    local completion response type value IFS=$'\\n'

    response=$(env COMP_WORDS="${COMP_LINE:0:COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
        %(complete_var)s=bash_complete "$1")

    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"

        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$value")
        fi
    done
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeWords(ShellComplete):
    """`--option=value` is one word for a shell: what completes it begins with the option."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        found = super().get_completions(args, incomplete)
        option, joined, _ = incomplete.partition("=")
        if not (joined and option.startswith("--")):
            return found
        return [_named(one, f"{option}={one.value}") for one in found]


class Bash(WholeWords, BashComplete):
    """Is given the line: readline, and bash with it, parts words at `=` and at the `@` before a version."""

    source_template = SOURCE_BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        *args, last = split_arg_string(os.environ["COMP_WORDS"] + ANY)
        return args[1:], last.removesuffix(ANY)

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Without what readline takes for words before the last."""
        breaks = [one for one in os.environ.get("COMP_WORDBREAKS", "") if one in BREAKS and one in incomplete]
        start = max((incomplete.rindex(one) + BREAKS[one] for one in breaks), default=0)
        return [_named(one, one.value[start:]) for one in super().get_completions(args, incomplete)]


class Zsh(WholeWords, ZshComplete):
    """As click has it, but for whole words."""


class Fish(WholeWords, FishComplete):
    """With all that is said of a word, also what stands behind a comma."""

    source_template = FishComplete.source_template.replace("string split", "string split --max 1")


def _named(item: CompletionItem[str], value: str) -> CompletionItem[str]:
    """Files and folders are found by the shell itself, and keep what was typed."""
    return CompletionItem(value, item.type, item.help) if item.type == "plain" else item
