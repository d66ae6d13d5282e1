"""The state before: one JSON on the host, written before anything is changed, {kind: {key: state}}.

An entry is written once and never changed: however often setup.yml runs, the first state is the one before it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ansible.module_utils.joulemark import (
    files,
    gpus,
    groups,
    packages,
    rights,
    services,
    swaps,
    units,
    user_units,
    values,
)

FORMAT = 1
# In the order in which they are put back: a file of udev or systemd goes before the group that it names.
KINDS: Mapping[str, Any] = {
    "values": values,
    "swaps": swaps,
    "gpus": gpus,
    "rights": rights,
    "files": files,
    "packages": packages,
    "services": services,
    "units": units,
    "user_units": user_units,
    "groups": groups,
}

Record = dict[str, dict[str, Any]]


class Damaged(ValueError):
    """The file is no record that can be put back."""


def load(path: Path) -> Record:
    """Empty where nothing has been recorded. Raises: Damaged, OSError."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text())
        known = found["format"] == FORMAT
        record: Record = found["before"]
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(f"{path} is not a record of the state before: {error!r}") from error
    if not known or set(record) - set(KINDS):
        raise Damaged(f"{path} was written by another version; put back with the checkout that wrote it")
    return record


def save(path: Path, record: Record) -> None:
    """Whole or not at all. Raises: OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(json.dumps({"format": FORMAT, "before": record}, indent=1) + "\n")
    beside.chmod(0o600)  # it holds copies of configuration files
    beside.replace(path)


def extended(record: Record, wanted: Mapping[str, Sequence[str]]) -> Record:
    """The record and what of `wanted` (kind -> patterns) is not in it yet, as it is now. Raises: OSError."""
    found = {kind: dict(states) for kind, states in record.items()}
    for kind, patterns in wanted.items():
        states = found.setdefault(kind, {})
        for key in [key for pattern in patterns for key in KINDS[kind].keys(pattern)]:
            if key not in states:
                states[key] = KINDS[kind].look(key)
    return found


def differences(record: Record) -> Iterator[tuple[str, str, Any, Any]]:
    """Kind, key, state before, and state now or why it cannot be told, of everything that differs."""
    for kind in KINDS:
        for key, before in record.get(kind, {}).items():
            now = _now(kind, key)
            if now != before:
                yield kind, key, before, now


def _now(kind: str, key: str) -> Any:
    try:
        return KINDS[kind].look(key)
    except OSError as error:
        return f"unknown: {error}"


def put_back(record: Record) -> dict[str, str]:
    """Kind by kind; what could not be put back, with the reason. Raises: OSError if packages cannot go."""
    packages.remove(record.get("packages", {}))
    refused = {}
    for kind in KINDS:
        for _, key, before, _ in list(differences({kind: record.get(kind, {})})):
            try:
                KINDS[kind].put_back(key, before)
            except OSError as error:
                refused[f"{kind} {key}"] = str(error)
    left = {f"{kind} {key}": f"is {now!r}, was {before!r}" for kind, key, before, now in differences(record)}
    return {name: refused.get(name, why) for name, why in left.items()}
