"""Tables of many campaigns in one place, as Parquet that DuckDB, Polars and Arrow read at once: a part for each node.

Places are Hive's, `runs/campaign=NAME/node=3/part.parquet`: a question about some campaigns or nodes opens their
files alone. A part has all columns but those of its place.
https://duckdb.org/docs/stable/data/partitioning/hive_partitioning
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from urllib.parse import quote

import pandas as pd

from harness.exports.frames import Frames, as_parquet_file
from harness.records import CampaignRecord

PART = "part.parquet"
OF_NODES = ("runs", "phases", "epochs")  # the other tables are of a campaign as a whole
ONE_NODE = 1  # of a campaign that was not merged
DIGITS = 8  # of what tells campaigns of one name apart


def partitioned(found: Frames, record: CampaignRecord) -> dict[str, bytes]:
    """Place below the data set -> content. The same campaign has the same places again, and no other has them."""
    name, nodes = name_of(record), _nodes(found["runs"])
    return {
        f"{table}/campaign={quote(name, safe='')}/{place}{PART}": as_parquet_file(part)
        for table, frame in found.items()
        for place, part in _parts(table, frame.drop(columns="campaign", errors="ignore"), nodes)
    }


def name_of(record: CampaignRecord) -> str:
    """Machines that are told the same `-o` give their campaigns one name."""
    told = record.model_dump_json(include={"created", "machine", "plan"})
    return f"{record.campaign_id}-{hashlib.sha256(told.encode()).hexdigest()[:DIGITS]}"


def _nodes(runs: pd.DataFrame) -> pd.Series:
    """By run."""
    numbers = runs["node"] if "node" in runs else pd.Series(ONE_NODE, index=runs.index)
    return pd.Series(numbers.to_numpy(), index=runs["run_id"])


def _parts(table: str, frame: pd.DataFrame, nodes: pd.Series) -> Iterator[tuple[str, pd.DataFrame]]:
    if table not in OF_NODES:
        yield "", frame
        return
    bare = frame.drop(columns="node", errors="ignore")
    for node, part in bare.groupby(frame["run_id"].map(nodes).astype(int)):
        yield f"node={node}/", part
