"""Which process started something: by namespace, id and start time, since ids are reused and containers count anew."""

from __future__ import annotations

import os
from pathlib import Path


def own() -> str:
    """The mark of this process."""
    mark = of(os.getpid())
    assert mark is not None, "this process is alive"
    return mark


def of(pid: int) -> str | None:
    """`namespace:id:start` of a process as this one counts them; None if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (OSError, ValueError):
        return None
    return f"{_namespace()}:{pid}:{stat.rpartition(')')[2].split()[19]}"  # starttime, proc_pid_stat(5)


def is_gone(mark: str) -> bool | None:
    """Whether the process of a mark has ended; None if it belongs to a namespace that cannot be seen from here."""
    namespace, _, rest = mark.partition(":")
    pid = rest.partition(":")[0]
    if namespace != _namespace() or not (pid.isascii() and pid.isdigit()):
        return None
    return of(int(pid)) != mark


def _namespace() -> str:
    """The inode of this process' namespace of process ids (pid_namespaces(7))."""
    return str(Path("/proc/self/ns/pid").stat().st_ino)
