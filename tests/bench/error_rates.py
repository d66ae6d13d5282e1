"""Prints two tables of docs/statistics.md, measured error rates and the length of adaptive campaigns.

`python -m tests.bench.error_rates`
"""

from __future__ import annotations

from tests.harness.analysis.simulation import COLUMNS, COURSE_COLUMNS, courses, rows

if __name__ == "__main__":
    print(f"| a campaign of 10 blocks on a machine with | {' | '.join(COLUMNS)} |")
    print(f"|---{'|---:' * len(COLUMNS)}|")
    print("\n".join(rows()))
    print(f"\n| costs less by | {' | '.join(COURSE_COLUMNS)} |")
    print(f"|---:{'|---:' * len(COURSE_COLUMNS)}|")
    print("\n".join(courses()))
