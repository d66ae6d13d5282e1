#!/usr/bin/python
"""Sets the kernel's settings and silences timers and daemons, until the next boot."""

from __future__ import annotations

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

from ansible.module_utils.joulemark import quieting, record, units, user_units

DOCUMENTATION = """
module: joulemark_quiet
short_description: Write kernel settings and silence units that the record holds
description: A setting whose file the kernel does not offer is skipped; one that the kernel refuses is told in a line.
options:
  path: {description: The record of the state before, type: path, required: true}
  settings: {description: "Each with name, path (a glob) and value; keep leaves it", type: list, elements: dict}
  units: {description: Units of systemd to stop and hide, type: list, elements: str}
  user_units: {description: The same for units of those who are logged in, type: list, elements: str}
"""
RETURN = """
lines: {description: How each of them is afterwards, returned: always, type: list}
"""


def main() -> None:
    options = {
        "path": {"type": "path", "required": True},
        "settings": {"type": "list", "elements": "dict", "default": []},
        "units": {"type": "list", "elements": "str", "default": []},
        "user_units": {"type": "list", "elements": "str", "default": []},
    }
    module = AnsibleModule(argument_spec=options, supports_check_mode=True)
    write = not module.check_mode
    try:
        before = record.load(Path(module.params["path"])) if write else {}
        settings = [{key: str(text) for key, text in one.items()} for one in module.params["settings"]]
        changed, lines = quieting.set_values(settings, before.get("values", {}), write)
        loud, left = quieting.silence(units, module.params["units"], before.get("units", {}), write)
        theirs = before.get("user_units", {})
        loud_users, left_users = quieting.silence(user_units, module.params["user_units"], theirs, write)
    except (OSError, record.Damaged) as error:
        module.fail_json(msg=str(error))
    changed += [f"{name}: silenced" for name in loud + loud_users]
    if module.params["units"]:
        lines.append(quieting.units_line(left + left_users))
    diff = {"before": "", "after": "".join(f"{one}\n" for one in changed)}
    module.exit_json(changed=bool(changed), lines=lines, diff=diff)


if __name__ == "__main__":
    main()
