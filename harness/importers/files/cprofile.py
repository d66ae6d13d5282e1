"""cProfile's statistics: calls and seconds by function. They are time shares, never energy (rule R38)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd

from harness.importers.base import SourceError
from harness.importers.files.text import LONGEST_S, content_of

UNMARSHAL = Path(__file__).with_name("unmarshal.py")
COLUMNS = ["file", "line", "function", "primitive_calls", "calls", "own_s", "cumulative_s"]
LIMIT_S = 120.0


def read(path: Path) -> pd.DataFrame:
    """COLUMNS and `share` of the total own time, the costliest first.

    The file is unmarshalled in a process of its own with limits (unmarshal.py), since marshal is not safe against
    hostile data. Raises: SourceError for a file that holds no such statistics.
    """
    content = content_of(path)
    if not content:
        raise SourceError(path, "the file is empty")
    rows = _unmarshal(path, content)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    total_s = float(frame["own_s"].sum())
    if not 0 < total_s < LONGEST_S or frame["own_s"].min() < 0:
        raise SourceError(path, f"{total_s:g} s in all functions")
    frame = frame.assign(share=frame["own_s"] / total_s)
    return frame.sort_values("own_s", ascending=False, kind="stable", ignore_index=True)


def _unmarshal(path: Path, content: bytes) -> list[list[object]]:
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(UNMARSHAL)],
            input=content,
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise SourceError(path, f"not understood within {LIMIT_S:g} s") from error
    if done.returncode:
        raise SourceError(path, "no cProfile statistics, or cut short")
    rows: list[list[object]] = json.loads(done.stdout)
    return rows


def kept(frame: pd.DataFrame, least_share: float) -> pd.DataFrame:
    """The functions of at least this share of the total own time."""
    return frame[frame["share"] >= least_share]
