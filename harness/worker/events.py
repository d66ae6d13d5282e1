"""A worker's events by a strict model: types, ranges, finite numbers, bounded in every direction.

The worker is not trusted: a line that does not fit ends its run, and nothing of it goes any further.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from harness import shape_errors
from harness.errors import CampaignError, SuiteError
from harness.files.untrusted import parse_json, printable, read_beneath
from harness.records import UnitOfWork
from suite.fingerprint import FIRST_STEPS, ITEM_COLUMNS, ITEM_DIGITS
from suite.protocol import FINGERPRINT_PART, REQUESTS_PART, STAMPS, Event

EVENTS_FILE = "events.jsonl"  # the harness' own record of what the worker told
LINE_BYTES = 1 << 18  # facts with a build's flags and packages take some 20 KiB
TOTAL_BYTES = 16 << 20
MOST_EVENTS = 100_000
FACTS_DEPTH, FACTS_NODES, TEXT_LENGTH = 6, 5_000, 16_384  # as they are written down
ERROR_LENGTH, SHOWN_LENGTH = 2_000, 500  # of an error, as it is told and as it becomes a run's reason
LATEST = 2**63 - 1
LARGEST = 2**53  # up to here floating point, which tables compute with, holds every whole number


class BadEvent(SuiteError):
    """The worker told something that no event is."""


Time = Annotated[int, Field(ge=0, le=LATEST)]
Stamps = Annotated[list[Time], Field(max_length=REQUESTS_PART)]
Count = Annotated[int, Field(ge=0, le=LARGEST)]
Epoch = Annotated[int, Field(ge=0, lt=2**31)]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.@/+-]{0,63}$")]
Number = Annotated[float, Field(allow_inf_nan=False)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]
# Of whole numbers, of each row or column; before these were told row by row, a hash of them all.
Items = Annotated[str, StringConstraints(pattern=rf"^(?:[0-9a-f]{{{ITEM_DIGITS}}}){{1,{ITEM_COLUMNS}}}$")]
Print = Number | Items | None  # null is no finite number
Answers = Annotated[dict[Name, Print], Field(min_length=1, max_length=64)]  # of suite.fingerprint.of_outputs


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)
    t_ns: Time


class _Ready(_Strict):
    kind: Literal["ready"]
    pid: Count | None = None


class _Phase(_Strict):
    kind: Literal["phase"]
    name: Name
    edge: Literal["begin", "end"]
    epoch: Epoch | None = None


class _Metrics(_Strict):
    kind: Literal["metrics"]
    epoch: Epoch | None = None
    iterations: Count | None = None  # by then, of a training that is counted in them
    metric: Name
    values: Annotated[dict[Name, Number | None], Field(max_length=64)]


class _Epoch(BaseModel):
    """Of suite.fingerprint.of_epoch; no `loss` where the work has none, but `state`."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)
    loss: Number | None = None
    first_losses: Annotated[list[Number | None], Field(max_length=FIRST_STEPS)]
    steps: Count
    samples: Count
    rows: Hash
    answers: Answers
    state: Hash | None = None


class _Fingerprint(_Strict):
    kind: Literal["fingerprint"]
    epochs: Annotated[list[_Epoch], Field(max_length=FINGERPRINT_PART)] | None = None
    passes: Annotated[list[Print | Answers], Field(max_length=FINGERPRINT_PART)] | None = None
    answers: Answers | None = None


class _Work(_Strict):
    kind: Literal["work"]
    samples: Count | None = None
    steps: Count | None = None
    parameters: Count | None = None
    flops_per_step: Count | None = None
    data_bytes: Count | None = None
    units: Annotated[dict[UnitOfWork, Count], Field(max_length=16)] | None = None
    slot_steps: Count | None = None
    idle_slot_steps: Count | None = None
    padding_tokens: Count | None = None
    cache_bytes: Count | None = None


class _Requests(_Strict):
    """Of those that came while others were answered, in one order."""

    kind: Literal["requests"]
    arrived_ns: Stamps
    first_token_ns: Stamps
    last_token_ns: Stamps

    @model_validator(mode="after")
    def _of_the_same(self) -> Self:
        if len({len(getattr(self, name)) for name in STAMPS}) > 1:
            raise ValueError("stamps of several numbers of requests")
        return self


