"""Prints the table of the adaptive rule on ICSE'22's runs in docs/statistics.md.

`python -m tests.bench.adaptive_icse22`
"""

from __future__ import annotations

import numpy as np

from tests.harness.analysis.icse22 import QUANTITIES, cells, rows

if __name__ == "__main__":
    print(f"| model | {' | '.join(QUANTITIES.values())} |")
    print(f"|---{'|---' * len(QUANTITIES)}|")
    print("\n".join(rows()))
    saved, most = np.mean([cell.saved for cell in cells()]), max(cell.look.ratio.blocks for cell in cells())
    print(f"\n{saved:.0%} fewer runs over all cells, at most {most} of 10 blocks")
