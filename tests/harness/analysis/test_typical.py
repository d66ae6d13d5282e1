"""How large the numbers of a page typically are: by family, between the least and the greatest, whatever is unknown."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.quantities import named
from harness.analysis.typical import typical


def costs(quantity: str, means: list[float | None]) -> pd.DataFrame:
    return pd.DataFrame({"quantity": quantity, "mean": pd.Series(means, dtype="float64")})


@given(st.lists(st.floats(1e-9, 1e12), min_size=1))
def test_it_lies_between_the_least_and_the_greatest(means: list[float]) -> None:
    found = typical(costs("energy_j", [*means, None, 0.0]))["J"]
    assert min(means) * 0.999 <= found <= max(means) * 1.001


@given(st.floats(1e-3, 1e3), st.lists(st.floats(1e-3, 1e6), min_size=1))
def test_twice_as_large_is_twice_as_large(factor: float, means: list[float]) -> None:
    more = typical(costs("duration_s", [factor * one for one in means]))["s"]
    assert more == pytest.approx(factor * typical(costs("duration_s", means))["s"])


def test_joules_of_runs_stages_and_epochs_are_of_one_family_and_those_of_a_sample_are_not() -> None:
    alike = ("energy_j", "energy_net_j", "stage_energy_j", "stage_energy_j_per_epoch")
    assert {named(name).family for name in alike} == {"J"}
    others = ("stage_energy_j_per_sample", "energy_delay_js", "energy_j_per_request", "mean_power_w")
    assert len({named(name).family for name in others} - {"J"}) == len(others)
    assert {named(name).family for name in ("cache_bytes", "memory_peak_bytes")} == {"bytes"}


def test_nothing_known_is_nothing_typical() -> None:
    assert dict(typical(costs("energy_j", [None, 0.0]))) == {}
    assert dict(typical(costs("energy_j", []))) == {}
