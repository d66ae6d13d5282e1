"""tests/audit.sh: sound only where every lock was looked up and nothing was found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from harness import paths

SCRIPT = paths.ROOT / "tests/audit.sh"


def audited(folder: Path, body: str) -> subprocess.CompletedProcess[str]:
    """By a stand-in for pip-audit, which is given the same words."""
    tool = folder / "pip-audit"
    tool.write_text(f"#!/bin/sh\n{body}\n")
    tool.chmod(0o755)
    return subprocess.run([SCRIPT, tool], capture_output=True, text=True)


def test_every_lock_of_the_checkout_is_looked_up(tmp_path: Path) -> None:
    done = audited(tmp_path, f'echo "$@" >> {tmp_path}/asked')
    locks = {
        str(one.relative_to(paths.ROOT)) for one in paths.ROOT.glob("**/*.lock") if ".venv" not in str(one)
    }
    asked = {line.split()[-1] for line in (tmp_path / "asked").read_text().splitlines()}
    assert asked == locks - {"requirements.lock"}  # all of which is in requirements-dev.lock
    assert done.returncode == 0 and done.stdout.endswith("nothing known of any package\n")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('case "$*" in *torch*) echo "torch PYSEC-1"; exit 1;; esac', "torch PYSEC-1"),
        ("echo \"ConnectionError: host='api.osv.dev'\"; exit 1", "osv.dev cannot be reached"),
    ],
)
def test_what_is_found_or_cannot_be_asked_is_a_failure(tmp_path: Path, body: str, said: str) -> None:
    done = audited(tmp_path, body)
    assert done.returncode == 1 and said in done.stderr


def test_the_small_lock_is_within_the_large_one() -> None:
    small, large = (
        (paths.ROOT / name).read_text().splitlines()
        for name in ("requirements.lock", "requirements-dev.lock")
    )
    pinned = {line for line in small if line and not line.startswith((" ", "#"))}
    assert pinned <= set(large)
