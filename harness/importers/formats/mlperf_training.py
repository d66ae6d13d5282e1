"""MLPerf Training's power logs: MLLOG readings of each node, and the result file whose marks are the timed run.

`power/RESULT/node_N.txt` holds the readings of the run in `RESULT.txt`; a switch's are `sw_N.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from harness.energy.series import Series
from harness.files.untrusted import parse_json
from harness.findings.codes import Code, Severity
from harness.importers.base import UNKNOWN, Imported, ImportedRun, SourceError, covering
from harness.importers.files import mllog, power_log
from harness.importers.files.mllog import Mark
from harness.importers.files.text import content_of
from harness.importers.formats.nvidia_smi import started
from harness.records import Finding, Outcome, Treatment

NAME = "mlperf-training"
SUMMARY = "power/RESULT/node_N.txt of MLPerf Training, with RESULT.txt beside the folder power"
METER = "mlperf-training"
START, STOP, READING = "power_measurement_start", "power_measurement_stop", "power_reading"
RUN_MARKS = ("run_start", "run_stop", "submission_benchmark", "global_batch_size")
LOGS = ("node_*.txt", "sw_*.txt")
SCALING = "scaling.json"
BEGIN_FACT, END_FACT = "power_log_begin_ns", "power_log_end_ns"


def read(path: Path) -> Imported:
    """The runs of each benchmark's folder in the order of their begins, which number the repetitions."""
    root = path.absolute()
    folders = [one for one in [root, *sorted(root.rglob("power"))] if one.name == "power" and one.is_dir()]
    runs = [run for folder in folders for run in _benchmark(root, folder, len(folders) > 1)]
    return Imported(covering(root, runs), tuple(sorted(runs, key=lambda run: run.begin_ns or 0)))


def _benchmark(root: Path, power: Path, several: bool) -> list[ImportedRun]:
    """Folders of several meters or systems hold different treatments, named by where they lie."""
    where = str(power.parent.relative_to(root)) if several else ""
    runs = [_run(power.parent / f"{one.name}.txt", one, where) for one in _folders(power)]
    runs.sort(key=lambda run: run.begin_ns or 0)
    return [replace(run, repetition=number) for number, run in enumerate(runs, 1)]


def _folders(power: Path) -> Iterator[Path]:
    if power.is_symlink():
        raise SourceError(power, "a link in the place of a folder")
    for one in sorted(power.iterdir()):
        if one.is_symlink():
            raise SourceError(one, "a link in the place of a folder")
        if one.is_dir():
            yield one


def _run(result: Path, folder: Path, where: str) -> ImportedRun:
    found = mllog.marks(result, RUN_MARKS)
    start, stop = mllog.only(result, found, "run_start"), mllog.only(result, found, "run_stop")
    begin_ns, end_ns = start.t_ns, stop.t_ns
    if end_ns <= begin_ns:
        raise SourceError(result, "run_stop is not after run_start", stop.line)
    files = [one for pattern in LOGS for one in sorted(folder.glob(pattern))]
    if not files:
        raise SourceError(folder, f"no {LOGS[0]} of {result.name} in it")
    logs = [_log(one, begin_ns, end_ns) for one in files]
    outcome, reason = _outcome(stop, [one for one, _, _ in logs], begin_ns, end_ns)
    return ImportedRun(
        treatment=_treatment(result, found, where),
        repetition=1,
        duration_ns=end_ns - begin_ns,
        begin_ns=begin_ns,
        series=tuple(one for one, _, _ in logs),
        sources=(result, *files, *_scaling(result)),
        outcome=outcome,
        reason=reason,
        started=started(begin_ns) + "Z",
        environment={**logs[0][1], **_scaled(result)},
        findings=tuple(finding for _, _, findings in logs for finding in findings),
    )


def _outcome(stop: Mark, series: list[Series], begin_ns: int, end_ns: int) -> tuple[Outcome, str]:
    metadata = stop.told.get("metadata")
    status = metadata.get("status", "success") if isinstance(metadata, dict) else "success"
    if status != "success":
        return Outcome.FAILED, f"run_stop says {str(status)[:40]}"
    reason = next((why for one in series if (why := power_log.uncovered(one, begin_ns, end_ns))), "")
    return (Outcome.INVALID, reason) if reason else (Outcome.OK, "")


def _treatment(result: Path, found: list[Mark], where: str) -> Treatment:
    benchmark, batch = (
        mllog.first_value(found, key) for key in ("submission_benchmark", "global_batch_size")
    )
    settings: dict[str, int | float | str] = {"folder": where} if where else {}
    if isinstance(batch, int):
        settings["batch_size"] = batch
    return Treatment(
        workload=benchmark if isinstance(benchmark, str) and benchmark else result.parent.name,
        framework=UNKNOWN, version=UNKNOWN, stage="train", dataset=UNKNOWN, device=UNKNOWN, settings=settings,
    )  # fmt: skip


def _log(path: Path, begin_ns: int, end_ns: int) -> tuple[Series, dict[str, int], list[Finding]]:
    """One node's readings, what its marks say, and what both leave open."""
    found = mllog.marks(path, (START, STOP, READING))
    readings = [mark for mark in found if mark.key == READING]
    if len(readings) < 2:
        raise SourceError(path, f"{len(readings)} of {READING}: no log of a power")
    t_ns = np.array([mark.t_ns for mark in readings], dtype=np.int64)
    if len(back := np.flatnonzero(np.diff(t_ns) < 0)):
        raise SourceError(path, "time runs backwards", readings[int(back[0]) + 1].line)
    powers_w = np.array([mark.number() for mark in readings])
    series = power_log.gauge(METER, f"{path.stem}/power", t_ns, powers_w)
    begins, ends = ([mark.t_ns for mark in found if mark.key == key] for key in (START, STOP))
    facts = {BEGIN_FACT: begins[0]} if begins else {}
    facts |= {END_FACT: ends[-1]} if ends else {}
    return series, facts, [*power_log.gaps(series, begin_ns, end_ns), *_wrong_marks(path, begins, ends, t_ns)]


def _wrong_marks(path: Path, begins: list[int], ends: list[int], t_ns: np.ndarray) -> Iterator[Finding]:
    if not begins or not ends:
        lacking = " and ".join(key for key, times in ((START, begins), (STOP, ends)) if not times)
        severity, message = (
            Severity.WARNING,
            f"{path.name} lacks the mark {lacking}: its log may be cut short",
        )
    elif ends[-1] < t_ns[-1]:
        same = ", the time of its start" if ends[-1] == begins[0] else ""
        severity, message = Severity.INFO, f"{path.name}: {STOP} carries a time before the last reading{same}"
    else:
        return
    yield Finding.of(Code.POWER_MARKS, message, severity=severity)


def _scaling(result: Path) -> tuple[Path, ...]:
    path = result.parent / SCALING
    return (path,) if path.exists() else ()


def _scaled(result: Path) -> dict[str, float]:
    """The factor by which the rules multiply a submission's results; told, not applied: it is no measurement."""
    for path in _scaling(result):
        try:
            factor = parse_json(content_of(path))["scaling_factor"]
            if not 0 < float(factor) < 1e6:
                raise ValueError
        except (ValueError, KeyError, TypeError):
            raise SourceError(path, "holds no scaling_factor above 0") from None
        return {"scaling_factor": float(factor)}
    return {}
