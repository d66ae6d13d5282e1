"""A campaign's records without what tells whose machine it was and who measured: pure over records and texts.

What the hardware is and how it was set stays, since the numbers mean nothing without it.
"""

from __future__ import annotations

import getpass
import json
import platform
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from harness import paths
from harness.findings.codes import Code
from harness.host.machine_id import machine_id, raw_machine_id
from harness.records import Record
from harness.version import without_commit

R = TypeVar("R", bound=Record)

GPU = "gpu-"  # and its number stand in place of its own name
MARK = "anonymous"  # of a machine whose description leaves these out
MADE_BY = "made_by"  # a version of the suite, with its commit
# Keys whose values are left out wherever they stand; null is unknown, and MARK says why.
LEFT_OUT = {
    "hostname",
    "node_name",
    "machine_id",
    "kernel_command_line",
    "serial",
    "swaps",
    "interpreter",
    "pid",
    "folder",
}
KEPT_AS_THEY_ARE = {
    "plan",
    "order",
    "planned",
    "packages",
    "name",
    "meter",
    "code",
    "kind",
    "edge",
    "outcome",
    "severity",
    "provenance",
    "isolation",
    "domain",
    "unit",
}  # our own words, and parts' names: a machine may be called like one of them
WORKERS_OWN = {"facts", "work"}  # of a run's record: who says what, here, names nothing for the rest of it
NOBODY = {"root", "user", "nobody", "localhost", "joulemark", ""}  # names that identify nobody
SYSTEM = {PurePosixPath("/"), PurePosixPath("/usr"), PurePosixPath("/usr/local")}
HOMES = re.compile(r"(?:/home|/Users|/var/home)/[^/\s\"':,;]+|/root\b")
PREFIXES = re.compile(r"/(?:[^/\s\"':,;]+/)+(?=(?:site|dist)-packages/)")
REGISTRY = re.compile(r"^[^/]*[.:][^/]*/")  # whose an image's is, before its name
MACS = re.compile(r"\b(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\b")
Names = Mapping[str, str]  # what identifies -> what stands in its place


def of_record(record: R, names: Names) -> R:
    """The same record, which says that it leaves something out."""
    content = record.model_dump(mode="json")
    found = _value(content, {**names, **_names_in(content)})
    if "machine" in found:
        found["machine"][MARK] = True
    return type(record).model_validate(found)


def of_value(value: Any, names: Names) -> Any:
    """Of what JSON holds, which may be a worker's or a stranger's: it names nothing itself."""
    return _value(value, names)


def of_text(text: str, names: Names) -> str:
    """Of a log, a traceback, a message."""
    if names:
        text = _any_of(frozenset(names)).sub(lambda found: names[found[0]], text)
    return MACS.sub("a-mac-address", PREFIXES.sub("", HOMES.sub("~", text)))


@lru_cache(16)
def _any_of(names: frozenset[str]) -> re.Pattern[str]:
    """The longest first: a place below another is that place."""
    words = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)")


def names_here(campaign: Path) -> dict[str, str]:
    """What identifies this machine and this user in any text; places of the campaign and of the harness."""
    found = {
        str(campaign.absolute()): "campaign",
        str(paths.ROOT): "checkout",
        str(paths.home()): "prepared",
        str(Path.home()): "~",
        platform.node(): "host",
        platform.node().partition(".")[0]: "host",
        _user(): "user",
        raw_machine_id() or "": "machine-id",
        machine_id() or "": "machine-id",
    }
    return {name: place for name, place in found.items() if name not in NOBODY and name != "/"}


def names_in(content: Any) -> dict[str, str]:
    """What identifies the machine in its own records, since it may stand in a message of another."""
    return dict(_names_in(content))


def versions(told: Iterable[str]) -> dict[str, str]:
    """Of the suite, without their commits; what was told apart by these alone stays apart."""
    found: dict[str, str] = {}
    for one in dict.fromkeys(told):
        number = without_commit(one)
        alike = sum(without_commit(other) == number for other in found)
        found[one] = f"{number}, build {alike + 1}" if alike else number
    return {one: shown for one, shown in found.items() if one not in NOBODY}


def _names_in(content: Any) -> dict[str, str]:
    return {name: place for name, place in _found(content, "") if name not in NOBODY}


def _found(value: Any, key: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if value.get("code") == Code.FOREIGN_GPU_PROCESS:
            yield str(value["message"]), "others computed on the GPU"
        for name, one in value.items():
            if name not in KEPT_AS_THEY_ARE | WORKERS_OWN:
                yield from _found(one, name)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            if isinstance(one, Mapping) and isinstance(one.get("uuid"), str):
                yield one["uuid"], f"{GPU}{index}"
            if key == "swaps":
                yield str(one), f"swap-{index}"
            yield from _found(one, "")
    elif isinstance(value, str) and value:
        yield from _of_a_fact(key, value)


def _of_a_fact(key: str, value: str) -> Iterator[tuple[str, str]]:
    if key == "interpreter":
        yield from (
            (str(one), "interpreter") for one in [PurePosixPath(value).parent.parent] if one not in SYSTEM
        )
    elif key in ("hostname", "node_name", "machine_id", "serial", "kernel_command_line"):
        yield value, key.replace("_", "-")
    if key == "hostname":
        yield value.partition(".")[0], key


def _value(value: Any, names: Names) -> Any:
    if isinstance(value, str):
        return of_text(value, names)
    if isinstance(value, list):
        return [_value(one, names) for one in value]
    if isinstance(value, dict):
        return {_key(key, names): _member(key, one, names) for key, one in value.items()}
    return value


def _key(key: str, names: Names) -> str:
    """A GPU's own name, or a file's; any other is our word."""
    return of_text(key, names) if "/" in key or names.get(key, "").startswith(GPU) else key


def _member(key: str, value: Any, names: Names) -> Any:
    if key in KEPT_AS_THEY_ARE:
        return value
    if key == MADE_BY and isinstance(value, str):
        return names.get(value) or without_commit(value)
    if key.endswith("base") and isinstance(value, str):
        return REGISTRY.sub("", value)
    return None if key in LEFT_OUT else _value(value, names)


def of_lines(text: str, names: Names) -> str:
    """Of JSON lines; one that is none is a text. A last one that was cut short stays so."""
    *lines, rest = text.split("\n")
    return "".join(f"{_of_line(line, names)}\n" for line in lines) + (_of_line(rest, names) if rest else "")


def _of_line(line: str, names: Names) -> str:
    try:
        return json.dumps(of_value(json.loads(line), names))
    except (ValueError, RecursionError):
        return of_text(line, names)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an id without a name
        return ""
