"""What a profiler within an environment told, by a strict model: the worker is not trusted, nor are its names.

It is JSON, of which nothing can run; within bounds in every direction, names on one line, files without their places.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, TypeVar

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from harness import shape_errors
from harness.errors import SuiteError
from harness.files.untrusted import printable
from harness.profiling.function_files import FUNCTION_COLUMNS, FunctionProfile, with_share
from harness.profiling.operator_files import OPERATOR_COLUMNS
from harness.profiling.trace import LONGEST_NAME, within
from suite.profilers import LONGEST_NAME as LONGEST_TOLD
from suite.profilers.operators import MOST_OPERATORS, SCOPES

MOST_BYTES = 16 << 20  # of the JSON
MOST_FUNCTIONS, MOST_CALLS = 10_000, 50_000
LONGEST_S = 1e9
PLACE = re.compile(r" at 0x[0-9a-f]+")  # of an object in memory


class ProfileRefused(SuiteError):
    """What a worker left is no profile of ours."""


Text = Annotated[str, StringConstraints(max_length=LONGEST_TOLD)]
Number = Annotated[int, Field(ge=0, le=2**53)]
Seconds = Annotated[float, Field(ge=0, le=LONGEST_S, allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, le=1e30, allow_inf_nan=False)]


class _Told(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Functions(_Told):
    """As suite.profilers.cprofile tells them."""

    profiler: Literal["cprofile"]
    functions: Annotated[
        list[tuple[Text, Number, Text, Number, Number, Seconds, Seconds]], Field(max_length=MOST_FUNCTIONS)
    ]
    calls: Annotated[list[tuple[Number, Number, Number, Seconds, Seconds]], Field(max_length=MOST_CALLS)]
    own_s: Seconds


class _Operators(_Told):
    """As suite.profilers.operators has them."""

    profiler: Literal["operators"]
    source: Text
    recorded_s: Seconds
    began_ns: Number | None = None  # which the workloads of an older image do not tell, nor the next
    covered_s: Seconds | None = None
    operators: Annotated[
        list[tuple[Text, Literal[SCOPES], Number, Seconds, Amount | None, Amount | None]],  # type: ignore[valid-type]
        Field(max_length=MOST_OPERATORS),
    ]


T = TypeVar("T", bound=_Told)


def functions(content: bytes) -> FunctionProfile:
    """Raises: ProfileRefused with what is wrong."""
    told = _checked(_Functions, content)
    rows = [(_file(file), line, _name(name), *numbers) for file, line, name, *numbers in told.functions]
    if beyond := [one for one in told.calls if max(one[:2]) >= len(rows)]:
        raise ProfileRefused(f"a call from {beyond[0][0]} to {beyond[0][1]}, of {len(rows)} functions")
    frame = pd.DataFrame(rows, columns=FUNCTION_COLUMNS[:-1])
    return FunctionProfile.of(with_share(frame, max(told.own_s, float(frame["own_s"].sum()))), told.calls)


def operators(content: bytes) -> pd.DataFrame:
    """OPERATOR_COLUMNS; unknown is null. Raises: ProfileRefused with what is wrong."""
    told = _checked(_Operators, content)
    of_all = told.recorded_s, printable(told.source), told.began_ns, told.covered_s
    frame = pd.DataFrame(
        [(_name(name), *rest, *of_all) for name, *rest in told.operators], columns=OPERATOR_COLUMNS
    )
    return frame.astype(dict.fromkeys(("bytes", "flops", "began_ns", "covered_s"), float))


def _checked(kind: type[T], content: bytes) -> T:
    try:
        return kind.model_validate_json(content)
    except ValidationError as error:
        wrong = printable(shape_errors.reason(error))[:300]
        raise ProfileRefused(f"its profile is none: {wrong}") from None


def _name(name: str) -> str:
    return printable(PLACE.sub("", name))[:LONGEST_NAME]


def _file(file: str) -> str:
    return printable(within(file))[-LONGEST_NAME:]
