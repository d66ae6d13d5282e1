"""Which version of the suite this is, and of which commit: a checkout asks git, a wheel was told by setup.py."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

CHECKOUT = (
    Path(__file__).resolve().parents[1]
)  # setup.py runs this file by itself: nothing of ours is imported
BUILT_FROM = "commit.txt"  # beside this file, in a wheel
COMMIT_TIMEOUT_S = 10.0
# The monitor that the repository's own configuration names is not executed, and its index is left alone.
DESCRIBE = (
    "git", "--no-optional-locks", "-c", "core.fsmonitor=false", "describe", "--always", "--abbrev=12",
    "--exclude=*", "--dirty=, changed",
)  # fmt: skip


def told() -> str:
    """E.g. "0.1.0 (commit 8dfc059ab012)", or "0.1.0 (commit 8dfc059ab012, changed)"; without what nobody knows."""
    commit = commit_of(CHECKOUT) or _built_from()
    return f"{number()} (commit {commit})" if commit else number()


def number() -> str:
    """Of the installed distribution."""
    from importlib import metadata  # which a run file, as setup.py's, does not need

    try:
        return metadata.version("joulemark")
    except metadata.PackageNotFoundError:
        return "unknown"


def commit_of(checkout: Path) -> str:
    """Whether files that git knows were changed since is part of it; empty where this is no checkout, or git is not."""
    if not (checkout / ".git").exists():
        return ""
    try:
        said = subprocess.run(
            DESCRIBE, cwd=checkout, env=_without_git(), capture_output=True, text=True, timeout=COMMIT_TIMEOUT_S,
            check=True,
        )  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()


def _without_git() -> dict[str, str]:
    """Within a hook of git its variables name another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def without_commit(version: str) -> str:
    """For what shall not tell whose it is: a commit may be known of one fork alone."""
    return version.partition(" (")[0]


def _built_from() -> str:
    place = Path(__file__).with_name(BUILT_FROM)
    return place.read_text().strip() if place.is_file() else ""
