"""What a worker recorded for the proof of equal work, by a strict model: an image may write whatever it likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from harness import shape_errors
from harness.files.untrusted import parse_json, printable
from harness.worker.events import Count, Hash, Name, Number
from suite.verify import KINDS, Kind

Parameter = Annotated[str, StringConstraints(pattern=r"^[!-~]{1,200}$")]
Numbers = Annotated[list[Number], Field(min_length=1)]
Rows = Annotated[list[Any], Field(min_length=1)]  # of whatever shape: compared number by number


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True)


class _Sketch(_Strict):
    shape: list[Count]
    norm: Number
    max_abs: Number
    entries: Numbers


class _Items(_Strict):
    """Of whole numbers."""

    shape: list[Count]
    hash: Hash
    entries: Annotated[list[int], Field(min_length=1)]


_Sketches = dict[Parameter, _Sketch]
_Outputs = Annotated[dict[Parameter, _Sketch | _Items], Field(min_length=1)]


class _Answers(_Strict):
    all: _Sketch | _Items
    probed: Rows
    again: Rows


class _Epoch(_Strict):
    loss: Number
    rows: Hash
    answers: dict[Parameter, _Answers] | None


class _Recorded(_Strict):
    mode: Name
    parameters: Count
    outputs: _Outputs
    gradients: _Sketches
    losses: list[Number]
    epochs: list[_Epoch]
    early: _Sketches
    moved: _Sketches
    trained: _Sketches
    answers: _Outputs
    restored: _Outputs | None


RECORDS = TypeAdapter(list[_Recorded])


def parsed(text: bytes, kinds: Sequence[str]) -> list[dict[str, Any]]:
    """A record of each kind, as suite.verify writes them. Raises: ValueError naming the first thing that is wrong."""
    found = parse_json(text)
    try:
        RECORDS.validate_python(found)
    except ValidationError as error:
        where, wrong = shape_errors.place(error) or "it", shape_errors.message(error)
        raise ValueError(f"{printable(where)[:100]}: {printable(wrong)[:200]}") from None
    if len(found) != len(kinds):
        raise ValueError(f"{len(found)} records of {len(kinds)}")
    for number, (one, kind) in enumerate(zip(found, kinds, strict=True)):
        _require_whole(number, one, KINDS[kind])
    checked: list[dict[str, Any]] = found
    return checked


def _require_whole(number: int, one: Mapping[str, Any], shape: Kind) -> None:
    """What all leave out alike would differ from nobody's."""
    epochs, losses = one["epochs"], len(one["losses"])
    # A data set may have fewer batches than an epoch of kind own asks for.
    least = shape.epochs * (shape.steps if shape.batch_size else 1)
    if losses < least or len(epochs) < (shape.epochs if shape.by_train else 0):
        raise ValueError(f"{number}: {len(epochs)} epochs and {losses} losses are less than was asked for")
    answered = [one["restored"], *(each["answers"] for each in (*epochs[:2], *epochs[-1:]))]
    if shape.by_train and None in answered:
        raise ValueError(f"{number}: answers are missing")
