"""Deep Green AI (2025): eight languages, two networks, three data sets, trained and evaluated under CodeCarbon.

One row of `combined_data.csv` an epoch (Pampaj7/DeepGreen). Its four tables are group means of these rows.
"""

from __future__ import annotations

from pathlib import Path

from harness.studies.base import Reproduction
from harness.studies.deepgreen25.audit import audit
from harness.studies.deepgreen25.rows import FILE, read
from harness.studies.deepgreen25.tables import cells

NAME = "deepgreen25"
SUMMARY = f"{FILE} of its repository, or the folder that holds it"
NEEDS_FILES = True
NOTES = (
    "Energies are CodeCarbon's kWh of one epoch: CPU, memory and GPU together. Its tables take every row of a group, "
    "networks, data sets and stages alike: mean, standard deviation (n - 1), least and largest. Efficiency is the mean "
    "of duration / energy.",
)


def reproduce(path: Path | None) -> Reproduction:
    assert path is not None
    rows = read(path)
    return Reproduction(
        title="Deep Green AI (2025)",
        source="the authors' four tables in its repository",
        cells=tuple(cells(rows)),
        audit=tuple(audit(rows)),
        notes=NOTES,
    )
