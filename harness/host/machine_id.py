"""By what a machine is known again without being told: a hash of its own id that is ours alone.

As sd_id128_get_machine_app_specific(3) makes it: nobody gets from it to the machine's id, or to another program's hash.
"""

from __future__ import annotations

import hmac
import re
from pathlib import Path

from harness.host.files import ROOT, read

OURS = bytes.fromhex("7bd1ae0e3c5f4b6c9d0a1f6d2e847c35")  # drawn once, for this program
MACHINE_ID = re.compile(r"[0-9a-f]{32}")  # machine-id(5)


def machine_id(root: Path = ROOT) -> str | None:
    """32 hexadecimal digits; None where the machine has no id (a container, an image before its first boot)."""
    own = raw_machine_id(root)
    return None if own is None else hmac.digest(bytes.fromhex(own), OURS, "sha256")[:16].hex()


def raw_machine_id(root: Path = ROOT) -> str | None:
    """What no record may hold."""
    found = read(root, "etc/machine-id") or ""
    return found if MACHINE_ID.fullmatch(found) else None
