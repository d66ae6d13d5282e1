"""Devices on the local network that tell watts or joules in JSON: metered plugs, power strips. A boundary of its own.

Shelly's second generation: Switch.GetStatus, `apower` in W and `aenergy.total` in Wh, to a thousandth
(shelly-api-docs.shelly.cloud). Tasmota: Status 10, `StatusSNS.ENERGY` with `Power` in W and `Total` in kWh, to a
thousandth unless EnergyRes says more (tasmota.github.io/docs). The power comes first: nobody documents how often such
a plug's counter moves on, and Tasmota's does in steps of 3600 J.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from harness.meters.background import FAILURES_IN_A_ROW, LONGEST_S, BackgroundReader, NoReading
from harness.meters.base import FieldSpec, HttpSpec, Reader, Readings, Stamped
from harness.meters.http_answer import UNITS, in_unit, numbers, step
from harness.meters.http_get import Address, get, target
from harness.records import Channel, ChannelKind, Provenance, Unavailable
from harness.suggest import unknown

METER = "http"
AVERAGED_AND_SHOWN = 2  # periods: a power is the mean of one, and is shown for another
NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Preset:
    """What a kind of device is asked, unless the url says it, and where its numbers stand."""

    path: str
    fields: tuple[FieldSpec, ...]


PRESETS = {
    "shelly": Preset(
        "/rpc/Switch.GetStatus?id=0",
        (FieldSpec("apower", "W", 0.1), FieldSpec("aenergy.total", "Wh", 0.001)),
    ),
    "tasmota": Preset(
        "/cm?cmnd=Status%2010",
        (FieldSpec("StatusSNS.ENERGY.Power", "W"), FieldSpec("StatusSNS.ENERGY.Total", "kWh")),
    ),
}


def find(spec: HttpSpec) -> HttpMeter | Unavailable:
    """The meter of one configured device, which must answer now; a lost answer or two are forgiven."""
    try:
        _check(spec)
        preset = PRESETS.get(spec.preset, Preset("", ()))
        asked = replace(spec, fields=spec.fields or preset.fields)
        at = target(spec.url, preset.path, spec.login)
        return HttpMeter(asked, at, _first(asked, at))
    except (NoReading, ValueError) as error:
        remedy = "make sure that a browser on this machine gets its numbers as JSON from that url"
        return Unavailable(meter=f"{METER} {spec.name}", reason=str(error), remedy=remedy)


def _check(spec: HttpSpec) -> None:
    if not NAME.fullmatch(spec.name):
        raise ValueError("its name must consist of letters, digits, dots and dashes")
    if spec.preset and spec.preset not in PRESETS:
        raise ValueError(unknown("preset", spec.preset, PRESETS))
    if not spec.preset and not spec.fields:
        raise ValueError(f"it has neither a preset ({', '.join(PRESETS)}) nor fields")
    if wrong := [one.unit for one in spec.fields if one.unit not in UNITS]:
        raise ValueError(unknown("unit", wrong[0], UNITS))
    if len({UNITS[one.unit].name for one in spec.fields}) < len(spec.fields):
        raise ValueError(
            "of its fields, one may be a power and one an energy: give a second outlet a table of its own"
        )
    times_s = (spec.period_s, spec.update_s, spec.timeout_s)
    if not all(0 < one <= LONGEST_S for one in times_s):
        raise ValueError(
            f"its period, its updates and its timeout must be more than 0 and at most {LONGEST_S:g} s"
        )
    if not all(one.step is None or 0 < one.step < math.inf for one in spec.fields):
        raise ValueError("a field's step must be a number above 0")


def _first(spec: HttpSpec, at: Address) -> Mapping[str, Decimal]:
    """Raises: NoReading."""
    for _ in range(FAILURES_IN_A_ROW - 1):
        try:
            return numbers(get(at, spec.timeout_s), spec.fields)
        except NoReading:
            time.sleep(min(1.0, spec.period_s))
    return numbers(get(at, spec.timeout_s), spec.fields)


class HttpMeter:
    """Channels http/NAME/power and http/NAME/energy, as far as the device tells them."""

    needs_process = False
    period_s = None  # the thread keeps the period; here one only fetches

    def __init__(self, spec: HttpSpec, at: Address, first: Mapping[str, Decimal]) -> None:
        self._spec, self._target = spec, at
        self.channels = tuple(_channel(spec, field, first[field.path]) for field in spec.fields)

    def open(self, pid: int | None) -> Reader:
        return BackgroundReader(
            f"{METER} {self._spec.name}", self._ask, self._spec.period_s, self._spec.timeout_s
        )

    def _ask(self, stop: threading.Event) -> Readings:
        """Stamped with the middle of the exchange."""
        began_ns = time.monotonic_ns()
        found = numbers(get(self._target, self._spec.timeout_s), self._spec.fields)
        t_ns = (began_ns + time.monotonic_ns()) // 2
        values = [in_unit(found[field.path], field) for field in self._spec.fields]
        return {
            channel.name: Stamped(value, t_ns) for channel, value in zip(self.channels, values, strict=True)
        }


def _channel(spec: HttpSpec, field: FieldSpec, first: Decimal) -> Channel:
    """Its note does not say where the device is: that is nobody else's business."""
    unit = UNITS[field.unit]
    trails = AVERAGED_AND_SHOWN if unit.kind is ChannelKind.GAUGE else 1
    return Channel(
        name=f"{METER}/{spec.name}/{unit.name}",
        meter=METER,
        unit=unit.unit,
        kind=unit.kind,
        provenance=Provenance.MEASURED,
        domain=f"{METER}:{spec.name}",
        update_s=trails * spec.update_s,
        resolution=step(first, field),
        note=f"{spec.preset or 'JSON'}: {field.path} in {field.unit}, asked every {spec.period_s:g} s",
    )
