"""What the quiet role changes, and what may be said of it afterwards: never anything that is not in the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible.module_utils.joulemark import units, values

KEEP = "keep"


def set_values(
    settings: Sequence[Mapping[str, str]], recorded: Mapping[str, Any], write: bool
) -> tuple[list[str], list[dict[str, Any]]]:
    """Writes every setting (name, path, value) that is not as wanted; what changed, and a line for each setting.

    With `write` False what would change is told, and the lines are of how it is now.
    """
    changed: list[str] = []
    lines = []
    for setting in settings:
        if setting["value"] != KEEP:
            before = {path: values.look(path) for path in values.keys(setting["path"])}
            wrong = [path for path, value in before.items() if value != setting["value"]]
            refused = _write(wrong, setting["value"], recorded) if write else {}
            changed += [
                f"{path}: {before[path]} -> {setting['value']}" for path in wrong if path not in refused
            ]
            lines.append(_line(setting, before, refused))
    return changed, lines


def _write(paths: Sequence[str], value: str, recorded: Mapping[str, Any]) -> dict[str, str]:
    """What could not be written, with the reason."""
    refused = {}
    for path in paths:
        try:
            if path not in recorded:
                raise OSError("the state before was not recorded")
            values.put_back(path, value)
        except OSError as error:
            refused[path] = error.strerror or str(error)
    return refused


def _line(setting: Mapping[str, str], files: Mapping[str, Any], refused: Mapping[str, str]) -> dict[str, Any]:
    name, value = setting["name"], setting["value"]
    if not files:
        return {"good": True, "says": f"{name}: the kernel offers no choice here", "remedy": ""}
    found = [values.look(path) for path in files]
    wrong = sorted({str(one) for one in found if one != value})
    why = f" ({'; '.join(sorted(set(refused.values())))})" if refused else ""
    if not wrong:
        return {"good": True, "says": f"{name}: {value}", "remedy": ""}
    says = f"{name}: {', '.join(wrong)} instead of {value}{why}"
    return {"good": False, "says": says, "remedy": "the firmware or the driver may forbid it" if why else ""}


def silence(
    kind: Any, names: Sequence[str], recorded: Mapping[str, Any], write: bool
) -> tuple[list[str], list[str]]:
    """`kind`: the module units or user_units. What is installed and was loud, and what still is."""
    states = {name: kind.look(name) for name in names if kind.keys(name)}
    loud = [name for name, state in states.items() if not kind.silent(name, state)]
    left = []
    for name in loud:
        try:
            if write and name in recorded:
                kind.silence(name)
            left += [] if kind.silent(name, kind.look(name)) else [name]
        except OSError as error:
            left.append(f"{name} ({error})")
    return [name for name in loud if name not in left or not write], left


def units_line(loud: Sequence[str]) -> dict[str, Any]:
    if not units.here():
        return {"good": False, "says": "timers and daemons: systemd does not run here", "remedy": ""}
    says = f"may run: {', '.join(loud)}" if loud else "those listed are stopped, where they are installed"
    return {"good": not loud, "says": f"timers and daemons: {says}", "remedy": ""}
