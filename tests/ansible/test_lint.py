"""The playbooks are clean by ansible-lint's strictest profile."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness import paths

pytestmark = pytest.mark.unhurried

TOOLS = paths.ROOT / ".venv-ansible" / "bin"


def test_the_production_profile_finds_nothing(tmp_path: Path) -> None:
    if not (TOOLS / "ansible-lint").exists():
        pytest.skip("no ansible-lint here: make .venv-ansible/.done")
    environment = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", "ANSIBLE_HOME": str(tmp_path)}
    command = ["ansible-lint", "--nocolor"]
    result = subprocess.run(
        command, cwd=paths.ROOT / "ansible", env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "profile was required, and it passed" in result.stderr.replace("Profile 'production'", "profile")
