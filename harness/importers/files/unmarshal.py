"""A program: a cProfile file on its input -> functions and calls as JSON on its output. Run by cprofile.py, apart.

cProfile stores its statistics with `marshal`. Loading that runs no code, unlike pickle, but the interpreter does not
promise to survive hostile bytes; here only a process without memory, time or files to spare would die.
"""

import json
import marshal
import resource
import sys

MEMORY_BYTES, CPU_S = 4 << 30, 60
MOST_FUNCTIONS, MOST_CALLS, MOST_NAME = 100_000, 1_000_000, 500


def text(name: object) -> str:
    """Of a length that a person reads, and without halves of characters, which no file can hold."""
    return str(name)[:MOST_NAME].encode("utf-8", "replace").decode()


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    statistics = marshal.loads(sys.stdin.buffer.read())
    if len(statistics) > MOST_FUNCTIONS:
        sys.exit(f"more than {MOST_FUNCTIONS} functions")
    rows = [
        (
            text(file),
            int(line),
            text(name),
            int(primitive),
            int(calls),
            float(own),
            float(total),
        )
        for (file, line, name), (primitive, calls, own, total, _) in statistics.items()
    ]
    places = {key: place for place, key in enumerate(statistics)}
    called = [
        (places[caller], place, int(calls), float(own), float(total))
        for place, (_, _, _, _, callers) in enumerate(statistics.values())
        for caller, (calls, _, own, total) in callers.items()
        if caller in places
    ]
    if len(called) > MOST_CALLS:
        sys.exit(f"more than {MOST_CALLS} pairs of caller and called")
    json.dump({"functions": rows, "calls": called}, sys.stdout, allow_nan=False)


if __name__ == "__main__":
    main()
