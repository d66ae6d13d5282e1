"""Prints a table of docs/statistics.md: how often a verdict between campaigns is false, by what it stands on.

`python -m tests.bench.error_rates_sessions`
"""

from __future__ import annotations

from tests.harness.analysis.sessions_simulation import COLUMNS, rows

if __name__ == "__main__":
    print(f"| 1 % from session to session, 1 % from run to run, nothing differs | {' | '.join(COLUMNS)} |")
    print(f"|---{'|---:' * len(COLUMNS)}|")
    print("\n".join(rows()))
