"""A key from the network is known by its fingerprint, whatever else its file holds."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ansible.filter_plugins.joulemark_keys import fingerprints
from harness import paths

# Made by gpg 2.2 for this test, which told their fingerprints; nobody holds their secret halves.
ONE = """-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawJL2hYJKwYBBAHaRw8BAQdA7p9KPobi+gVhoa9ZhjQAXeMaADPUYNbDvBWr
4095U0S0D29uZUBleGFtcGxlLm9yZ4iQBBMWCAA4FiEEdVKqEUsETrGU3nnW5+16
6booS88FAmsCS9oCGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ5+166boo
S8+nmgD+PfKCDWrMsB1komKCtlygSWS7UGXT4BsPlgTPNkURm5IA/3nMVp1vkIMb
bcZyB8byVnOHToLb8TqaVOY6cblDalQC
=oqEw
-----END PGP PUBLIC KEY BLOCK-----
"""
TWO = """-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEawJL2hYJKwYBBAHaRw8BAQdAe5+kwkadenpTkr7RBfP0B80omVkbDGTduwDj
djOsYp+0D3R3b0BleGFtcGxlLm9yZ4iQBBMWCAA4FiEENXtDCfJ7t61lD6cf3GRY
cDNoBSoFAmsCS9oCGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQ3GRYcDNo
BSpPDQEAlIQWlMa2nemhV3EAHUkHbziq0lXFshBvMAYzMbUjPkYBALzWUJTWVyxC
Ni5nbmvcnUiC3/h7AVNHr2ceJlrzIq4H
=dr5R
-----END PGP PUBLIC KEY BLOCK-----
"""
ONE_PRINT, TWO_PRINT = (
    "7552AA114B044EB194DE79D6E7ED7AE9BA284BCF",
    "357B4309F27BB7AD650FA71FDC6458703368052A",
)


def binary(armoured: str) -> bytes:
    return base64.b64decode("".join(armoured.splitlines()[2:-2]))


def told(content: bytes) -> list[str]:
    return fingerprints(base64.b64encode(content).decode())


def test_it_is_the_fingerprint_that_gpg_tells() -> None:
    assert told(binary(ONE)) == told(ONE.encode()) == [ONE_PRINT]
    assert told(binary(TWO)) == told(TWO.encode()) == [TWO_PRINT]


def test_a_second_key_in_the_file_shows() -> None:
    assert told(binary(ONE) + binary(TWO)) == [ONE_PRINT, TWO_PRINT]
    assert told(f"{ONE}{TWO}".encode()) == []


@pytest.mark.parametrize("content", [b"", b"<html>not found</html>", binary(ONE)[:-1], binary(ONE) + b"x"])
def test_what_cannot_be_read_to_its_end_is_no_key(content: bytes) -> None:
    assert told(content) == []


def test_no_play_has_a_predictable_name_among_temporary_files() -> None:
    """Somebody else may have put a link there."""
    sources = [path for path in (paths.ROOT / "ansible").rglob("*") if path.suffix in (".yml", ".py")]
    assert len(sources) > 30
    assert [str(path) for path in sources if "/tmp/" in path.read_text()] == []


def test_every_key_that_is_fetched_is_pinned() -> None:
    roles = (paths.ROOT / "ansible" / "roles").rglob("*.yml")
    fetching = [path for path in roles if "get_url" in path.read_text() or "apt_key" in path.read_text()]
    assert [path.name for path in fetching] == ["trust.yml"]
    assert "joulemark_fingerprints == [nvidia_key_fingerprint]" in fetching[0].read_text()


@pytest.mark.unhurried
@pytest.mark.parametrize(("served", "code"), [(ONE, 0), (TWO, 2), (ONE + TWO, 2), ("", 2)])
def test_the_play_trusts_the_pinned_key_and_no_other(tmp_path: Path, served: str, code: int) -> None:
    """The role's own tasks, with a repository that is a folder."""
    player = paths.ROOT / ".venv-ansible" / "bin" / "ansible-playbook"
    if not player.exists():
        pytest.skip("no ansible here: make .venv-ansible/.done")
    (tmp_path / "gpgkey").write_text(served)
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [{"include_tasks": str(paths.ROOT / "ansible/roles/nvidia/tasks/trust.yml")}],
        "vars": {
            "ansible_become": False,
            "ansible_python_interpreter": sys.executable,
            "nvidia_repository": f"file://{tmp_path}",
            "nvidia_key_fingerprint": ONE_PRINT,
            "toolkit_key": str(tmp_path / "trusted.asc"),
        },
    }
    (tmp_path / "play.yml").write_text(json.dumps([play]))
    filters = str(paths.ROOT / "ansible" / "filter_plugins")
    places = {
        "ANSIBLE_FILTER_PLUGINS": filters,
        "ANSIBLE_HOME": str(tmp_path / "home"),
        "TMPDIR": str(tmp_path),
    }
    command = [player, "-i", "localhost,", "-c", "local", str(tmp_path / "play.yml")]
    played = subprocess.run(
        command, env={**os.environ, **places}, capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert played.returncode == code, played.stdout + played.stderr
    assert (tmp_path / "trusted.asc").exists() == (code == 0)
    assert ("it is not trusted" in played.stdout) == (code != 0)
    assert [path.name for path in tmp_path.glob("joulemark-*")] == []
