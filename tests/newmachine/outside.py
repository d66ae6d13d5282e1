"""What a machine in a container takes over from this one, to reach the same package indexes in the same way."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

APT = "/etc/apt"
CARRIED = re.compile(r"(https?|all|no)_proxy|SSL_CERT_(FILE|DIR)|(REQUESTS|CURL)_CA_BUNDLE", re.IGNORECASE)


def debian() -> str | None:
    """The name of this machine's release, where it is Debian: its list of apt's sources holds for no other."""
    told = Path("/etc/os-release").read_text()
    names = dict(line.split("=", 1) for line in told.splitlines() if "=" in line)
    return names.get("VERSION_CODENAME") if names.get("ID") == "debian" else None


def variables() -> dict[str, str]:
    """Proxies, certificates, and all that this machine's pip is configured with, as environment variables."""
    return {name: value for name, value in os.environ.items() if CARRIED.fullmatch(name)} | _pip()


def volumes() -> list[str]:
    """apt's configuration and what the variables name by its path (certificates, wheels), for the engine; read-only."""
    named = {word for word in " ".join(variables().values()).split() if word.startswith("/")}
    return [f"{one}:{one}:ro" for one in sorted({APT, *named}) if Path(one).exists()]


def _pip() -> dict[str, str]:
    command = [sys.executable, "-m", "pip", "config", "list"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    pairs = (line.split("=", 1) for line in told.splitlines())
    found = {f"PIP_{key.rpartition('.')[2].replace('-', '_').upper()}": value for key, value in pairs}
    configured = {name: str(ast.literal_eval(value)) for name, value in found.items()}
    return configured | {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
