"""How long DuckDB takes to ask a partitioned data set of up to a million runs: every ratio, of all and of each node.

python -m tests.bench.dataset_query [RUNS]...

Made-up runs of ten campaigns, 100 runs to a node, as `suite export --format dataset` lays them down. Each row is a
process of its own; CPU and memory are the whole process's, DuckDB's import included, the making of the files not.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.bench.analysis_runs import cost, frame

RUNS = (10_000, 100_000, 1_000_000)
CAMPAIGNS, RUNS_OF_A_NODE = 10, 100
RATIOS = """
    with kind as (
        select campaign, node, framework, avg(ln(duration_s)) as seconds, avg(ln(energy_j)) as joules
        from read_parquet('{place}/runs/**/*.parquet', hive_partitioning = true)
        where outcome = 'ok' and purpose = 'measure' group by all
    )
    select a.framework, exp(avg(a.seconds - b.seconds)), exp(avg(a.joules - b.joules)), stddev(a.joules - b.joules)
    from kind a join kind b using (campaign, node) where b.framework = 'torch' group by all order by all
"""


def lay_down(place: Path, runs: int) -> int:
    """How many bytes that takes."""
    nodes = max(2, runs // CAMPAIGNS // RUNS_OF_A_NODE)
    for campaign in range(CAMPAIGNS):
        for node, part in frame(runs // CAMPAIGNS, nodes).groupby("node"):
            folder = place / "runs" / f"campaign=c{campaign}" / f"node={node}"
            folder.mkdir(parents=True)
            part.drop(columns=["campaign", "node"]).to_parquet(folder / "part.parquet", index=False)
    return sum(one.stat().st_size for one in place.rglob("*.parquet"))


def asked(place: str) -> None:
    import duckdb

    duckdb.sql("set enable_progress_bar = false")
    assert len(duckdb.sql(RATIOS.format(place=place)).fetchall()) == 5


def main(several: tuple[int, ...]) -> None:
    print("| runs | files | bytes | wall | CPU | peak memory |\n|---:|---:|---:|---:|---:|---:|")
    for runs in several:
        with tempfile.TemporaryDirectory() as folder:
            size = lay_down(Path(folder), runs)
            files = sum(1 for _ in Path(folder).rglob("*.parquet"))
            wall_s, cpu_s, peak = cost(f"from tests.bench.dataset_query import asked; asked({folder!r})")
        told = f"{size / 1e6:.0f} MB | {wall_s:.1f} s | {cpu_s:.1f} s | {peak / 1e9:.2f} GB"
        print(f"| {runs:,} | {files:,} | {told} |", flush=True)


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or RUNS)
