"""The text that `perf stat` prints of one command: totals of counters, and the seconds elapsed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from harness.energy.series import NS_PER_S, Series
from harness.importers.base import SourceError
from harness.importers.files.text import LONGEST_S, lines, number, step
from harness.records import Channel, ChannelKind, Provenance

METER = "perf"
DOMAINS = {
    "power/energy-pkg/": "cpu_package",
    "power/energy-ram/": "dram",
    "power/energy-cores/": "cpu_core",
    "power/energy-gpu/": "cpu_uncore",
    "power/energy-psys/": "psys",
}
ADDENDS = ("cpu_package", "dram")  # never a parent and its child (rule R2)
JOULES = {"Joules": 1.0, "J": 1.0, "mJ": 1e-3, "kJ": 1e3}
HEADER = re.compile(r"\s*Performance counter stats for .*?(?P<repeated>\(\d+ runs\))?:?\s*")
NOT_READ = re.compile(
    r"\s*<not (?P<what>counted|supported)>\s+(?:(?:Joules|[mk]?J|msec)\s+)?(?P<event>\S+).*"
)
VALUE = r"\d{1,3}(?:[ \u00a0\u202f']\d{3})+(?:[.,]\d+)?|\d[\d.,]*"
TOTAL = re.compile(
    rf"\s*(?P<value>{VALUE})\s+(?:(?P<unit>Joules|[mk]?J|msec)\s+)?(?P<event>[^\s\d#(][^\s#(]*)"
    r"(?P<rest>\s*(?:#.*|\([^)]*\))*\s*)"
)
SECONDS = re.compile(
    r"\s*(?P<value>\d\S*)\s+seconds\s+(?P<what>time elapsed|user|sys)\s*(?P<spread>\(.*\))?\s*"
)
NOTE = "a total: two readings, 0 at the begin and the total at the end"


@dataclass(frozen=True)
class PerfTotals:
    """Joules or counts by event; `units` says which, `steps` what the last printed digit is worth."""

    elapsed_s: float
    totals: dict[str, float]
    units: dict[str, str]
    steps: dict[str, float | None]

    @property
    def duration_ns(self) -> int:
        return round(self.elapsed_s * NS_PER_S)

    def series(self, begin_ns: int = 0) -> tuple[Series, ...]:
        """Each total as a counter of two readings that enclose the run."""
        t_ns = np.array([begin_ns, begin_ns + self.duration_ns], dtype=np.int64)
        return tuple(
            Series(self._channel(event), t_ns, np.array([0.0, self.totals[event]])) for event in self.totals
        )

    def _channel(self, event: str) -> Channel:
        domain = DOMAINS.get(event, "event")
        whole_machine = "power/energy-psys/" in self.totals and "power/energy-pkg/" not in self.totals
        return Channel(
            name=f"{METER}/{event.removeprefix('power/').strip('/')}",
            meter=METER,
            unit=self.units[event],
            kind=ChannelKind.COUNTER,
            provenance=Provenance.MEASURED,
            domain=domain,
            boundary=domain in ADDENDS or (whole_machine and domain == "psys"),
            resolution=self.steps[event],
            note=NOTE,
        )


def read(path: Path) -> PerfTotals:
    """One measurement. Raises: SourceError for a file of several, of none, or with a counter that was not read."""
    found = PerfTotals(0.0, {}, {}, {})
    elapsed_s, headers = None, 0
    for line, text in enumerate(lines(path), 1):
        headers += _is_header(path, line, text, headers)
        if match := NOT_READ.fullmatch(text):
            raise SourceError(path, f"<not {match['what']}>: perf did not read {match['event']}", line)
        if match := SECONDS.fullmatch(text):
            if match["what"] == "time elapsed":
                elapsed_s = _value(path, line, match["value"])
        elif match := TOTAL.fullmatch(text):
            _add(found, path, line, match)
        elif text.strip() and not HEADER.fullmatch(text) and not text.lstrip().startswith("#"):
            raise SourceError(path, f"no line of perf stat: '{text.strip()[:60]}'", line)
    if elapsed_s is None:
        raise SourceError(path, "cut short: no 'seconds time elapsed'")
    if not 0 < elapsed_s < LONGEST_S:
        raise SourceError(path, f"{elapsed_s:g} seconds elapsed")
    if not found.totals:
        raise SourceError(path, "no counter in it")
    return replace(found, elapsed_s=elapsed_s)


def _is_header(path: Path, line: int, text: str, before: int) -> bool:
    match = HEADER.fullmatch(text)
    if match and before:
        raise SourceError(path, "a second measurement in one file", line)
    if match and match["repeated"]:
        raise SourceError(
            path, f"means of {match['repeated'][1:-1]}: perf stat -r hides the single runs", line
        )
    return match is not None


def _add(found: PerfTotals, path: Path, line: int, match: re.Match[str]) -> None:
    event, unit = match["event"], match["unit"]
    if event in found.totals:
        raise SourceError(path, f"a second value of {event}", line)
    if event.startswith("power/energy") and unit not in JOULES:
        raise SourceError(path, f"{event} is not in joules", line)
    scale = JOULES.get(unit, 1.0)
    found.totals[event] = _value(path, line, match["value"]) * scale
    last_digit = step(match["value"])
    found.steps[event] = last_digit and last_digit * scale
    found.units[event] = "J" if unit in JOULES else unit or "count"


def _value(path: Path, line: int, text: str) -> float:
    try:
        return number(text)
    except ValueError as error:
        raise SourceError(path, f"no number: {error}", line) from error
