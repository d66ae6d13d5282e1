#!/usr/bin/python
"""Who may read the energy counters: one line of the summary."""

from __future__ import annotations

import grp
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ansible.module_utils.joulemark import rights

DOCUMENTATION = """
module: joulemark_counters
short_description: Look whether one group may read the energy counters, and nobody else
options:
  patterns: {description: Globs of the counters' files, type: list, elements: str, required: true}
  group: {description: The group, type: str, required: true}
"""
RETURN = """
lines: {description: How it is, returned: always, type: list}
"""
WHERE = "virtual machines have none; on bare metal: modprobe intel_rapl_msr (before Linux 5.3: intel_rapl)"


def line(files: list[str], group: str) -> dict[str, Any]:
    if not files:
        return {"good": False, "says": "the kernel shows no energy counters", "remedy": WHERE}
    try:
        wanted = grp.getgrnam(group).gr_gid
    except KeyError:
        wanted = -1
    states = {path: rights.look(path) or {} for path in files}
    wrong = [path for path, state in states.items() if state.get("gid") != wanted or state["mode"] != "0440"]
    says = f"{len(files) - len(wrong)} of {len(files)} files of energy counters are for {group} only"
    return {"good": not wrong, "says": says, "remedy": f"see {wrong[0]}" if wrong else ""}


def main() -> None:
    options = {
        "patterns": {"type": "list", "elements": "str", "required": True},
        "group": {"type": "str", "required": True},
    }
    module = AnsibleModule(argument_spec=options, supports_check_mode=True)
    files = [path for pattern in module.params["patterns"] for path in rights.keys(pattern)]
    module.exit_json(changed=False, lines=[line(files, module.params["group"])])


if __name__ == "__main__":
    main()
