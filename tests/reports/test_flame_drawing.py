"""The flame graph that stands still: what is wide enough, where it belongs, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given

from harness.analysis.summary import analyse
from reports import flame_drawing
from reports.contents import sections_of
from reports.flame_drawing import DEEPEST, LEAST_SHARE, flame
from reports.flames import WHOLE, data_of
from reports.stills import FORMS, stills
from tests.campaigns import Recipe
from tests.profiled import build_profiled
from tests.reports.parts_of import _values
from tests.reports.test_flames import STACKS
from tests.reports.test_strangers_texts import BROKEN, EVIL

OF_PARTS = {"suite.run;a": 1.0, "suite.run;b;c": 2.0, "suite.run": 1.0, "d": 0.004}


def frames(data: dict) -> pd.DataFrame:
    """What the chart's boxes are drawn of."""
    return pd.DataFrame(next(_values(flame(data).spec))).set_index("words", drop=False)


def test_a_frame_is_as_wide_as_its_joules_and_lies_below_its_caller() -> None:
    found = frames(data_of({"": OF_PARTS}))
    whole = sum(OF_PARTS.values())
    assert found["depth"].to_dict() == {WHOLE: 0, "suite.run": 1, "a": 2, "b": 2, "c": 3}  # d is too narrow
    widths = (found["end"] - found["begin"]).to_dict()
    expected = {WHOLE: 1, "suite.run": 4 / whole, "a": 1 / whole, "b": 2 / whole, "c": 2 / whole}
    assert widths == pytest.approx(expected, abs=1e-5)
    assert found.loc["b", "begin"] == pytest.approx(found.loc["a", "end"])  # neighbours, by name
    assert found.loc["c", "begin"] == found.loc["b", "begin"]


def test_differences_are_told_by_colour_and_sign() -> None:
    found = frames(data_of({"one": {"a": 1.0, "b": 8.0, "c": 5.0}, "other": {"a": 9.0, "b": 2.0, "c": 5.0}}))
    assert set(found.index) == {WHOLE, "a +8.00\u202fJ", "b −6.00\u202fJ", "c"}
    red, blue = (
        tuple(int(found.loc[name, "colour"][at : at + 2], 16) for at in (1, 5))
        for name in ("a +8.00\u202fJ", "b −6.00\u202fJ")
    )
    assert red[0] > red[1] and blue[0] < blue[1]


@given(STACKS)
def test_no_frame_reaches_over_its_callers_or_its_neighbours(stacks: dict[str, float]) -> None:
    found = frames(data_of({"": stacks}))
    assert (found["begin"] >= 0).all() and (found["end"] <= 1 + 1e-6).all()
    if sum(stacks.values()) > 0:
        assert (found["end"] - found["begin"] >= LEAST_SHARE - 1e-6).all()
    for _, row in found.groupby("depth"):
        inorder = row.sort_values("begin")
        assert (inorder["begin"].to_numpy()[1:] >= inorder["end"].to_numpy()[:-1] - 1e-5).all()


def test_it_ends_where_no_picture_would_hold_it() -> None:
    found = frames(data_of({"": {";".join(f"f{number}" for number in range(5000)): 1.0}}))
    assert found["depth"].max() == DEEPEST


def test_nothing_at_all_is_drawn_as_nothing() -> None:
    assert flame(data_of({"": {}})).svg and flame(data_of({"": {"a": 0.0}})).svg


@pytest.mark.unhurried
@pytest.mark.parametrize("form", FORMS)
def test_each_graph_of_a_page_is_a_file_by_itself_whatever_its_functions_are_called(
    tmp_path: Path, form: str
) -> None:
    """The library that draws aborts the process at a control character: this test would not come back."""
    campaign = build_profiled(
        tmp_path / "c",
        Recipe(frameworks={"torch": 1.0, "jax": 1.5}, blocks=1),
        lambda run: [f"{BROKEN} (a.py);{EVIL}"],
    )
    files = dict(stills(sections_of(analyse(campaign), campaign), form))
    assert len(files) == 3
    assert all(name.startswith("functions-") and len(content) > 500 for name, content in files.items())


@pytest.mark.parametrize(
    ("name", "letters", "words"),
    [
        ("sgemm_ [native] libtorch_cpu.so", 31, "sgemm_ [native] libtorch_cpu.so"),
        ("sgemm_ [native] libtorch_cpu.so", 30, "sgemm_"),
        ("at::native::relu<float, at::Tensor> [native] libtorch_cpu.so.2", 8, "relu"),
        ("unknown [native]", 8, "unknown"),
        ("<lambda> [native] liba.so", 10, "<lambda>"),
        ("torch.nn.functional.relu", 8, "relu"),
    ],
)
def test_a_narrow_frame_of_compiled_code_has_its_symbol(name: str, letters: int, words: str) -> None:
    assert flame_drawing._fitted(name, "", letters) == words
