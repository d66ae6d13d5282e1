"""Why nobody may look, from what the kernel tells: one line with what helps."""

from pathlib import Path

import pytest

from harness.profiling.rights import why_refused

FIRST = "         0          0 4294967295\n"
WITH, WITHOUT = 1 << 19, 0


@pytest.fixture
def kernel(tmp_path: Path):
    """/proc as it may be."""

    def tells(scope: int | None = None, capabilities: int = WITH, uid_map: str = FIRST) -> Path:
        (tmp_path / "self").mkdir()
        (tmp_path / "self/status").write_text(f"Name:\tx\nCapEff:\t{capabilities:016x}\n")
        (tmp_path / "self/uid_map").write_text(uid_map)
        if scope is not None:
            (tmp_path / "sys/kernel/yama").mkdir(parents=True)
            (tmp_path / "sys/kernel/yama/ptrace_scope").write_text(f"{scope}\n")
        return tmp_path

    return tells


@pytest.mark.parametrize(
    ("told", "uid", "words"),
    [
        ({"scope": 3}, 0, "ptrace_scope is 3"),
        ({"scope": 1, "capabilities": WITHOUT}, 1000, "ptrace_scope is 1): run suite as root, or"),
        ({"scope": 0, "capabilities": WITHOUT}, 1000, "user 1000 may not: run suite as root, or"),
        ({"capabilities": WITHOUT}, 1000, "sudo setcap cap_sys_ptrace+ep /opt/py-spy"),
        ({"capabilities": WITHOUT}, 0, "--cap-add SYS_PTRACE"),
        ({"scope": 1, "uid_map": "0 1000 1\n"}, 0, "run suite as the machine's root"),
        ({"scope": 1}, 0, "see dmesg"),
    ],
)
def test_each_cause_has_its_remedy_on_one_line(kernel, told, uid, words):
    found = why_refused("/opt/py-spy", kernel(**told), uid)
    assert words in found
    assert "\n" not in found


def test_a_kernel_that_tells_nothing_is_no_error(tmp_path):
    assert why_refused("py-spy", tmp_path, 0)
