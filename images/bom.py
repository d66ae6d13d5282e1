"""Prints a CycloneDX 1.6 bill of materials of the environment that runs it: `python bom.py NAME VERSION`.

Stdlib only: it runs inside images and virtual environments (https://cyclonedx.org/docs/1.6/json/).
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import sys
from typing import Any


def bill(name: str, version: str) -> dict[str, Any]:
    """The same environment gives the same bill: no time stamp, no random serial number."""
    found = sorted(importlib.metadata.distributions(), key=lambda one: one.metadata["Name"].lower())
    python = {"type": "platform", "name": "python", "version": platform.python_version()}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {"type": "container", "name": name, "version": version}},
        "components": [python, *map(_component, found)],
    }


def _component(distribution: importlib.metadata.Distribution) -> dict[str, Any]:
    name, version = distribution.metadata["Name"], distribution.version
    purl = f"pkg:pypi/{name.lower().replace('_', '-')}@{version.replace('+', '%2B')}"
    component = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    licence = distribution.metadata.get("License-Expression")
    return component | ({"licenses": [{"expression": licence}]} if licence else {})


if __name__ == "__main__":
    print(json.dumps(bill(*sys.argv[1:]), indent=1))  # noqa: T201 - a file by redirection
