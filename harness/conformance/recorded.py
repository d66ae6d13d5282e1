"""What a worker recorded for the proof of equal work, by a strict model: an image may write whatever it likes."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from harness.events import Count, Name, Number
from harness.untrusted import parse_json, printable

Parameter = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,200}$")]
Numbers = Annotated[list[Number], Field(min_length=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Sketch(_Strict):
    shape: list[Count]
    norm: Number
    entries: Numbers


_Sketches = dict[Parameter, _Sketch]


class _Trace(_Strict):
    losses: Numbers
    train_loss: Number
    params: _Sketches
    train_params: _Sketches


class _Recorded(_Strict):
    mode: Name
    parameters: Count
    logits: Annotated[list[Any], Field(min_length=1)]  # nested as each workload has them
    gradients: _Sketches
    plain: _Trace
    as_specified: _Trace


def parsed(text: bytes) -> dict[str, Any]:
    """A record as suite.verify writes it. Raises: ValueError naming the first thing that is wrong with it."""
    found = parse_json(text)
    try:
        _Recorded.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ValueError(f"{printable(where)[:100]}: {printable(first['msg'])[:200]}") from None
    checked: dict[str, Any] = found
    return checked
