"""Prints tables of docs/statistics.md: measured error rates, and the length of adaptive campaigns.

`python -m tests.bench.error_rates`
"""

from __future__ import annotations

from tests.harness.analysis.harsh_noise import FAMILY_COLUMNS, SHAPE_COLUMNS, family_rows, shape_rows
from tests.harness.analysis.simulation import COLUMNS, COURSE_COLUMNS, courses, rows

TABLES = (
    ("a campaign of 10 blocks on a machine with", COLUMNS, rows),
    ("costs less by", COURSE_COLUMNS, courses),
    ("noise", SHAPE_COLUMNS, shape_rows),
    ("null campaigns of", FAMILY_COLUMNS, family_rows),
)

if __name__ == "__main__":
    for first, columns, lines in TABLES:
        print(f"| {first} | {' | '.join(columns)} |\n|---{'|---:' * len(columns)}|")
        print("\n".join(lines()), end="\n\n")
