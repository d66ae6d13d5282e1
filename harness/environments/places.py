"""Which places in an image are whose, and what the programs that fill them leave beside what they were told to."""

from __future__ import annotations

import hashlib
import posixpath
import re

from harness.environments.wheel_files import BIN, VENV

HOME = "/opt/joulemark"  # the recipe's own folder
OURS = (f"{VENV}/", f"{HOME}/", str(VENV), HOME)
BILL = f"{HOME}/bom.cdx.json"
CONFIGURATION = f"{VENV}/pyvenv.cfg"
# What `python3 -m venv` makes beside the configuration; nobody runs the shells' scripts.
ACTIVATION = {f"{BIN}/{name}" for name in ("activate", "activate.csh", "activate.fish", "Activate.ps1")}
PYTHONS = {"python3", "/usr/bin/python3", "/usr/local/bin/python3"}
LINKS = {f"{BIN}/{name}": PYTHONS for name in ("python", "python3", "python3.11")} | {
    f"{VENV}/lib64": {"lib"}
}
# What adding a user changes outside of our folders.
ACCOUNTS = [f"/etc/{name}" for name in ("passwd", "shadow", "group", "gshadow", "subuid", "subgid")]
BY_USERADD = {*ACCOUNTS, *(f"{name}-" for name in ACCOUNTS)}
BY_USERADD |= {"/etc/.pwd.lock", "/var/log/lastlog", "/var/log/faillog"}
BY_PIP = {"INSTALLER": {hashlib.sha256(b"pip\n").hexdigest()}, "REQUESTED": {hashlib.sha256(b"").hexdigest()}}
BYTECODE = ".cpython-311.pyc"
# What pip writes to start an entry point, in all its versions: nothing else may stand in a script.
STARTING = {
    "",
    "#!/opt/venv/bin/python",
    "#!/opt/venv/bin/python3",
    "# -*- coding: utf-8 -*-",
    "import re",
    "import sys",
    "if __name__ == '__main__':",
    'if __name__ == "__main__":',
    r"    sys.argv[0] = re.sub(r'(-script\.pyw|\.exe)?$', '', sys.argv[0])",
    "    sys.argv[0] = sys.argv[0].removesuffix('.exe')",
    '    sys.argv[0] = sys.argv[0].removesuffix(".exe")',
    "    if sys.argv[0].endswith('.exe'):",
    "        sys.argv[0] = sys.argv[0][:-4]",
}
IMPORTING = re.compile(r"from [\w.]+ import \w+|    sys\.exit\([\w.]+\(\)\)")


def ours(place: str) -> bool:
    """Whether it lies where the recipe writes."""
    return place.startswith(OURS[:2]) or place in OURS[2:]


def keep(place: str) -> bool:
    """Whether its content is looked into, and not its hash alone."""
    return ours(place) and (
        place in (BILL, CONFIGURATION) or place.startswith(f"{BIN}/") or ".dist-info/" in place
    )


def source_of(pyc: str) -> str:
    """The source to which a .pyc belongs; empty for one that stands alone, which Python would run as it is."""
    if not pyc.endswith(BYTECODE) or posixpath.basename(posixpath.dirname(pyc)) != "__pycache__":
        return ""
    folder, name = posixpath.split(pyc)
    return posixpath.join(posixpath.dirname(folder), f"{name.removesuffix(BYTECODE)}.py")


def only_starts(script: bytes) -> bool:
    """Whether a script does nothing but call what it imports."""
    lines = script.decode(errors="replace").splitlines()
    return all(line in STARTING or IMPORTING.fullmatch(line) for line in lines)
