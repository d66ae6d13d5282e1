"""What a report weighs, and what it takes to write and to open it: of 44 runs, of 360, of a study, of 2 000.

python -m tests.bench.report_weight [FOLDER]    FOLDER keeps the campaigns for another time

Writing is `suite report` as a process of its own, as an installed suite has it, with bytecode: wall time and CPU,
imports and all, and its peak of resident memory; of three, the one with the least CPU. Opening
is Chromium's own clock, from the start of the navigation to the end of the load event; the median of five.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from tests.bench.startup import NO_BYTECODE
from tests.big_campaign import BIG
from tests.campaigns import Recipe, build
from tests.reports.chromium import chromium

FRAMEWORKS = {"torch": 1.0, "tensorflow": 1.3, "keras": 1.01, "jax": 0.97, "sklearn": 0.8}
WORKLOADS = tuple(f"workload_{number:02d}" for number in range(1, 13))
OPENINGS, WRITINGS = 5, 3
QUIET = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
TARGET_BYTES, TARGET_OPEN_S, TARGET_WRITE_S, TARGET_MEMORY_BYTES = 8e6, 2.0, 60.0, 2e9
TARGET_CPU_S = 10.0  # of the first, which everybody writes


@dataclass(frozen=True)
class Cost:
    wall_s: float
    cpu_s: float
    peak_bytes: int


def recipe(blocks: int, workloads: tuple[str, ...], stages: tuple[str, ...]) -> Recipe:
    first, *more = workloads
    return Recipe(
        frameworks=FRAMEWORKS, workload=first, more_workloads=tuple(more), blocks=blocks, stages=stages,
        noise=0.03, seconds=60.0, epochs=10, ripple=0.1,
    )  # fmt: skip


MORE = ("gnmt", "llm", "mask_rcnn", "resnet", "resnet50_imagenet", "ssd", "transformer_xl")
TEN_MINUTES = replace(
    BIG, more_workloads=(*BIG.more_workloads, *MORE), frameworks={"torch": 1.0, "jax": 0.98}, blocks=1,
    unfinished=20,  # the budget's end
)  # fmt: skip
STUDIES = {
    "as `make run`: 44 runs of 30 kinds of work": TEN_MINUTES,
    "9 workloads x 5 frameworks x 2 stages, 360 runs": BIG,
    "5 frameworks x 12 workloads x 10 repetitions": recipe(10, WORKLOADS, ("train",)),
    "2 000 runs of 10 works": recipe(40, WORKLOADS[:5], ("train", "infer")),
}


def written(campaign: Path, page: Path) -> Cost:
    began = time.monotonic()
    words = [sys.executable, "-m", "harness.cli", "report", str(campaign), "-o", str(page)]
    kept = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    pid = os.posix_spawn(sys.executable, words, kept, file_actions=QUIET)
    _, status, usage = os.wait4(pid, 0)
    assert status == 0, f"exit status {status}"
    return Cost(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def open_s(page: Path, profile: Path) -> float:
    found = []
    with chromium(profile) as browser:
        for _ in range(OPENINGS):
            browser.get(page.as_uri())
            found.append(
                browser.execute_script("return performance.getEntriesByType('navigation')[0].loadEventEnd")
            )
    return statistics.median(found) / 1000


def main(folder: Path) -> None:
    print("| campaign | page | written in | of CPU | peak memory | opens in | targets met |")
    print("|---|---|---|---|---|---|---|")
    for number, (name, one) in enumerate(STUDIES.items()):
        place, page = folder / f"study-{number}", folder / f"study-{number}.html"
        if not place.exists():
            build(place, one)
        cost = min((written(place, page) for _ in range(WRITINGS)), key=lambda one: one.cpu_s)
        opened_s, weight = open_s(page, folder / "profile"), page.stat().st_size
        met = (
            cost.wall_s < TARGET_WRITE_S and cost.peak_bytes < TARGET_MEMORY_BYTES
            and opened_s < TARGET_OPEN_S and weight <= TARGET_BYTES
            and (cost.cpu_s < TARGET_CPU_S or one != TEN_MINUTES)
        )  # fmt: skip
        print(
            f"| {name} | {weight / 1e6:.1f} MB | {cost.wall_s:.1f} s | {cost.cpu_s:.1f} s "
            f"| {cost.peak_bytes / 1e6:.0f} MB | {opened_s:.2f} s | {'yes' if met else 'no'} |",
            flush=True,
        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
