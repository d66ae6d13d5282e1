"""Imported runs -> a campaign folder, whole or not at all."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from harness import shape_errors, store
from harness.energy.series import NS_PER_S, Series
from harness.errors import CampaignError
from harness.importers.base import Imported, ImportedRun
from harness.importers.describing import campaign_record
from harness.records import IMPORTED, CampaignRecord, PlannedRun, RunRecord
from harness.worker.events import EVENTS_FILE
from suite.protocol import Event

PAUSE_NS = int(NS_PER_S)  # between runs whose files tell no time
SCHEMA = pa.schema(
    [("t_ns", pa.int64()), ("channel", pa.dictionary(pa.int16(), pa.string())), ("value", pa.float64())]
)


def write(imported: Imported, format_name: str, out: Path) -> Path:
    """A campaign of these runs at `out`, made beside it and renamed into place; `out` must be new or empty."""
    store.require_new(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{out.name}.partial-", dir=out.parent) as beside:
            apart = Path(beside) / out.name
            _fill(apart, imported, format_name)
            apart.replace(out)  # onto an empty folder, or where none was
    except OSError as error:
        raise CampaignError(f"cannot write the campaign to {out}: {error.strerror}") from error
    except (
        ValidationError,
        OverflowError,
    ) as error:  # together, what each file says may be beyond a campaign
        reason = shape_errors.message(error) if isinstance(error, ValidationError) else error
        raise CampaignError(f"cannot write the campaign to {out}: {reason}") from error
    return out


def _fill(folder: Path, imported: Imported, format_name: str) -> None:
    record = campaign_record(imported, format_name)
    store.create_campaign(folder, record)
    begin_ns = 0
    for planned, run in zip(record.order, imported.runs, strict=True):
        start_ns = begin_ns if run.begin_ns is None else run.begin_ns
        _write_run(folder, imported.root, record, planned, run, start_ns)
        begin_ns = start_ns + run.duration_ns + PAUSE_NS


def _write_run(
    folder: Path, root: Path, record: CampaignRecord, planned: PlannedRun, run: ImportedRun, start_ns: int
) -> None:
    shift_ns = start_ns if run.begin_ns is None else 0
    end_ns = start_ns + run.duration_ns
    apart = folder / store.UNFINISHED / planned.run_id
    apart.mkdir()
    _write_events(apart / EVENTS_FILE, run.events, shift_ns)
    _write_samples(apart / store.SAMPLES_FILE, run.series, shift_ns)
    for name, text in run.attachments.items():
        (apart / name).write_bytes(text.encode("utf-8", "replace"))
    names = tuple(str(path.relative_to(root)) for path in run.sources)
    told = RunRecord(
        campaign_id=record.campaign_id, planned=planned, isolation=IMPORTED,
        environment=dict(run.environment), sources=names, started=run.started, start_ns=start_ns, ready_ns=None,
        go_ns=start_ns, done_ns=end_ns, exit_ns=end_ns, exit_code=None, outcome=run.outcome, reason=run.reason,
        channels=run.channels, findings=run.findings, lost=run.lost, campaign_identity=record.identity,
    )  # fmt: skip
    store.store_run(folder, apart, told)


def _write_events(path: Path, events: Sequence[Event], shift_ns: int) -> None:
    rows = [{"t_ns": event.t_ns + shift_ns, "kind": event.kind, **event.data} for event in events]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _write_samples(path: Path, series: Sequence[Series], shift_ns: int) -> None:
    """In the layout of harness.sampling.writing, channel by channel."""
    if not series:
        return
    names = pa.array([one.channel.name for one in series], pa.string())
    codes = np.repeat(np.arange(len(series), dtype=np.int16), [len(one.t_ns) for one in series])
    columns: list[Any] = [
        pa.array(np.concatenate([one.t_ns for one in series]) + shift_ns),
        pa.DictionaryArray.from_arrays(pa.array(codes), names),
        pa.array(np.concatenate([one.values for one in series])),
    ]
    pq.write_table(pa.Table.from_arrays(columns, schema=SCHEMA), path, compression="zstd")
