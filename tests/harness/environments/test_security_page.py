"""What SECURITY.md says of the containers, the file that makes them says, too."""

from __future__ import annotations

import re

import pytest

from harness import paths
from harness.environments import compose

PAGE = (paths.ROOT / "SECURITY.md").read_text()


@pytest.mark.parametrize("section", ["x-run", "x-run-cuda"])
def test_every_container_is_as_the_page_promises(section: str) -> None:
    settings = compose.load()[section]
    assert settings["network_mode"] == "none"
    assert settings["cap_drop"] == ["ALL"]
    assert "no-new-privileges" in settings["security_opt"]
    assert settings["read_only"] is True
    assert not settings["user"].startswith(("0", "root"))
    assert {"mem_limit", "pids_limit"} <= set(settings)
    assert not {"privileged", "cap_add", "devices", "pid", "ipc"} & set(settings)
    for mounted in settings["tmpfs"]:
        assert {"noexec", "nosuid", "nodev"} <= set(re.split("[:,]", compose._fill(mounted, {})))


def test_every_file_and_command_that_the_page_names_is_there() -> None:
    assert [name for name in re.findall(r"\]\((\S+?)\)", PAGE) if not (paths.ROOT / name).exists()] == []
    for words in ("images verify", "doctor", "verify"):
        assert f"`suite {words}`" in PAGE


def test_it_invents_no_address() -> None:
    assert "@" not in PAGE
    assert "http" not in PAGE
