"""docs/reference/records.md: what stands in each record on disk, of the models that read and write them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args

from harness import records
from harness.calibration.records import Calibrations, KeptCalibration
from harness.cluster.records import BlockRecord, ClusterRecord, JobRecord, NodeRecord, ToldRecord
from harness.records import CampaignRecord, Record, RunRecord, StopRecord
from tests.reference.types_told import default_told, type_told

FILES: dict[str, type[Record]] = {
    "campaign.json": CampaignRecord,
    "runs/<run>/run.json": RunRecord,
    "stop.json": StopRecord,
    "calibration.json of a campaign": KeptCalibration,
    "calibration.json of the home folder": Calibrations,
    "cluster/asked.json": ClusterRecord,
    "cluster/jobs/<id>.json": JobRecord,
    "cluster/told/<id>.json": ToldRecord,
    "cluster/nodes/<name>.json": NodeRecord,
    "block.json": BlockRecord,
}
HEAD = f"""\
# Records on disk

Each is JSON, written whole or not at all, and never changed. `format_version` is {records.FORMAT_VERSION} everywhere;
another one is refused with its number. An unknown key is refused, too: no record is read in part. Times whose names
end in `_ns` are nanoseconds of the machine's CLOCK_MONOTONIC; unknown is `null`. This page is made by `make reference`.

The history of the format:

```
{inspect.cleandoc(records.__doc__ or "").partition("FORMAT_VERSION")[2].strip()}
```

Beside the records of a run lie `events.jsonl` (one JSON object a line: phases and metrics, as the worker told them),
`samples.parquet` (`t_ns` int64, `channel` text, `value` float64) and `console.log`.
"""
COMMENT = re.compile(r"#\s*(.*)$")


def page() -> str:
    return HEAD + "".join(_files()) + "\n## Within them\n" + "".join(_inner())


def _files() -> Iterator[str]:
    for name, record in FILES.items():
        yield f"\n## {name}\n{_of(record)}"


def _inner() -> Iterator[str]:
    for record in sorted(_within(), key=lambda one: one.__name__):
        yield f"\n### {record.__name__}\n{_of(record)}"


def _within() -> set[type[Record]]:
    found: set[type[Record]] = set()
    left: list[Any] = list(FILES.values())
    while left:
        for field in left.pop().model_fields.values():
            new = set(_named(field.annotation)) - found
            found |= new
            left += new
    return found


def _named(kind: Any) -> Iterator[type[Record]]:
    if isinstance(kind, type) and not get_args(kind):
        if issubclass(kind, Record):
            yield kind
        return
    for inner in get_args(kind):
        yield from _named(inner)


def _of(record: type[Record]) -> str:
    said = inspect.cleandoc(record.__doc__ or "")
    text = f"\n{said}\n" if record.__doc__ and record.__doc__ != Record.__doc__ else ""
    told = comments(record)
    rows = "".join(
        f"| `{name}` | {type_told(one)} | {default_told(one)} | {told.get(name, '')} |\n"
        for name, one in record.model_fields.items()
    )
    return f"{text}\n| key | type | default | |\n|---|---|---|---|\n{rows}"


def comments(record: type[Record]) -> dict[str, str]:
    """What stands beside each field in the code, of its class and those that it is made of."""
    found: dict[str, str] = {}
    for one in reversed(record.__mro__):
        if issubclass(one, Record) and one is not Record:
            found |= _beside(inspect.getsource(one), one.__annotations__)
    return found


def _beside(source: str, names: Any) -> dict[str, str]:
    """A field's comments are those on its lines, up to the next field or an empty line."""
    found: dict[str, list[str]] = {}
    name = None
    for line in source.splitlines():
        start = re.match(r"    (\w+): ", line)
        if start and start[1] in names:
            name = start[1]
        elif re.match(r"    [@#a-z]", line) or not line.strip():
            name = None
        if name and (comment := COMMENT.search(line)):
            found.setdefault(name, []).append(comment[1])
    return {one: " ".join(parts).replace("|", "\\|") for one, parts in found.items()}
