"""Types and defaults of a record's fields, in words for a table's cell."""

from __future__ import annotations

import types
from enum import StrEnum
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from harness.records import Record

FEW = 12  # words of a kind that are listed
PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    type(None): "null",
    Any: "anything",
}


def type_told(one: FieldInfo) -> str:
    """With the bounds that it has; one that is implied by another, left out."""
    found = dict(_bounds(one.metadata))
    if "over" in found:
        found.pop("from", None)
    bounds = [
        f"{sign} {int(value) if value == int(value) else value:,}".replace(",", " ")
        for sign, value in found.items()
    ]
    return " ".join([_told(one.annotation), *([", ".join(bounds)] if bounds else [])])


def _bounds(metadata: list[Any]) -> list[tuple[str, float]]:
    signs = {"gt": "over", "ge": "from", "lt": "below", "le": "up to"}
    return [
        (sign, value)
        for limit in metadata
        for name, sign in signs.items()
        if (value := getattr(limit, name, None)) is not None and abs(value) < 2**31
    ]


def _told(kind: Any) -> str:
    if kind in PLAIN:
        return PLAIN[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return _told(inner[0])
    if origin is tuple:
        return f"list of {_told(inner[0])}"
    if origin is dict:
        return f"table of {_told(inner[1])}"
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_told, inner)))
    return _of_a_class(kind)


def _of_a_class(kind: Any) -> str:
    if issubclass(kind, StrEnum) and len(kind) <= FEW:
        return ", ".join(f"`{one}`" for one in kind)
    return f"[{kind.__name__}](#{kind.__name__.lower()})" if issubclass(kind, Record) else kind.__name__


def default_told(one: FieldInfo) -> str:
    """Empty where there is none, so that it must be said."""
    value = one.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "must be said"
    if isinstance(value, Record):
        return "its own keys'"
    if value is None or value in ((), {}, ""):
        return "none"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"
