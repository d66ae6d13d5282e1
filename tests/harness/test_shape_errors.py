"""What is wrong with a record, in our words: a library's are for who writes programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import pytest
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from harness.shape_errors import PLAIN, reason


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    idle_w: float = Field(default=1.0, ge=0, lt=100)


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=2, max_length=4, pattern="^[a-z]+$")] = "ab"
    count: int = Field(default=1, gt=0, le=9)
    really: bool = True
    kind: Literal["a", "b"] = "a"
    inner: Inner = Inner()
    several: Annotated[tuple[Inner, ...], Field(min_length=1, max_length=2)] = (Inner(),)


class Checked(Inner):
    @model_validator(mode="after")
    def _not_hot(self) -> Self:
        return self


class Either(BaseModel):
    one: Checked | int = 1


@dataclass(frozen=True)
class Tables:
    __pydantic_config__ = ConfigDict(extra="forbid")

    command: tuple[Inner, ...] = ()


def refused(given: Any, kind: Any = Outer) -> str:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(given)
    return reason(caught.value, kind)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"name": 1}, "name: must be a text"),
        ({"name": "a"}, "name: must have at least 2 characters"),
        ({"name": "abcde"}, "name: must have at most 4 characters"),
        ({"name": "A1"}, "name: has characters, or a form, that it may not have: it must fit ^[a-z]+$"),
        ({"count": "many"}, "count: must be a whole number"),
        ({"count": 1.5}, "count: must be a whole number"),
        ({"count": 0}, "count: must be greater than 0"),
        ({"count": 10}, "count: must be less than or equal to 9"),
        ({"really": "perhaps"}, "really: must be true or false"),
        ({"kind": "c"}, "kind: must be 'a' or 'b'"),
        ({"inner": {"idle_w": "much"}}, "inner.idle_w: must be a number"),
        ({"inner": {"idle_w": -1}}, "inner.idle_w: must be greater than or equal to 0.0"),
        ({"inner": {"idle_w": 100}}, "inner.idle_w: must be less than 100.0"),
        ({"inner": 3}, "inner: must be a table of keys and values"),
        ({"several": 3}, "several: must be a list"),
        ({"several": []}, "several: must have at least 1 entries"),
    ],
)
def test_a_fault_is_told_by_its_key_in_plain_words(given: Any, words: str) -> None:
    assert refused(given) == words


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ({"cuont": 1}, Outer, "cuont: is not a key that the harness knows; did you mean 'count'?"),
        (
            {"inner": {"idel_w": 1}},
            Outer,
            "inner.idel_w: is not a key that the harness knows; did you mean 'idle_w'?",
        ),
        ({"several": [{}, {"idle": 1}]}, Outer, "did you mean 'idle_w'?"),
        ({"idle_w": 1}, Outer, "did you mean 'inner.idle_w'?"),
        ({"comand": []}, Tables, "did you mean 'command'?"),
        ({"command": [{"idel_w": 1}]}, Tables, "did you mean 'idle_w'?"),
    ],
)
def test_a_mistyped_key_is_told_the_nearest_of_its_own_table(given: Any, kind: Any, words: str) -> None:
    assert words in refused(given, kind)


def test_what_pydantic_calls_a_member_of_a_union_is_no_key() -> None:
    assert refused({"one": {"idle_w": -1}}, Either) == "one.idle_w: must be greater than or equal to 0.0"


def test_a_mistyped_key_comes_before_what_it_leaves_out() -> None:
    class Needs(BaseModel):
        model_config = ConfigDict(extra="forbid")

        repetitions: int

    assert refused({"repetition": 1}, Needs).startswith("repetition: is not a key")


def test_every_word_of_ours_can_be_filled() -> None:
    facts = dict.fromkeys(("min_length", "max_length", "pattern", "gt", "ge", "lt", "le"), 1)
    assert all(words.format(**facts) for words in PLAIN.values())
