#!/usr/bin/python
"""Writes the state before, once and before anything is changed."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible.module_utils.joulemark import record

DOCUMENTATION = """
module: joulemark_record
short_description: Write how the host is, before anything is changed
description: What is in the file stays. Where it cannot be written the play ends, since nothing could be undone.
options:
  path: {description: The JSON file on the host, type: path, required: true}
  wanted: {description: "Kind to a list of patterns: what may be changed", type: dict, required: true}
"""
RETURN = """
before: {description: "Kind, key, state", returned: always, type: dict}
"""


def main() -> None:
    options = {"path": {"type": "path", "required": True}, "wanted": {"type": "dict", "required": True}}
    module = AnsibleModule(argument_spec=options, supports_check_mode=True)
    path = Path(module.params["path"])
    try:
        before = record.load(path)
        found = record.extended(before, module.params["wanted"])
        if found != before and not module.check_mode:
            record.save(path, found)
    except (OSError, record.Damaged) as error:
        module.fail_json(msg=f"the state before cannot be kept in {path}: {error}")
    new = [name for name in found.get("packages", {}) if name not in before.get("packages", {})]
    diff = {"before": "", "after": "".join(f"{name}: to be installed\n" for name in new)}
    module.exit_json(changed=found != before, before=found, diff=diff)


if __name__ == "__main__":
    main()
