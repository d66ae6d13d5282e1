"""Parts stand in the order in which a run goes through them, whatever a task calls its stage."""

from __future__ import annotations

import pandas as pd

from harness.analysis.groups import GROUP, TREATMENT
from harness.analysis.parts import OTHER, part_costs

PHASES = ["teardown", "generate", "compile", "import"]


def test_a_stage_of_its_own_name_lies_between_its_compilation_and_the_teardown() -> None:
    run = {"run_id": "1", **dict.fromkeys(GROUP, "w"), TREATMENT: "torch 1", "duration_s": 5.0, "energy_j": 50.0,
           "provenance": "measured", "energy_boundary": "cpu_package"}  # fmt: skip
    phases = [
        {"run_id": "1", "phase": one, "epoch": None, "duration_s": 1.0, "energy_j": 10.0} for one in PHASES
    ]
    found = part_costs(pd.DataFrame([run]), pd.DataFrame(phases))
    assert found["part"].tolist() == ["import", "compile", "generate", "teardown", OTHER]
    assert found["energy_j"].sum() == 50.0
