"""Numbers in JSON answers of metered plugs, and how fine they are."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

from harness.meters.background import NoReading
from harness.meters.base import FieldSpec
from harness.records import ChannelKind


@dataclass(frozen=True)
class AnswerUnit:
    """What a number in this unit becomes: a channel's last name, its kind and its unit."""

    name: str
    kind: ChannelKind
    unit: str
    factor: float


UNITS = {
    "W": AnswerUnit("power", ChannelKind.GAUGE, "W", 1.0),
    "mW": AnswerUnit("power", ChannelKind.GAUGE, "W", 1e-3),
    "J": AnswerUnit("energy", ChannelKind.COUNTER, "J", 1.0),
    "Wh": AnswerUnit("energy", ChannelKind.COUNTER, "J", 3600.0),
    "kWh": AnswerUnit("energy", ChannelKind.COUNTER, "J", 3.6e6),
}


def numbers(body: bytes, fields: tuple[FieldSpec, ...]) -> dict[str, Decimal]:
    """Path -> number as it is written, for all of the fields. Raises: NoReading."""
    try:
        content = json.loads(body, parse_float=Decimal, parse_int=Decimal, parse_constant=_no_number)
    except (ValueError, RecursionError, InvalidOperation) as error:
        raise NoReading(f"it answered no JSON: {body[:60]!r}") from error
    return {one.path: _number(content, one.path) for one in fields}


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)  # NaN and Infinity, which JSON has not


def _number(content: Any, path: str) -> Decimal:
    for part in path.split("."):
        if isinstance(content, list) and part.isdecimal() and int(part) < len(content):
            content = content[int(part)]
        elif isinstance(content, dict) and part in content:
            content = content[part]
        else:
            raise NoReading(f"its answer has no {path}")
    if not isinstance(content, Decimal):
        raise NoReading(f"{path} in its answer is no number: {str(content)[:40]!r}")
    if content < 0 or not math.isfinite(float(content)):
        raise NoReading(f"{path} in its answer is {str(content)[:40]}")
    return content


def in_unit(number: Decimal, field: FieldSpec) -> float:
    """Watts or joules."""
    return float(number) * UNITS[field.unit].factor


def step(number: Decimal, field: FieldSpec) -> float:
    """The smallest change in watts or joules: as told, else one of the last decimal that the device writes."""
    exponent = number.as_tuple().exponent
    written = 10.0**exponent if isinstance(exponent, int) and exponent <= 0 else 1.0
    return (field.step or written) * UNITS[field.unit].factor
