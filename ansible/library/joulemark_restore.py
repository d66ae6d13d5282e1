#!/usr/bin/python
"""Puts back what the record holds, and looks whether it is so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible.module_utils.joulemark import record

DOCUMENTATION = """
module: joulemark_restore
short_description: Put the host back as joulemark_record found it, and verify it
description: The record goes when nothing differs from it any more.
options:
  path: {description: The JSON file on the host, type: path, required: true}
  keep: {description: Kinds that stay as they are now, type: list, elements: str}
"""
RETURN = """
recorded: {description: Whether there was a record, returned: always, type: bool}
left: {description: What could not be put back, returned: always, type: dict}
"""

MAX_TEXT = 120


def told(record_: record.Record) -> dict[str, str]:
    """For --diff: both sides of everything that differs."""
    found = list(record.differences(record_))
    return {
        "before": "".join(f"{kind} {key}: {_short(now)}\n" for kind, key, _, now in found),
        "after": "".join(f"{kind} {key}: {_short(before)}\n" for kind, key, before, _ in found),
    }


def _short(state: Any) -> str:
    """A whole file is no line."""
    text = repr(state)
    return text if len(text) < MAX_TEXT else f"{text[:MAX_TEXT]}..."


def main() -> None:
    options = {
        "path": {"type": "path", "required": True},
        "keep": {"type": "list", "elements": "str", "default": []},
    }
    module = AnsibleModule(argument_spec=options, supports_check_mode=True)
    path = Path(module.params["path"])
    try:
        found = record.load(path)
        before = {kind: states for kind, states in found.items() if kind not in module.params["keep"]}
        diff = told(before)
        left = {} if module.check_mode else record.put_back(before)
        if not (module.check_mode or left):
            path.unlink(missing_ok=True)
    except (OSError, record.Damaged) as error:
        module.fail_json(msg=f"cannot restore from {path}: {error}")
    module.exit_json(changed=bool(diff["before"]), diff=diff, left=left, recorded=bool(found))


if __name__ == "__main__":
    main()
