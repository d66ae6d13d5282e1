"""py-spy in a container's namespaces, where it must be to see native frames of a worker there.

It unwinds a thread by the number that the worker knows it by, and reads symbols from the files that the worker has
mapped: outside, the one is another thread's or nobody's, and the other are the host's. The container stays as it is.
"""

from __future__ import annotations

import ctypes
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from harness.errors import SuiteError
from harness.profiling import entering

CLONE_NEWPID = 0x20000000  # <sched.h>
NUMBERS = "NSpid:"  # in /proc/PID/status, from the outermost namespace that is seen to the process' own
ELF_OF_64_BITS, PT_INTERP = b"\x7fELF\x02\x01", 3  # little-endian; elf(5)
NEEDS_ROOT = (
    "native frames of a worker in a container are seen by the machine's root alone: run suite as root, "
    "or take --tool py-spy or --environment virtualenv"
)


class JoiningFailed(SuiteError):
    """py-spy cannot join a container's namespaces."""


def number_inside(pid: int, proc: Path = Path("/proc")) -> int | None:
    """By which a process knows itself in a container; None where it is in none, or has ended."""
    try:
        own, its = (_numbers(proc / one / "status") for one in ("self", str(pid)))
    except OSError:
        return None
    return its[-1] if len(its) > len(own) else None


def _numbers(status: Path) -> list[int]:
    lines = status.read_text().splitlines()
    return next(([int(one) for one in line.split()[1:]] for line in lines if line.startswith(NUMBERS)), [])


def start(
    pid: int, command: Sequence[str], output: Path | None = None, **streams: Any
) -> subprocess.Popen[bytes]:
    """A program in the namespaces of this process, a child of ours, with none of root's rights but CAP_SYS_PTRACE.

    `command`: what it is, which may need no other file, and its words. `output`: the file of ours that it shall write,
    which it gets open, with `--output`. `streams`: as Popen takes them. Raises: JoiningFailed with cause and remedy.
    """
    _require_whole(Path(command[0]))
    try:
        with ExitStack() as opened:
            processes, files = (
                _opened(f"/proc/{pid}/ns/{kind}", os.O_RDONLY, opened) for kind in ("pid", "mnt")
            )
            written = _opened(str(output), os.O_WRONLY | os.O_CREAT | os.O_EXCL, opened) if output else None
            words = [*command, *(["--output", f"/proc/self/fd/{written}"] if written else [])]
            entered = [sys.executable, "-I", "-S", entering.__file__, str(files), *words]
            kept_open = (files, *([written] if written else []))
            # Children of this thread alone are in the container; the harness' others are not.
            with ThreadPoolExecutor(1) as alone:
                return alone.submit(_begin, processes, entered, pass_fds=kept_open, **streams).result()
    except PermissionError:
        raise JoiningFailed(NEEDS_ROOT) from None
    except OSError as error:
        raise JoiningFailed(f"the worker's container cannot be joined: {error.strerror}") from None


def _opened(path: str, how: int, opened: ExitStack) -> int:
    opened.callback(os.close, found := os.open(path, how | os.O_CLOEXEC, 0o600))
    return found


def _begin(processes: int, command: Sequence[str], **how: Any) -> subprocess.Popen[bytes]:
    libc = ctypes.CDLL(None, use_errno=True)  # os.setns is there from Python 3.12 on
    if libc.setns(processes, CLONE_NEWPID):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return subprocess.Popen(command, **how)


def _require_whole(program: Path) -> None:
    """One that is linked to libraries would load the image's, and run them as root."""
    if not is_whole(program):
        raise JoiningFailed(
            f"{program} needs libraries, and would take a container's: native frames there need the py-spy that "
            "make setup installs"
        )


def is_whole(program: Path) -> bool:
    """Whether it is an ELF file that the kernel starts without an interpreter or a loader."""
    content = program.read_bytes()
    if not content.startswith(ELF_OF_64_BITS):
        return False
    try:
        (begin,) = struct.unpack_from("<Q", content, 32)
        size, count = struct.unpack_from("<HH", content, 54)
        kinds = [struct.unpack_from("<I", content, begin + size * number)[0] for number in range(count)]
    except struct.error:
        return False
    return bool(kinds) and PT_INTERP not in kinds
