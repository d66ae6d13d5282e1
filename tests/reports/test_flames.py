"""What a flame graph is drawn of: every joule once, whatever the functions are called."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as some

from reports.flames import KINDS, LONGEST, OURS, REST, WHOLE, data_of

NAMES = some.text(some.characters(blacklist_characters=";"), max_size=6)
STACKS = some.dictionaries(
    some.lists(NAMES, min_size=1, max_size=5).map(";".join), some.floats(0, 100), max_size=12
)


def paths(data: dict) -> list[tuple[str, ...]]:
    """Of each frame the names from the outermost to its own; fails where no frame is above one."""
    found: list[tuple[str, ...]] = []
    for name, depth in zip(data["name"], data["depth"], strict=True):
        above = found[-1][:depth] if found else ()
        assert len(above) == depth
        found.append((*above, data["names"][name]))
    return found


@given(STACKS, STACKS)
def test_every_joule_of_each_run_is_in_one_frame(one, other):
    data = data_of({"one": one, "other": other})
    for own, stacks in zip(data["own"], (one, other), strict=True):
        assert sum(own) == pytest.approx(sum(stacks.values()), rel=1e-3, abs=1e-9)
    assert len(set(paths(data))) == len(data["name"])  # what two runs share is one frame
    assert paths(data)[0] == (WHOLE,)
    json.dumps(data, allow_nan=False)


def test_frames_lie_below_each_other_in_the_order_of_their_names():
    data = data_of({"": {"suite.run;b": 1.0, "suite.run;a;c": 2.0, "suite.run": 0.5}})
    assert paths(data)[1:] == [(WHOLE, "suite.run"), (WHOLE, "suite.run", "a"), (WHOLE, "suite.run", "a", "c"),
                               (WHOLE, "suite.run", "b")]  # fmt: skip
    assert data["own"] == [[0, 0.5, 0, 2.0, 1.0]]


def test_the_machinery_of_imports_is_left_out_unless_it_took_the_joules():
    through = "suite.run;importlib._bootstrap._find_and_load;importlib._bootstrap_external.exec_module"
    data = data_of({"": {f"{through};torch.<module>": 1.0, through: 2.0}})
    assert [path[2:] for path in paths(data)[2:]] == [
        ("importlib._bootstrap_external.exec_module",),
        ("torch.<module>",),
    ]


def test_stacks_that_differ_by_the_machinery_alone_are_one_frame_with_the_joules_of_both():
    data = data_of({"": {"suite.run;importlib._bootstrap._find_and_load;a": 1.0, "suite.run;a": 2.0}})
    assert data["own"] == [[0, 0, 3.0]]


def test_packages_with_the_most_joules_have_colours_and_our_own_always_the_first():
    stacks = {f"package{number}.function": float(number) for number in range(20)}
    data = data_of({"": {**stacks, "suite.run": 0.1}})
    assert data["kinds"] == [OURS, *(f"package{number}" for number in range(19, 19 - KINDS + 1, -1)), REST]
    kinds = dict(zip(data["names"], data["kind"], strict=True))
    assert (
        kinds["suite.run"] == 0 and kinds["package19.function"] == 1 and kinds["package0.function"] == KINDS
    )


def test_names_are_shown_and_never_obeyed_however_long():
    data = data_of({"a\u202eb": {"\x1b[2J" + "x" * 100_000: 1.0}})
    assert data["names"][1] == r"\x1b[2J" + "x" * (LONGEST - 4)
    assert data["runs"] == [r"a\u202eb"]


def test_a_stack_deeper_than_pythons_own_is_drawn():
    data = data_of({"": {";".join(f"f{number % 7}" for number in range(5000)): 1.0}})
    assert max(data["depth"]) == 5000
