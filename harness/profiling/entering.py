"""Becomes py-spy among a container's files, of root's rights with one alone; harness.profiling.joining starts it so.

A program of its own, of the standard library: once it has joined, what it would still import would be the container's.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
import time

ENTERED = "entered at "  # CLOCK_MONOTONIC ns: py-spy's clock begins as it does
CLONE_NEWNS = 0x20000  # <sched.h>
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 24, 38  # <sys/prctl.h>
CAP_SYS_PTRACE = 19  # of harness.profiling.rights, which it cannot import
MOST_CAPABILITIES = 64


def main(files: int, command: list[str]) -> None:
    """`files`: a descriptor of the mount namespace. `command`: a program that needs no other file, and its words."""
    try:
        program = os.open(command[0], os.O_RDONLY | os.O_CLOEXEC)
        libc = ctypes.CDLL(None, use_errno=True)
        _done(libc.setns(files, CLONE_NEWNS))
        os.close(files)
        _keep_one_right(libc)
        os.write(2, b"%s%d\n" % (ENTERED.encode(), time.monotonic_ns()))
        os.execve(program, command, {})
    except OSError as error:
        os.write(2, f"Error: the container's files cannot be joined: {error.strerror}\n".encode())
        os._exit(1)


def _keep_one_right(libc: ctypes.CDLL) -> None:
    """What is not in the bounding set no program gets, root's or not."""
    for number in range(MOST_CAPABILITIES):
        known = not libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0) if number != CAP_SYS_PTRACE else True
        if not known and ctypes.get_errno() != errno.EINVAL:  # of a number that this kernel does not have
            _done(-1)
    _done(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _done(result: int) -> None:
    if result:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
