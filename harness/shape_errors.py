"""What pydantic finds wrong with a record, in words for the one line that a user is told."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, get_args, get_type_hints

from pydantic import BaseModel, ValidationError

from harness.suggest import hint

UNKNOWN_KEY = {"extra_forbidden", "unexpected_keyword_argument"}  # of a model, of a dataclass
# pydantic's type of a fault -> our words, filled with what it says of it
PLAIN = {
    "missing": "is missing",
    **dict.fromkeys(UNKNOWN_KEY, "is not a key that the harness knows"),
    "string_type": "must be a text",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "has characters, or a form, that it may not have: it must fit {pattern}",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_parsing_size": "must be a smaller whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be greater than or equal to {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be less than or equal to {le}",
    "too_short": "must have at least {min_length} entries",
    "too_long": "must have at most {max_length} entries",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
    "dict_type": "must be a table of keys and values",
    "model_type": "must be a table of keys and values",
    "dataclass_type": "must be a table of keys and values",
    "model_attributes_type": "must be a table of keys and values",
    "json_invalid": "is no JSON: it is cut short or was altered",
    "union_tag_invalid": "is of no kind that the harness knows",
}
CHECKED = ("function-after[", "function-before[", "function-wrap[", "function-plain[")
OURS = "Value error, "  # which pydantic puts before what our own validators say


def reason(error: ValidationError, kind: Any = None) -> str:
    """The first fault, after the key that has it. `kind`: as of `message`."""
    where = place(error)
    return f"{where}: {message(error, kind)}" if where else message(error, kind)


def place(error: ValidationError) -> str:
    """The key, its parents before it; empty where the record as a whole is wrong."""
    return ".".join(map(str, _keys_to(first(error))))


def _keys_to(fault: Any) -> list[int | str]:
    """Without the names that pydantic has for checked members of a union: no record has them."""
    return [one for one in fault["loc"] if isinstance(one, int) or not one.startswith(CHECKED)]


def message(error: ValidationError, kind: Any = None) -> str:
    """`kind`: the model or dataclass that was asked for, whose nearest key an unknown one is told with."""
    fault = first(error)
    said = str(fault["msg"]).removeprefix(OURS).replace("Input should be", "must be", 1)
    words = PLAIN[fault["type"]].format(**fault.get("ctx", {})) if fault["type"] in PLAIN else said
    if fault["type"] not in UNKNOWN_KEY or kind is None:
        return words
    *parents, key = _keys_to(fault)
    return f"{words}{_near(str(key), _keys(kind, parents))}"


def _near(key: str, known: dict[str, Any]) -> str:
    """That of the same name one level below, factors.workload for `workloads`, else of the keys where it stands."""
    below = {inner: f"{outer}.{inner}" for outer, kind in known.items() for inner in _fields(kind)}
    lower = next((below[one] for one in (key, key.removesuffix("s")) if one in below), None)
    return f"; did you mean '{lower}'?" if lower else hint(key, known)


def first(error: ValidationError) -> Any:
    """The fault that is told: of a mistyped key, what was written rather than what therefore is missing."""
    faults = error.errors()
    return next((one for one in faults if one["type"] in UNKNOWN_KEY), faults[0])


def _keys(kind: Any, parents: list[int | str]) -> dict[str, Any]:
    """Key -> its type, of what lies below these parents; empty where that has no keys of its own."""
    for part in parents:
        kind = next(iter(get_args(kind)), None) if isinstance(part, int) else _fields(kind).get(part)
    return _fields(kind)


def _fields(kind: Any) -> dict[str, Any]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return {name: field.annotation for name, field in kind.model_fields.items()}
    return get_type_hints(kind) if is_dataclass(kind) else {}
