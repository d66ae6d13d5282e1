"""The Tab key in bash and zsh as people have them before them, and what fish offers."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import paths
from harness.cli import SECTIONS

DEADLINE_S = 30.0
SHOW, CLEAR = "\x14", "\x15"  # Ctrl-T, Ctrl-U
BASH = (
    ["bash", "--norc", "--noprofile", "-i"],
    """bind 'set enable-bracketed-paste off'; bind -x '"\\C-t": echo "<<$READLINE_LINE>>"'""",
)
ZSH = (
    ["zsh", "-f", "-i"],
    "autoload -Uz compinit; compinit -u -D; show() { print -r -- $'\\n'\"<<$BUFFER>>\" }; zle -N show; "
    "bindkey '^T' show; bindkey '^U' kill-whole-line",
)
LINES = [
    ("suite verif", "suite verify "),
    ("suite run -w mnist_m", "suite run -w mnist_mlp "),
    ("suite run -w mnist_mlp -f skl", "suite run -w mnist_mlp -f sklearn "),
    ("suite run -f tensorflow@2.20", "suite run -f tensorflow@2.20.0 "),
    ("suite run --framework=tensorflow@2.20", "suite run --framework=tensorflow@2.20.0 "),
    ("suite run --workload=gn", "suite run --workload=gnmt "),
    ("suite run --dev", "suite run --device "),
    ("suite run --profile sche", "suite run --profile schep25 "),
    ("suite run --profile ./my", "suite run --profile ./my.toml "),
    ("suite report ", "suite report results/one "),
    ("suite report results/", "suite report results/one "),
    ("suite report elsew", "suite report elsewhere/"),
    ("suite compare results/o", "suite compare results/one "),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with a campaign, and a `suite` that the shells find."""
    folder = tmp_path_factory.mktemp("place")
    for name in ("results/one", "elsewhere"):
        (folder / name).mkdir(parents=True)
    (folder / "results/one/campaign.json").touch()
    (folder / "my.toml").touch()
    program = folder / "bin/suite"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m harness.cli "$@"\n')
    program.chmod(0o755)
    return folder


def environment(place: Path) -> dict[str, str]:
    own = {"PATH": f"{place / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(paths.ROOT), "TERM": "dumb"}
    return {**os.environ, **own, "HOME": str(place)}


def _need(shell: str) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not here: tests/programs.sh installs it")


class Terminal:
    """A shell in a terminal of its own."""

    def __init__(self, words: list[str], place: Path) -> None:
        own, its = pty.openpty()
        self.process = subprocess.Popen(
            words, cwd=place, env=environment(place), stdin=its, stdout=its, stderr=its, start_new_session=True,
        )  # fmt: skip
        os.close(its)
        self.own, self.told = own, ""

    def type(self, keys: str) -> None:
        os.write(self.own, keys.encode())

    def line(self, number: int) -> str:
        """Of the lines that were shown."""
        end_s = time.monotonic() + DEADLINE_S
        while len(shown := re.findall(r"\n<<(.*?)>>", self.told)) <= number:
            assert select.select([self.own], [], [], max(0.0, end_s - time.monotonic()))[0], self.told
            self.told += os.read(self.own, 65536).decode()
        return str(shown[number])

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.own)


@pytest.fixture(params=[BASH, ZSH], ids=["bash", "zsh"])
def terminal(request: pytest.FixtureRequest, place: Path) -> Iterator[Terminal]:
    words, setting = request.param
    _need(words[0])
    shell = Terminal(words, place)
    try:
        shell.type(f'{setting}; eval "$(_SUITE_COMPLETE={words[0]}_source suite)"\r')
        yield shell
    finally:
        shell.close()


@pytest.mark.unhurried
def test_the_tab_key_completes(terminal: Terminal) -> None:
    found = []
    for number, (typed, _) in enumerate(LINES):
        terminal.type(f"{typed}\t{SHOW}")
        found.append(terminal.line(number))
        terminal.type(CLEAR)
    assert found == [expected for _, expected in LINES]


def _fish(place: Path, lines: list[str]) -> list[str]:
    """What it offers for each: words, with what is said of them behind a tab."""
    asked = "".join(f"complete -C '{line}' | string join ', '; echo\n" for line in lines)
    script = f"_SUITE_COMPLETE=fish_source suite | source\n{asked}"
    words = ["fish", "--no-config", "-c", script]
    done = subprocess.run(
        words, cwd=place, env=environment(place), capture_output=True, text=True, check=True
    )
    return done.stdout.split("\n\n")


@pytest.mark.unhurried
def test_fish_offers_the_same(place: Path) -> None:
    _need("fish")
    *offered, merge, _ = _fish(place, [*(typed for typed, _ in LINES), "suite merg"])
    assert [one.split("\t")[0] for one in offered] == [line.split()[-1] for _, line in LINES]
    assert merge == f"merge\t{SECTIONS['Read what was measured']['merge']}"
