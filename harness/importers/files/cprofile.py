"""cProfile's statistics: calls and seconds by function. They are time shares, never energy (rule R38)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from harness.importers.base import SourceError
from harness.importers.files.text import LONGEST_S, content_of
from harness.profiling.function_files import FUNCTION_COLUMNS, FunctionProfile, with_share

UNMARSHAL = Path(__file__).with_name("unmarshal.py")
LIMIT_S = 120.0


def read(path: Path) -> FunctionProfile:
    """The functions with their share of the total own time, the costliest first, and who called whom.

    The file is unmarshalled in a process of its own with limits (unmarshal.py), since marshal is not safe against
    hostile data. Raises: SourceError for a file that holds no such statistics.
    """
    content = content_of(path)
    if not content:
        raise SourceError(path, "the file is empty")
    told = _unmarshal(path, content)
    frame = pd.DataFrame(told["functions"], columns=FUNCTION_COLUMNS[:-1])
    total_s = float(frame["own_s"].sum())
    if not 0 < total_s < LONGEST_S or frame["own_s"].min() < 0:
        raise SourceError(path, f"{total_s:g} s in all functions")
    return FunctionProfile.of(with_share(frame, total_s), told["calls"])


def _unmarshal(path: Path, content: bytes) -> dict[str, Any]:
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
    told: dict[str, Any] = json.loads(done.stdout)
    return told