class _Usage(_Strict):
    kind: Literal["usage"]
    cpu_s: Annotated[Number, Field(ge=0)]
    memory_peak_bytes: Count
    gpu_memory_peak_bytes: Count | None = None


class _Failed(_Strict):
    kind: Literal["failed"]
    error: Annotated[str, StringConstraints(max_length=ERROR_LENGTH)]


class _Done(_Strict):
    kind: Literal["done"]


class _Facts(_Strict):
    model_config = ConfigDict(extra="allow", strict=True, frozen=True)
    kind: Literal["facts"]


_ANY: TypeAdapter[Any] = TypeAdapter(
    Annotated[
        _Ready | _Phase | _Metrics | _Fingerprint | _Work | _Requests | _Usage | _Failed | _Done | _Facts,
        Field(discriminator="kind"),
    ]
)


def parse(line: bytes) -> Event:
    """One line of a worker. Raises: BadEvent with what is wrong, in words that a terminal may show."""
    if len(line) > LINE_BYTES:
        raise BadEvent(f"it is longer than {LINE_BYTES} bytes")
    try:
        return _event(parse_json(line))
    except ValidationError as error:
        where, wrong = shape_errors.place(error) or "it", shape_errors.message(error)
        raise BadEvent(f"{printable(where)[:100]}: {printable(wrong)[:200]}") from None
    except ValueError as error:  # the discriminator's and JSON's own
        raise BadEvent(f"it is no JSON: {printable(error)[:200]}") from None


def to_line(event: Event) -> bytes:
    return json.dumps({"t_ns": event.t_ns, "kind": event.kind, **event.data}).encode() + b"\n"


def stored(folder: Path) -> list[Event]:
    """The events of a run on disk, none if there is no file; a line that a full disk cut short is left out.

    Raises: CampaignError naming the first line that is no event.
    """
    try:
        text = read_beneath(folder, EVENTS_FILE, 2 * TOTAL_BYTES)
    except FileNotFoundError:
        return []
    return list(_parsed(folder / EVENTS_FILE, text.split(b"\n")[:-1]))


def _parsed(path: Path, lines: Iterable[bytes]) -> Iterator[Event]:
    for number, line in enumerate(lines, 1):
        try:
            yield _event(json.loads(line, parse_constant=_unknown))
        except (ValueError, RecursionError) as error:
            raise CampaignError(
                f"{printable(path)}, line {number} is no event: {_first_line(error)}"
            ) from None


def _unknown(word: str) -> None:
    """Before events were checked when they came, a training that diverged left NaN."""


def _first_line(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "its bytes are no text"
    if isinstance(error, json.JSONDecodeError):
        return "it is no JSON"
    return printable(shape_errors.message(error) if isinstance(error, ValidationError) else error)[:200]


def _event(record: Any) -> Event:
    checked = _ANY.validate_python(record)
    told = {name: record[name] for name in record if name not in ("t_ns", "kind")}
    if isinstance(checked, _Facts):
        told = _plain(told)
    if isinstance(checked, _Failed):
        told = {"error": printable(checked.error)[:SHOWN_LENGTH]}
    return Event(checked.t_ns, checked.kind, told)


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts are whatever JSON a framework has to say of itself, within bounds, without a terminal's commands."""
    left = [FACTS_NODES]

    def plain(value: Any, depth: int) -> Any:
        left[0] -= 1
        if left[0] < 0 or depth > FACTS_DEPTH:
            raise ValueError(f"facts of more than {FACTS_NODES} values or {FACTS_DEPTH} levels")
        if isinstance(value, dict):
            return {_text(name): plain(one, depth + 1) for name, one in value.items()}
        if isinstance(value, list):
            return [plain(one, depth + 1) for one in value]
        if isinstance(value, str):
            return _text(value)
        if isinstance(value, int) and abs(value) > LARGEST:
            raise ValueError(f"an integer beyond {LARGEST}")
        return value

    return {_text(name): plain(value, 1) for name, value in facts.items()}


def _text(text: str) -> str:
    """What is hidden grows when it is shown: the bound holds for what is written, which is read again by the same."""
    shown = "\n".join(map(printable, text[: TEXT_LENGTH + 1].split("\n")))
    if len(shown) > TEXT_LENGTH:
        raise ValueError(f"a text of more than {TEXT_LENGTH} characters")
    return shown
