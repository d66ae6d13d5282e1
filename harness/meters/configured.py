"""What a user says of meters that nobody can find: the TOML file that $JOULEMARK_METERS names."""

from __future__ import annotations

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, TypeAdapter, ValidationError

from harness import shape_errors
from harness.errors import UsageError, cause
from harness.files.untrusted import printable
from harness.meters.base import CommandSpec, HttpSpec


@dataclass(frozen=True)
class Configured:
    """Tables [[command]] and [[http]]; `wall` names the channels that are the wall."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    command: tuple[CommandSpec, ...] = ()
    http: tuple[HttpSpec, ...] = ()
    wall: tuple[str, ...] = ()


def read(path: str | None) -> Configured:
    """Raises: UsageError naming the file and the key."""
    if not path:
        return Configured()
    try:
        found = TypeAdapter(Configured).validate_python(tomllib.loads(Path(path).read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {cause(error)}") from error
    except ValidationError as error:
        raise UsageError(printable(f"{path}: {shape_errors.reason(error, Configured)}")) from error
    for kind, tables in (("command", found.command), ("http", found.http)):
        if twice := [name for name, times in Counter(one.name for one in tables).items() if times > 1]:
            raise UsageError(f"{path}: two [[{kind}]] have the name {twice[0]!r}: give each one of its own")
    return found
