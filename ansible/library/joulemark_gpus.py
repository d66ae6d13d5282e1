#!/usr/bin/python
"""NVIDIA GPUs as the bus and as the driver see them."""

from __future__ import annotations

from ansible.module_utils.basic import AnsibleModule

from ansible.module_utils.joulemark import gpus

DOCUMENTATION = """
module: joulemark_gpus
short_description: Look for NVIDIA GPUs
options:
  sys_root: {description: Where sysfs is, type: path, default: /sys}
"""
RETURN = """
on_bus: {description: Whether the PCI bus has one, returned: always, type: bool}
driver: {description: Version of the loaded driver, or nothing, returned: always, type: str}
gpus: {description: "uuid, name, chip and persistence of each that the driver sees", returned: always, type: list}
reason: {description: Why the driver sees none, returned: always, type: str}
"""


def main() -> None:
    module = AnsibleModule({"sys_root": {"type": "path", "default": "/sys"}}, supports_check_mode=True)
    module.exit_json(changed=False, **gpus.describe(module.params["sys_root"]))


if __name__ == "__main__":
    main()
