"""What a command costs before it does anything: CPU of a process of its own, and in times of `import click`.

python -m tests.bench.startup [ROUNDS]

The least of the rounds, which what else the machine does disturbs least. A slow machine is slow in both: the ratio
tells it from a slow command. As an installed suite has it, Python keeps the bytecode that it compiles, whatever
PYTHONDONTWRITEBYTECODE says here: a round before those that count writes it.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.campaigns import Recipe, build

BARE = ["-c", "import click"]
SUITE = ["-m", "harness.cli"]
COMPLETING = {"_SUITE_COMPLETE": "bash_complete", "COMP_WORDS": "suite "}
AT_ONCE_S, SOON_S = 0.25, 0.6
ROUNDS = 5
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
QUIET = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]


def cpu_s(words: Sequence[str], environment: Mapping[str, str] = {}) -> float:
    kept = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    pid = os.posix_spawn(
        sys.executable, [sys.executable, *words], {**kept, **environment}, file_actions=QUIET
    )
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"{words}: exit status {status}"
    return usage.ru_utime + usage.ru_stime


def commands(campaign: Path) -> dict[str, tuple[Sequence[str], Mapping[str, str], float]]:
    """What is shown -> words, environment and the CPU that it may take."""
    at_once = {"suite --help": ["--help"], "suite --version": ["--version"]}
    soon = {
        "suite status": ["status", str(campaign)],
        "suite plan show": ["plan", "show"],
        **{
            f"suite {name} --help": [name, "--help"]
            for name in ("run", "gate", "compare", "report", "export")
        },
    }
    return {
        **{name: (words, {}, AT_ONCE_S) for name, words in at_once.items()},
        "completion": ([], COMPLETING, AT_ONCE_S),
        **{name: (words, {}, SOON_S) for name, words in soon.items()},
    }


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "campaign"
        build(place, Recipe())
        asked = {"python, import click": (BARE, {}, None)}
        asked |= {
            name: ([*SUITE, *words], given, most) for name, (words, given, most) in commands(place).items()
        }
        found = {name: [] for name in asked}
        for number in range(rounds + 1):
            for name, (words, given, _most) in asked.items():
                cost_s = cpu_s(words, given)
                found[name] += [cost_s] if number else []
    bare_s = min(found["python, import click"])
    print("| command | CPU | times a bare click | target | met |\n|---|---|---|---|---|")
    for name, (_, _, most) in asked.items():
        least = min(found[name])
        target, met = ("", "") if most is None else (f"< {most} s", "yes" if least < most else "**no**")
        print(f"| {name} | {least:.2f} s | {least / bare_s:.1f} | {target} | {met} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)
