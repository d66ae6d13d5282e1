"""A stand-in for Apptainer, for machines without it: it really starts the command that it is given, below an init.

It makes no namespace: places inside an image or a bind are replaced by those of the host. It knows the options that we
give and no others, refuses a bind whose source is not there, and an image is a folder of links to an environment.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from pathlib import Path

INIT = "import subprocess, sys; code = subprocess.call(sys.argv[1:]); sys.exit(code if code >= 0 else 128 - code)"
FLAGS = ("--userns", "--containall", "--no-home", "--no-privs", "--net", "--no-eval", "--no-umask")
FLAGS_OF_BUILD = ("--userns", "--ignore-subuid", "--ignore-fakeroot-command", "--sandbox")


def install(folder: Path, environment: Path) -> Path:
    """The program `apptainer` in a folder; its images hold what a virtual environment holds. Returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "apptainer"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {__file__} {environment} "$@"\n')
    program.chmod(0o755)
    return folder


def main() -> int:
    environment, verb, *rest = sys.argv[1:]
    if verb == "version":
        print("1.0-stand-in")
        return 0
    return _build(Path(environment), rest) if verb == "build" else _exec(rest)


def _build(environment: Path, words: list[str]) -> int:
    root, written = _parsed(words, FLAGS_OF_BUILD, ("root", "definition"))
    text = Path(written).read_text()
    (image := Path(root)).mkdir()
    copied = text.partition("%files\n")[2].partition("\n\n")[0].splitlines()
    for origin, place in (line.split() for line in copied):
        target = image / place.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-r", origin, target], check=True)
    (image / "opt/venv").symlink_to(environment)
    return 0


def _exec(words: list[str]) -> int:
    end = words.index("/usr/bin/env")
    root, *binds = _parsed(words[:end], FLAGS, ("root",))
    places = [("/opt/", f"{root}/opt/"), *map(_bind, binds)]
    command = [_translated(word, places) for word in words[end:]]
    return subprocess.call([sys.executable, "-c", INIT, *command], cwd="/", env={})


def _parsed(words: list[str], flags: tuple[str, ...], names: tuple[str, ...]) -> list[str]:
    parser = argparse.ArgumentParser("apptainer", allow_abbrev=False)
    for flag in flags:
        parser.add_argument(flag, action="store_true", required=True)
    parser.add_argument("--nv", action="store_true")
    for option in ("--network", "--no-mount", "--pwd") if names == ("root",) else ():
        parser.add_argument(option, required=True)
    parser.add_argument("--mount", action="append", default=[])
    for name in names:
        parser.add_argument(name)
    found = vars(parser.parse_args(words))
    return [*(found[name] for name in names), *(found["mount"] if names == ("root",) else [])]


def _bind(option: str) -> tuple[str, str]:
    """Where something appears inside, and where it is."""
    (row,) = csv.reader([option])
    told = dict(field.partition("=")[::2] for field in row)
    if not Path(told["source"]).exists():
        sys.exit(f"FATAL: {told['source']} is not there")
    return told["destination"], told["source"]


def _translated(word: str, places: list[tuple[str, str]]) -> str:
    """Longer places first: /job/events is in /job."""
    if word == "/job":
        pipes = {Path(source).parent for inside, source in places if inside.startswith("/job/")}
        return str(pipes.pop())
    for inside, source in sorted(places, reverse=True):
        if word == inside or (inside.endswith("/") and inside in word):
            return word.replace(inside, source)
        if word.endswith(f"={inside}"):
            return f"{word.removesuffix(inside)}{source}"
    return word


if __name__ == "__main__":
    if os.environ.get("APPTAINERENV_LEAKED"):
        sys.exit("FATAL: the user's settings of Apptainer came through")
    sys.exit(main())
