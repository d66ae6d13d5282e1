"""All meanings in one place."""

from __future__ import annotations

from collections.abc import Mapping

from harness.findings import of_comparisons, of_energy, of_files, of_the_machine, of_work, said_first
from harness.findings.codes import Code
from harness.findings.meaning import Meaning, Voided

TABLES: Mapping[str, Mapping[Code, Meaning]] = {
    one.TITLE: one.MEANINGS
    for one in (of_energy, of_the_machine, of_work, said_first, of_files, of_comparisons)
}
MEANINGS = {code: meaning for table in TABLES.values() for code, meaning in table.items()}
VOIDS: Mapping[str, Mapping[str, Voided]] = {
    code: meaning.voids for code, meaning in MEANINGS.items() if meaning.voids
}
WITHHOLDING = frozenset(code for code, meaning in MEANINGS.items() if meaning.withholds)
