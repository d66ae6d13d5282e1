"""MLPerf Inference's power runs: PTDaemon's readings, and LoadGen's marks of where the timed part begins and ends.

`spl.txt` has a line a second: Time,MM-DD-YYYY HH:MM:SS.mmm,Watts,W,Volts,V,Amps,A,PF,F,Mark,LABEL; of several analyzers
the first Watts are the sum. `mlperf_log_detail.txt` beside it holds power_begin and power_end, in the same form. Both
clocks name no zone: LoadGen writes UTC, PTDaemon its machine's, and `power/server.json` says how far that is off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from harness.energy.series import NS_PER_S, Series
from harness.files.untrusted import parse_json
from harness.findings.codes import Code
from harness.importers.base import UNKNOWN, Imported, ImportedRun, SourceError, covering
from harness.importers.files import mllog, power_log
from harness.importers.files.text import content_of, lines
from harness.importers.formats.nvidia_smi import started
from harness.importers.labels import FRAMEWORKS, PARTS
from harness.records import Finding, Outcome, Purpose, Treatment

NAME = "mlperf-inference"
SUMMARY = "spl.txt of MLPerf Inference with mlperf_log_detail.txt beside it"
METER = "mlperf-inference"
READINGS, DETAIL, SERVER = "spl.txt", "mlperf_log_detail.txt", "power/server.json"
BEGIN, END, SCENARIO = "power_begin", "power_end", "effective_scenario"
EPOCH, YEARS = datetime(1970, 1, 1), range(1970, 2200)
STAMP = "%m-%d-%Y %H:%M:%S.%f"
RANGING = "ranging"  # a run before, in which the analyzer's ranges are found
NS_PER_US = 1000
QUARTER_S = 900  # zones differ by whole ones
FARTHEST_S = 14 * 3600


def read(path: Path) -> Imported:
    """A run per spl.txt, in order of time; those of one treatment are numbered so."""
    root = path.absolute() if path.is_dir() else path.absolute().parent
    found = sorted(root.rglob(READINGS)) if path.is_dir() else [path.absolute()]
    runs = sorted((_run(one) for one in found), key=lambda run: run.begin_ns or 0)
    return Imported(covering(root, runs), tuple(_numbered(runs)))


def _numbered(runs: Sequence[ImportedRun]) -> list[ImportedRun]:
    seen: dict[str, int] = {}
    numbered = []
    for run in runs:
        key = f"{run.treatment.model_dump_json()} {run.purpose}"
        seen[key] = seen.get(key, 0) + 1
        numbered.append(replace(run, repetition=seen[key]))
    return numbered


def _run(path: Path) -> ImportedRun:
    detail = path.parent / DETAIL
    found = mllog.marks(detail, (BEGIN, END, SCENARIO))
    begin_ns, end_ns = (_mark_ns(mllog.only(detail, found, key)) for key in (BEGIN, END))
    if end_ns <= begin_ns:
        raise SourceError(detail, f"{END} is not after {BEGIN}", mllog.only(detail, found, END).line)
    power, zone = _on_the_marks_clock(path, _power(path), begin_ns, end_ns)
    reason = _reason(power, begin_ns, end_ns)
    return ImportedRun(
        treatment=_treatment(path, mllog.first_value(found, SCENARIO)),
        repetition=1,
        duration_ns=end_ns - begin_ns,
        begin_ns=begin_ns,
        series=(power,),
        sources=(path, detail, *_server(path)),
        purpose=Purpose.WARM_UP if path.parent.name == RANGING else Purpose.MEASURE,
        outcome=Outcome.INVALID if reason else Outcome.OK,
        reason=reason,
        started=started(begin_ns),
        findings=(*zone, *power_log.gaps(power, begin_ns, end_ns)),
    )


def _mark_ns(mark: mllog.Mark) -> int:
    return _stamp_ns(mark.path, mark.line, mark.value if isinstance(mark.value, str) else str(mark.value))


def _stamp_ns(path: Path, line: int, text: str) -> int:
    """Since 1970 of the clock that wrote it, whatever its zone."""
    try:
        stamp = datetime.strptime(text, STAMP)
        if stamp.year not in YEARS:
            raise ValueError
        return (stamp - EPOCH) // timedelta(microseconds=1) * NS_PER_US
    except ValueError:
        raise SourceError(path, f"'{text[:40]}' is no time MM-DD-YYYY HH:MM:SS.mmm", line) from None


def _power(path: Path) -> Series:
    rows = [_reading(path, number, line) for number, line in enumerate(lines(path), 1) if line.strip()]
    if not content_of(path).endswith((b"\n", b"\r")):
        raise SourceError(path, "cut short: the last line has no end", len(rows))
    if len(rows) < 2:
        raise SourceError(path, f"{len(rows)} reading: no log of a power")
    t_ns = np.array([t for t, _ in rows], dtype=np.int64)
    if len(back := np.flatnonzero(np.diff(t_ns) < 0)):
        by_s = -float(np.diff(t_ns)[back[0]]) / NS_PER_S
        raise SourceError(path, f"time runs backwards by {by_s:g} s: a clock that was set?", int(back[0]) + 2)
    return power_log.gauge(METER, "analyzer/power", t_ns, np.array([w for _, w in rows]))


def _reading(path: Path, number: int, line: str) -> tuple[int, float]:
    fields = line.split(",")
    if len(fields) < 4 or fields[0] != "Time" or fields[2] != "Watts":
        raise SourceError(path, "is not Time,...,Watts,...", number)
    try:
        watts = float(fields[3])
        if not 0 <= watts < np.inf:  # -1 is PTDaemon's word for none
            raise ValueError
    except ValueError:
        raise SourceError(path, f"Watts is '{fields[3][:40]}', no power", number) from None
    return _stamp_ns(path, number, fields[1]), watts


def _on_the_marks_clock(
    path: Path, power: Series, begin_ns: int, end_ns: int
) -> tuple[Series, list[Finding]]:
    """The readings at the marks' clock, where server.json says how far theirs is off and only so they fit."""
    offset_s = _offset_s(path)
    shifted = Series(power.channel, power.t_ns + offset_s * int(NS_PER_S), power.values)
    as_it_is, as_said = (power_log.uncovered(one, begin_ns, end_ns) for one in (power, shifted))
    if not as_it_is or as_said:
        return power, []
    finding = Finding.of(
        Code.CLOCK_ZONE,
        f"{READINGS} is in the time of its machine: {offset_s} s were added, as {SERVER} says",
    )
    return shifted, [finding]


