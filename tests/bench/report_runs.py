"""How a report grows with its runs: 1 000 to 100 000 of them, of 5 frameworks in 2 stages, values alone.

python -m tests.bench.report_runs [RUNS]...

The runs are made in memory (tests.many_runs); reading their samples is another cost (tests.bench.analysis_scale).
Each page is made by a process of its own; CPU and memory are the whole process's, imports and the making of the runs
included. Opening is Chromium's own clock, as in tests.bench.report_weight.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.report_weight import TARGET_BYTES, TARGET_OPEN_S, Cost, open_s
from tests.many_runs import many_runs

RUNS = (1_000, 10_000, 100_000)
TARGET_MEMORY_BYTES = 4e9


def page(place: Path, runs: int) -> None:
    """Writes it to `place`/page.html."""
    from reports.render import render

    with many_runs(place, runs) as campaign:
        (place / "page.html").write_text(render(campaign))


def made(place: Path, runs: int) -> Cost:
    place.mkdir()
    began = time.monotonic()
    code = f"from pathlib import Path; from tests.bench.report_runs import page; page(Path({str(place)!r}), {runs})"
    pid = os.posix_spawn(sys.executable, [sys.executable, "-W", "ignore", "-c", code], os.environ)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"exit status {status}"
    return Cost(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def main(several: tuple[int, ...], folder: Path) -> None:
    print("| runs | page | written in | of CPU | peak memory | opens in | targets met |")
    print("|---:|---:|---:|---:|---:|---:|---|")
    for runs in several:
        place = folder / str(runs)
        cost = made(place, runs)
        opened_s, weight = (
            open_s(place / "page.html", folder / "profile"),
            (place / "page.html").stat().st_size,
        )
        met = weight < TARGET_BYTES and opened_s < TARGET_OPEN_S and cost.peak_bytes < TARGET_MEMORY_BYTES
        print(
            f"| {runs:,} | {weight / 1e6:.1f} MB | {cost.wall_s:.0f} s | {cost.cpu_s:.0f} s "
            f"| {cost.peak_bytes / 1e6:.0f} MB | {opened_s:.2f} s | {'yes' if met else 'no'} |",
            flush=True,
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        main(tuple(map(int, sys.argv[1:])) or RUNS, Path(temporary))
