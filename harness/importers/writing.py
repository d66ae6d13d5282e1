"""Imported runs -> a campaign folder, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from harness import store
from harness.errors import CampaignError
from harness.importers import blocks
from harness.importers.base import Imported, ImportedRun
from harness.records import IMPORTED, CampaignRecord, Plan, PlannedRun, PowerModel, RunRecord
from harness.series import NS_PER_S, Series
from suite.protocol import EVENTS_FILE, Event

PAUSE_NS = int(NS_PER_S)  # between runs whose files tell no time
SCHEMA = pa.schema(
    [("t_ns", pa.int64()), ("channel", pa.dictionary(pa.int16(), pa.string())), ("value", pa.float64())]
)


def write(imported: Imported, format_name: str, out: Path) -> Path:
    """A campaign of these runs at `out`, made beside it and renamed into place; `out` must be new or empty."""
    store.require_new(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    apart = Path(tempfile.mkdtemp(prefix=f".{out.name}.partial-", dir=out.parent))
    try:
        _fill(apart, imported, format_name)
        apart.chmod(0o755)
        apart.replace(out)  # onto an empty folder, or where none was
    except OSError as error:
        raise CampaignError(f"cannot write the campaign to {out}: {error.strerror}") from error
    finally:
        shutil.rmtree(apart, ignore_errors=True)
    return out


def _fill(folder: Path, imported: Imported, format_name: str) -> None:
    record = _campaign(imported, format_name)
    store.create_campaign(folder, record)
    begin_ns = 0
    for planned, run in zip(record.order, imported.runs, strict=True):
        start_ns = begin_ns if run.begin_ns is None else run.begin_ns
        _write_run(folder, imported.root, record, planned, run, start_ns)
        begin_ns = start_ns + run.duration_ns + PAUSE_NS


def _campaign(imported: Imported, format_name: str) -> CampaignRecord:
    created = datetime.now(UTC).isoformat(timespec="seconds")
    channels = {channel.name: channel for run in imported.runs for channel in run.channels}
    files = {str(path.relative_to(imported.root)): _sha256(path) for path in imported.files}
    return CampaignRecord(
        campaign_id=f"{created[:10]}-{format_name}-{imported.root.name}",
        created=created,
        plan=_plan(imported.runs),
        order=tuple(_order(imported.runs)),
        isolation=IMPORTED,
        machine={"imported_from": format_name, "folder": imported.root.name, "files": files},
        channels=tuple(channels.values()),
        unavailable=(),
        findings=(*imported.findings, *blocks.findings(_measured(imported.runs))),
    )


def _plan(runs: Sequence[ImportedRun]) -> Plan:
    """What the files say of a plan: its treatments and repetitions. Nothing was timed out, seeded or modelled here."""
    measured = _measured(runs)
    return Plan(
        profile=IMPORTED,
        treatments=tuple({run.treatment.model_dump_json(): run.treatment for run in measured}.values()),
        repetitions=max(run.repetition for run in measured),
        seed=0,
        sample_period_s=_period_s(measured),
        baseline_s=0.0,
        run_timeout_s=0.0,
        power_model=PowerModel(idle_w=0.0, busy_cpu_w=0.0),
        expected_run_s=float(np.median([run.duration_ns for run in measured])) / NS_PER_S,
    )


def _measured(runs: Sequence[ImportedRun]) -> list[ImportedRun]:
    """All of them where none is: profiles alone are a campaign, too."""
    return [run for run in runs if run.purpose == "measure"] or list(runs)


def _period_s(runs: Sequence[ImportedRun]) -> float:
    steps = [np.diff(one.t_ns) for run in runs for one in run.series if len(one.t_ns) > 1]
    return float(np.median(np.concatenate(steps))) / NS_PER_S if steps else 0.0


def _order(runs: Sequence[ImportedRun]) -> Iterator[PlannedRun]:
    """As in the files; a block is a repetition."""
    for position, run in zip(count(1), runs):
        one = run.treatment
        settings = "".join(f"-{name}{value}" for name, value in one.settings.items())
        yield PlannedRun(
            run_id=f"{position:04d}-{one.workload}-{one.framework}-{one.stage}{settings}-{run.repetition}",
            block=run.repetition,
            position=position,
            repetition=run.repetition,
            treatment=one,
            purpose=run.purpose,
        )


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
        (apart / name).write_text(text)
    names = tuple(str(path.relative_to(root)) for path in run.sources)
    told = RunRecord(
        campaign_id=record.campaign_id, planned=planned, isolation=IMPORTED,
        environment=dict(run.environment), sources=names, started=run.started, start_ns=start_ns, ready_ns=None,
        go_ns=start_ns, done_ns=end_ns, exit_ns=end_ns, exit_code=None, outcome=run.outcome, reason=run.reason,
        channels=run.channels, findings=run.findings, lost=run.lost,
    )  # fmt: skip
    store.store_run(folder, apart, told, ())


def _write_events(path: Path, events: Sequence[Event], shift_ns: int) -> None:
    rows = [{"t_ns": event.t_ns + shift_ns, "kind": event.kind, **event.data} for event in events]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def _write_samples(path: Path, series: Sequence[Series], shift_ns: int) -> None:
    """In the layout of harness.spool, channel by channel."""
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


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