def _reason(power: Series, begin_ns: int, end_ns: int) -> str:
    """Why the readings do not hold the timed part; with the zone that would explain it, which nobody confirms."""
    reason = power_log.uncovered(power, begin_ns, end_ns)
    if not reason:
        return ""
    for quarters in range(-FARTHEST_S // QUARTER_S, FARTHEST_S // QUARTER_S + 1):
        moved = Series(power.channel, power.t_ns + quarters * QUARTER_S * int(NS_PER_S), power.values)
        if not power_log.uncovered(moved, begin_ns, end_ns):
            hours = quarters * QUARTER_S / 3600
            return f"{reason}; {hours:+g} h would fit: the clocks differ by a zone, or by summer time"
    return reason


def _server(path: Path) -> tuple[Path, ...]:
    """Of the session that the run belongs to: beside the run's folder."""
    found = path.parent.parent / SERVER
    return (found,) if found.is_file() else ()


def _offset_s(path: Path) -> int:
    for server in _server(path):
        try:
            told: Any = parse_json(content_of(server))
        except ValueError as error:
            raise SourceError(server, f"no JSON: {error}") from None
        zone = told.get("timezone", 0) if isinstance(told, dict) else None
        try:
            offset_s = int(zone)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise SourceError(server, f"timezone is {str(zone)[:40]!r}, no number of seconds") from None
        if abs(offset_s) > FARTHEST_S:
            raise SourceError(server, f"timezone is {offset_s} s: no zone is so far off")
        return offset_s
    return 0


def _treatment(path: Path, scenario: object) -> Treatment:
    """As a submission's folders say: SYSTEM/MODEL/SCENARIO/performance/run_1."""
    parts = path.parts[:-1]
    above = parts[: parts.index("performance")] if "performance" in parts else ()
    system, model = (above[-3], above[-2]) if len(above) >= 3 else (UNKNOWN, UNKNOWN)
    words = PARTS.split(system.lower())
    settings: dict[str, int | float | str] = {} if system == UNKNOWN else {"system": system}
    if isinstance(scenario, str):
        settings["scenario"] = scenario
    return Treatment(
        workload=model, framework=next((FRAMEWORKS[word] for word in words if word in FRAMEWORKS), UNKNOWN),
        version=UNKNOWN, stage="infer", dataset=UNKNOWN, device=UNKNOWN, settings=settings,
    )  # fmt: skip
