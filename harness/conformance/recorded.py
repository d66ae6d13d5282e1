"""What a worker recorded for the proof of equal work, by a strict model: an image may write whatever it likes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from harness.events import Count, Hash, Name, Number
from harness.untrusted import parse_json, printable

Parameter = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,200}$")]
Numbers = Annotated[list[Number], Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Sketch(_Strict):
    shape: list[Count]
    norm: Number
    max_abs: Number
    entries: Numbers


_Sketches = dict[Parameter, _Sketch]


class _Epoch(_Strict):
    loss: Number
    rows: Hash
    answers: _Sketch
    probed: list[Numbers]
    again: list[Numbers]


class _Recorded(_Strict):
    mode: Name
    parameters: Count
    logits: _Sketch
    gradients: _Sketches
    losses: Numbers
    epochs: Annotated[list[_Epoch], Field(min_length=1)]
    moved: _Sketches
    trained: _Sketches


RECORDS = TypeAdapter(list[_Recorded])


def parsed(text: bytes, count: int) -> list[dict[str, Any]]:
    """`count` records as suite.verify writes them. Raises: ValueError naming the first thing that is wrong."""
    found = parse_json(text)
    try:
        RECORDS.validate_python(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ValueError(f"{printable(where)[:100]}: {printable(first['msg'])[:200]}") from None
    if len(found) != count:
        raise ValueError(f"{len(found)} records of {count}")
    checked: list[dict[str, Any]] = found
    return checked
