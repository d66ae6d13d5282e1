"""A mistake in meters.toml is one line that names the file and the mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import UsageError
from harness.meters import configured

COMMAND = '[[command]]\nname = "bmc"\nargv = ["true"]\nunit = "W"\nperiod_s = 1.0\n'
PLUG = '[[http]]\nname = "plug"\nurl = "http://plug"\npreset = "shelly"\n'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe", "cannot be read"),
        (b"[[http]", "cannot be read"),
        ((COMMAND * 2).encode(), "two [[command]] have the name 'bmc'"),
        ((PLUG * 2).encode(), "two [[http]] have the name 'plug'"),
        ((COMMAND + "timeot_s = 3.0\n").encode(), "command.0.timeot_s"),
        (b'"\\u001b[2J" = 1', r"\x1b[2J"),
    ],
)
def test_a_mistake_is_told_in_one_line(tmp_path: Path, content: bytes, reason: str) -> None:
    file = tmp_path / "meters.toml"
    file.write_bytes(content)
    with pytest.raises(UsageError) as error:
        configured.read(str(file))
    assert reason in str(error.value) and str(error.value).isprintable()


def test_a_command_and_a_plug_may_have_the_same_name(tmp_path: Path) -> None:
    file = tmp_path / "meters.toml"
    file.write_text(COMMAND + PLUG.replace("plug", "bmc"))
    found = configured.read(str(file))
    assert (found.command[0].name, found.http[0].name) == ("bmc", "bmc")
