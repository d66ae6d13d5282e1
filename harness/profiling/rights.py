"""Why the kernel lets nobody look at a process, and what helps, in one line.

Who looks needs what ptrace(2) calls PTRACE_MODE_ATTACH_REALCREDS: the same user or CAP_SYS_PTRACE, in the process' own
user namespace; and what Yama allows (Documentation/admin-guide/LSM/Yama.rst).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")
SCOPE = "sys/kernel/yama/ptrace_scope"
SCOPE_NOBODY = 3  # until the machine boots anew
CAP_SYS_PTRACE = 19
WHOLE = ["0", "0", "4294967295"]  # the uid_map of the first user namespace
AS_ROOT = "run suite as root, or give py-spy alone the right: sudo setcap cap_sys_ptrace+ep {program}"


def why_refused(program: str, proc: Path = PROC, uid: int | None = None) -> str:
    """Cause and remedy. `uid`: of whoever looks; None: this process'."""
    return next(_causes(program, proc, os.geteuid() if uid is None else uid))


def _causes(program: str, proc: Path, uid: int) -> Iterator[str]:
    scope = _number(proc / SCOPE)
    if scope == SCOPE_NOBODY:
        yield (
            "the kernel forbids it to everybody until it boots anew (kernel.yama.ptrace_scope is 3): set it to less, "
            "and reboot"
        )
    if uid:
        told = f" (kernel.yama.ptrace_scope is {scope})" if scope else ""
        yield f"user {uid} may not{told}: {AS_ROOT.format(program=program)}"
    if not _capabilities(proc) >> CAP_SYS_PTRACE & 1:
        yield "this root lacks CAP_SYS_PTRACE: a container around suite itself is started with --cap-add SYS_PTRACE"
    if _text(proc / "self/uid_map").split() != WHOLE:
        yield "this root is one of a user namespace, and the worker lives outside: run suite as the machine's root"
    yield "a security module forbids it, though root asks: see dmesg"


def _capabilities(proc: Path) -> int:
    lines = dict(line.split(":", 1) for line in _text(proc / "self/status").splitlines() if ":" in line)
    return int(lines.get("CapEff", "0"), 16)


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    return int(text) if text.isdigit() else None


def _text(path: Path) -> str:
    """Empty where the kernel has no such file."""
    try:
        return path.read_text()
    except OSError:
        return ""
