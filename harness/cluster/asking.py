"""A question to one of Slurm's programs: its answer, or that there is none."""

from __future__ import annotations

import subprocess

ANSWER_S = 60


class QueueSilent(Exception):
    """The scheduler does not answer: nobody knows how its jobs are."""


def asked(*command: str) -> str:
    """What it prints. Raises: QueueSilent, in Slurm's words."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=ANSWER_S).stdout
    except (subprocess.SubprocessError, OSError, UnicodeError) as error:
        said = getattr(error, "stderr", None) or str(error)
        if isinstance(said, bytes):  # of one that was too slow
            said = said.decode(errors="replace")
        raise QueueSilent(in_words(said)) from error


def in_words(said: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line]
    return (errors or lines or ["no word"])[-1].removeprefix("sbatch: error: ")[:300]
