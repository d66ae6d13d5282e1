"""What pydantic finds wrong with a record, in words for the one line that a user is told."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

PLAIN = {
    "missing": "is missing",
    "extra_forbidden": "is not a key that the harness knows",
}  # pydantic's type of a fault -> our words
OURS = "Value error, "  # which pydantic puts before what our own validators say


def reason(error: ValidationError) -> str:
    """The first fault, after the key that has it."""
    where = place(error)
    return f"{where}: {message(error)}" if where else message(error)


def place(error: ValidationError) -> str:
    """The key, its parents before it; empty where the record as a whole is wrong."""
    return ".".join(map(str, first(error)["loc"]))


def message(error: ValidationError) -> str:
    fault = first(error)
    said = str(fault["msg"]).removeprefix(OURS).replace("Input should be", "must be", 1)
    return PLAIN.get(fault["type"], said)


def first(error: ValidationError) -> Any:
    return error.errors()[0]
