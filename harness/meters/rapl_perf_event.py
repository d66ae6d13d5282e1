"""perf_event_open(2) without a library: open a counter, read it, close it."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

# include/uapi/asm-generic/unistd.h and each architecture's syscall table
SYSCALL = {
    "x86_64": 298,
    "aarch64": 241,
    "riscv64": 241,
    "ppc64le": 319,
    "s390x": 331,
    "i686": 336,
    "armv7l": 364,
}
# struct perf_event_attr, first published size: type, size, config, period, sample_type, read_format, flags, ...
ATTRIBUTES = struct.Struct("=IIQQQQQIIQ")
CLOSE_ON_EXEC = 1 << 3  # PERF_FLAG_FD_CLOEXEC
COUNT = struct.Struct("=Q")


def open_event(kind: int, config: int, pid: int, cpu: int) -> int:
    """A file descriptor of a running counter; `pid` -1 counts everything on `cpu`.

    Raises: OSError with the kernel's errno: EACCES or EPERM (rights), ENOENT, ENODEV or EINVAL (no such event),
    ENOSYS (no number known for this architecture).
    """
    number = SYSCALL.get(platform.machine())
    if number is None:
        raise OSError(38, f"no system call number known for {platform.machine()}")
    attributes = ATTRIBUTES.pack(kind, ATTRIBUTES.size, config, 0, 0, 0, 0, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    arguments = [ctypes.c_long(one) for one in (pid, cpu, -1, CLOSE_ON_EXEC)]
    fd: int = libc.syscall(ctypes.c_long(number), ctypes.c_char_p(attributes), *arguments)
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


def read_count(fd: int) -> int:
    """The counter's 64-bit value. Raises: OSError, struct.error where the event has ended."""
    (count,) = COUNT.unpack(os.read(fd, COUNT.size))
    return int(count)
