"""Tables of profiles that lie in a run's folder: anybody may have written them, so each is checked as it is read."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from harness.errors import UsageError
from harness.files.untrusted import printable, read_beneath

MOST_BYTES, MOST_ROWS, LONGEST_TEXT = 64 << 20, 50_000, 500
TEXT, COUNT, AMOUNT, UNKNOWN = "text", "count", "amount", "amount or unknown"
KINDS: dict[str, Any] = {TEXT: str, COUNT: "int64", AMOUNT: "float64", UNKNOWN: "float64"}
LARGEST = 1e30


def read(
    folder: Path, name: str, columns: Mapping[str, str], remedy: str, more: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """A table with at least these columns, of these kinds, no number below 0 or infinite; texts are printable.

    `more`: columns that may be lacking, which are null then.
    Raises: UsageError for a file that is not there, or no such table.
    """
    path, every = printable(folder / name), {**columns, **(more or {})}
    try:
        content = io.BytesIO(read_beneath(folder, name, MOST_BYTES))
        found = pd.read_csv(
            content, dtype={one: KINDS[kind] for one, kind in every.items()}, keep_default_na=False,
            na_values={one: [""] for one, kind in every.items() if kind == UNKNOWN},
            usecols=every.__contains__, nrows=MOST_ROWS, encoding_errors="replace",
        )  # fmt: skip
        if lacking := [one for one in columns if one not in found]:
            raise ValueError(f"it lacks the column {lacking[0]}")
        return _checked(found.reindex(columns=list(every)), every)
    except FileNotFoundError:
        raise UsageError(f"{path} is not there: {remedy}") from None
    except (ValueError, OverflowError) as error:
        wrong = printable(str(error).splitlines()[0] if str(error) else type(error).__name__)[:200]
        raise UsageError(f"{path} cannot be read ({wrong}): {remedy}") from None


def _checked(frame: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    for name, kind in columns.items():
        if kind == TEXT:
            frame = frame.assign(**{name: [printable(one[:LONGEST_TEXT]) for one in frame[name]]})
            continue
        values = frame[name].to_numpy(float)
        known = values[~np.isnan(values)] if kind == UNKNOWN else values
        if not ((known >= 0) & (known < LARGEST)).all():
            raise ValueError(f"a {name} that is none")
    return frame
