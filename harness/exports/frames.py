"""Tidy tables for spreadsheets, notebooks and databases: a unit in every column name, floats that read back exactly."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping

import pandas as pd

from harness.analysis import stated
from harness.analysis.quantities import GPU_MEMORY, UNITS, recorded
from harness.analysis.run_rows import WORK
from harness.analysis.summary import Analysis
from harness.analysis.tables import PHASE_COLUMNS, tables
from harness.exports.counts import counted
from harness.exports.csv_text import as_text
from harness.records import Purpose
from harness.store import Campaign

JSON_FILE = "tables.json"

Frames = Mapping[str, pd.DataFrame]


def frames(campaign: Campaign, analysis: Analysis) -> Frames:
    """runs (excluded ones too), phases, epochs, and costs: a row per treatment and quantity, whose name has a unit.

    Runs under a profiler are in `runs` alone, whose column `purpose` tells them apart.

    Where a user stated what a kilowatt-hour stands for, also stated: kWh, emissions and money of a run.
    Of a merged campaign also nodes, each one's own ratios, and heterogeneity, how much they differ.
    """
    raw = tables(campaign)
    merged = {"nodes": analysis.apart.own, "heterogeneity": analysis.apart.together}
    return {
        "runs": counted(raw.runs, _counts(raw.runs)),
        "phases": _of_runs(raw.phases[PHASE_COLUMNS], raw.runs),
        "epochs": _of_runs(raw.epochs, raw.runs),
        "costs": counted(analysis.costs),
        **(merged if campaign.record.sources else {}),
        **({"stated": _stated(analysis)} if analysis.stated else {}),
    }


def _stated(analysis: Analysis) -> pd.DataFrame:
    return pd.DataFrame(stated.rows(analysis.costs.to_dict("records"), analysis.stated))


def _of_runs(rows: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """With the provenance of its run's joules: nobody looks it up in another file."""
    provenances = dict(zip(runs["run_id"], runs["provenance"], strict=True))
    told = counted(_unprofiled(rows, runs), ["epoch"])
    of_each = [provenances[one] for one in told["run_id"]]
    return told.assign(provenance=pd.Series(of_each, index=told.index, dtype=object))


def _unprofiled(rows: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    return rows[~rows["run_id"].isin(runs.loc[runs["purpose"] == Purpose.PROFILE, "run_id"])]


def _counts(runs: pd.DataFrame) -> list[str]:
    """Columns that need no decimal point."""
    whole = {one.name for one in (*recorded(), GPU_MEMORY) if one.unit == "bytes"}
    return [name for name in runs.columns if name in whole or name in WORK or name.startswith(UNITS)]


def as_csv(found: Frames) -> dict[str, bytes]:
    """File name -> content, for spreadsheets; unknown is an empty cell."""
    return {f"{name}.csv": as_text(frame).encode("utf-8", "replace") for name, frame in found.items()}


def as_parquet(found: Frames) -> dict[str, bytes]:
    return {f"{name}.parquet": as_parquet_file(frame) for name, frame in found.items()}


def as_json(found: Frames) -> dict[str, bytes]:
    """One object with a list of rows per table; what is unknown, or beyond every number, is null."""
    rows = {name: _finite(frame).to_dict("records") for name, frame in found.items()}
    return {JSON_FILE: (json.dumps(rows, indent=1, allow_nan=False, default=str) + "\n").encode()}


ENCODINGS: Mapping[str, Callable[[Frames], dict[str, bytes]]] = {
    "csv": as_csv,
    "parquet": as_parquet,
    "json": as_json,
}


def _finite(frame: pd.DataFrame) -> pd.DataFrame:
    plain = frame.astype(object)
    return plain.where(frame.notna() & ~frame.isin([float("inf"), float("-inf")]), None)


def as_parquet_file(frame: pd.DataFrame) -> bytes:
    """Texts as texts, even in a column that is empty throughout."""
    texts = {name: "string" for name in frame.columns if frame[name].dtype == object}
    buffer = io.BytesIO()
    frame.astype(texts).to_parquet(buffer, index=False)
    return buffer.getvalue()
