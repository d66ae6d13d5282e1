"""A worker's word on its functions and operators is taken within bounds, or refused in one line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.profiling import told
from harness.profiling.told import ProfileRefused
from suite.profilers import CPROFILE, Profiled

FUNCTION = ["/x/lib/python3.11/site-packages/torch/nn/modules/conv.py", 5, "forward", 1, 2, 0.25, 0.5]
OPERATOR = ["aten::conv2d", "", 3, 0.25, None, 1e9]


def functions(*rows, calls=(), own_s=1.0, **more):
    return json.dumps(
        {"profiler": "cprofile", "functions": rows, "calls": list(calls), "own_s": own_s, **more}
    ).encode()


def operators(*rows, source="torch.profiler 2.13.0"):
    return json.dumps(
        {"profiler": "operators", "source": source, "recorded_s": 2.0, "operators": rows}
    ).encode()


def test_functions_are_in_the_order_of_their_own_time_with_their_share_and_who_called_whom():
    longer = ["~", 0, "<built-in method torch.conv2d>", 4, 4, 0.5, 0.5]
    found = told.functions(functions(FUNCTION, longer, calls=[[0, 1, 4, 0.5, 0.5]]))
    assert found.functions["function"].tolist() == ["<built-in method torch.conv2d>", "forward"]
    assert found.functions["share"].tolist() == [0.5, 0.25]
    assert found.functions["file"][1] == "torch/nn/modules/conv.py"
    assert found.calls[["caller", "callee", "calls"]].to_numpy().tolist() == [[1, 0, 4]]


def test_unknown_bytes_and_flops_stay_unknown():
    found = told.operators(operators(OPERATOR))
    assert found["flops"].tolist() == [1e9]
    assert found["bytes"].isna().all()
    assert found["source"].tolist() == ["torch.profiler 2.13.0"]


@pytest.mark.parametrize("name", ["a\nb", "\x1b[2J\x1b[31mred", "a\u202eb", "<script>alert(1)</script>" * 5])
def test_a_hostile_name_is_printable_and_of_modest_length(name):
    found = told.functions(functions([name, 1, name, 1, 1, 1.0, 1.0])).functions
    for shown in (
        found["function"][0],
        found["file"][0],
        told.operators(operators([name, *OPERATOR[1:]]))["name"][0],
    ):
        assert shown.isprintable()
        assert len(shown) <= told.LONGEST_NAME


def test_where_an_object_lies_in_memory_is_nobodys_business():
    found = told.functions(
        functions(["~", 0, "<built-in method f of X object at 0x7f0012ab>", 1, 1, 1.0, 1.0])
    )
    assert found.functions["function"][0] == "<built-in method f of X object>"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x80\x04\x95",  # pickle
        b"\xe9\x01",  # marshal
        b"[" * 100_000,
        b"NaN",
        functions(FUNCTION, calls=[[0, 1, 1, 0.1, 0.1]]),
        functions([*FUNCTION[:5], -0.1, 0.5]),
        functions([*FUNCTION[:5], float("nan"), 0.5]),
        functions([*FUNCTION[:5], 1e30, 0.5]),
        functions([*FUNCTION[:3], 1.5, 2, 0.1, 0.5]),
        functions([*FUNCTION[:3], 10**30, 2, 0.1, 0.5]),
        functions(["f" * 10_000, *FUNCTION[1:]]),
        functions(FUNCTION, more="than that"),
        functions(FUNCTION[:3]),
        functions(*[FUNCTION] * (told.MOST_FUNCTIONS + 1)),
        operators(OPERATOR),
    ],
)
def test_what_is_no_profile_of_functions_is_refused_in_one_line(content):
    with pytest.raises(ProfileRefused) as refused:
        told.functions(content)
    assert "\n" not in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    "content",
    [
        functions(FUNCTION),
        operators(["x", "sideways", 1, 0.1, None, None]),
        operators(["x", "", 1, 0.1, -1.0, None]),
        operators(["x", "", 1, None, None, None]),
        operators(OPERATOR, source="s" * 10_000),
    ],
)
def test_what_is_no_profile_of_operators_is_refused(content):
    with pytest.raises(ProfileRefused):
        told.operators(content)


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(),
        lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    )
)
def test_any_json_is_taken_or_refused(value):
    for read in (told.functions, told.operators):
        with pytest.raises(ProfileRefused):
            read(json.dumps(value).encode())


def test_a_name_with_half_a_character_is_escaped_by_the_worker_and_taken():
    """Of a file that is named in no UTF-8, or of a function that somebody renamed."""

    def odd():
        return sorted(range(9))

    half = chr(0xD800)
    odd.__code__ = odd.__code__.replace(
        co_name=f"half{half}", co_filename=f"/tmp/{half}/site-packages/odd{half}.py"
    )
    profiled = Profiled(CPROFILE, "sklearn", "cpu")
    with profiled.recording(1):
        odd()
    found = told.functions(b"".join(profiled.told())).functions
    assert ("half\\ud800", "odd\\ud800.py") in set(zip(found["function"], found["file"], strict=True))
