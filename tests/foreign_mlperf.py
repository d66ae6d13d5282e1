"""Small logs as MLPerf's benchmarks write them, for the importers."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path

from tests.foreign import write

BEGIN_MS = 1_715_257_378_825


def mllog(key: str, value: object, time_ms: float, **metadata: object) -> str:
    told = {"namespace": "", "time_ms": time_ms, "event_type": "POINT_IN_TIME", "key": key, "value": value}
    return f":::MLLOG {json.dumps({**told, 'metadata': metadata})}\n"


def training(
    folder: Path,
    run: int = 1,
    watts: Sequence[float] = (100.0,) * 31,
    step_s: float = 1.0,
    run_s: tuple[float, float] = (5.0, 25.0),
    begin_ms: int = BEGIN_MS,
) -> Path:
    """One run's log, and within it a timed run from and to these seconds; returns the benchmark's folder."""
    begin_ms += run * 1_000_000
    head = mllog("submission_benchmark", "llama2_70b_lora", begin_ms) + mllog(
        "global_batch_size", 8, begin_ms
    )
    marks = [
        mllog(key, None, begin_ms + 1000 * at)
        for key, at in zip(("run_start", "run_stop"), run_s, strict=True)
    ]
    write(folder / f"result_{run}.txt", f"pulling the image\n{head}0: {marks[0]}0: {marks[1]}")
    readings = [mllog("power_reading", w, begin_ms + 1000 * step_s * i) for i, w in enumerate(watts)]
    start, stop = (mllog(f"power_measurement_{edge}", "null", begin_ms - 1000) for edge in ("start", "stop"))
    write(folder / f"power/result_{run}/node_0.txt", start + "".join(readings) + stop)
    return folder


def inference(
    folder: Path,
    watts: Sequence[float] = (40.0,) * 31,
    marks: tuple[str, str] = ("12-23-2020 10:21:55.000", "12-23-2020 10:22:15.000"),
    first_s: int = 50,
    hour: int = 10,
) -> Path:
    """One reading a second from 10:21:50 on; the timed run takes 20 s; returns the run's folder."""
    place = folder / "a_system-tf-v1/resnet50/offline/performance/run_1"
    rows = []
    for i, w in enumerate(watts):
        minute, second = divmod(21 * 60 + first_s + i, 60)
        rows.append(
            f"Time,12-23-2020 {hour:02d}:{minute:02d}:{second:02d}.000,Watts,{w:.6f},Volts,230.1,Amps,0.2,PF,0.5,"
            "Mark,x\n"
        )
    write(place / "spl.txt", "".join(rows))
    scenario = mllog("effective_scenario", "Offline", 1.5)
    lines = [mllog(f"power_{edge}", text, 20.25) for edge, text in zip(("begin", "end"), marks, strict=True)]
    write(place / "mlperf_log_detail.txt", scenario + "".join(lines))
    return place


def tiny(
    folder: Path,
    microjoules: Sequence[float] = (10.0,) * 60_000,
    rate_hz: float = 1000.0,
    stamps: Sequence[float] = (1.0, 5.0, 20.0, 25.0, 40.0),
    version: int = 0xF1,
) -> Path:
    """A trace of 10 mW for a minute, with two windows of 15 s; returns the trace."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "trace1-energy.bin"
    path.write_bytes(struct.pack(f"<Bf{len(microjoules)}f", version, rate_hz, *microjoules))
    write(folder / "trace1-timestamps.json", json.dumps(list(stamps)))
    return path
