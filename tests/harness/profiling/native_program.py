"""A program whose time goes to C, half of it to a function with a name that would break pages, lines and frames."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HOSTILE = "</script><img src=x onerror=alert(1)>;b [native] (c)"
CODE = """
static void hostile(double *x, long n) __asm__("\\"%s\\"");
__attribute__((noinline)) static void hostile(double *x, long n)
{ for (long i = 0; i < n; i++) *x = *x * 0.5 + 1; }
void burn_in_c(double *x, long n) { for (long i = 0; i < n; i++) *x = *x * 0.5 + 1; }
void both(double *x, long n) { burn_in_c(x, 3 * n); hostile(x, n); }
"""
WORKER = """
import ctypes, pathlib, sys, time
library, x = ctypes.CDLL(sys.argv[1]), ctypes.c_double(1.0)

def compute():
    library.both(ctypes.byref(x), ctypes.c_long(200_000))

end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    compute()
pathlib.Path(sys.argv[3]).touch()
time.sleep(60)
"""


def start(folder: Path, lasts_s: float, within: Sequence[str] = ()) -> tuple[subprocess.Popen[bytes], Path]:
    """The process, and the file that is there once it has computed for so long. `within`: what starts it."""
    source, library = folder / "burn.c", folder / "libburn.so"
    source.write_text(CODE % HOSTILE)
    subprocess.run(["cc", "-O0", "-shared", "-fPIC", source, "-o", library], check=True)
    script, done = folder / "suite" / "run.py", folder / "done"
    script.parent.mkdir()
    script.write_text(WORKER)
    return subprocess.Popen([*within, sys.executable, script, library, str(lasts_s), done]), done
