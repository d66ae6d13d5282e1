"""What a profiled run left is kept as tables, or is its failure; nothing of a stranger's bytes stays."""

import json

import pytest

from harness.campaign import profiled
from harness.errors import SuiteError
from harness.profiling import function_files, operator_files
from harness.records import PlannedRun, Profiler, Purpose, Treatment
from harness.worker.run_folder import OUTPUT_FILE

LEFT = {
    Profiler.CPROFILE: {
        "profiler": "cprofile", "own_s": 1.0, "calls": [], "functions": [["f.py", 1, "f", 1, 1, 1.0, 1.0]],
    },
    Profiler.OPERATORS: {"profiler": "operators", "source": "jax", "recorded_s": 2.0,
                         "operators": [["add", "", 1, 1.0, None, None]]},
}  # fmt: skip


def planned(purpose, profiler):
    one = Treatment(workload="svm", framework="sklearn", version="1", stage="train", dataset="digits")
    return PlannedRun(
        run_id="r", block=1, position=1, repetition=1, treatment=one, purpose=purpose, profiler=profiler
    )


@pytest.mark.parametrize(
    ("purpose", "profiler", "outside", "inside"),
    [
        (Purpose.MEASURE, None, False, ""),
        (Purpose.PROFILE, None, True, ""),
        (Purpose.PROFILE, Profiler.PY_SPY, True, ""),
        (Purpose.PROFILE, Profiler.CPROFILE, False, "cprofile"),
        (Purpose.PROFILE, Profiler.OPERATORS, False, "operators"),
    ],
)
def test_only_a_run_made_for_it_is_profiled_and_by_one_profiler(purpose, profiler, outside, inside):
    run = planned(purpose, profiler)
    assert (run.looked_at, profiled.within(run)) == (outside, inside)


@pytest.mark.parametrize("purpose", [Purpose.MEASURE, Purpose.PREPARE])
def test_no_other_run_has_a_profiler(purpose):
    with pytest.raises(ValueError, match="it has a profiler"):
        planned(purpose, Profiler.CPROFILE)


@pytest.mark.parametrize(
    ("profiler", "read"),
    [
        (Profiler.CPROFILE, lambda folder: function_files.read(folder).functions["function"]),
        (Profiler.OPERATORS, lambda folder: operator_files.read(folder)["name"]),
    ],
)
def test_what_it_left_becomes_a_table(tmp_path, profiler, read):
    (tmp_path / OUTPUT_FILE).write_text(json.dumps(LEFT[profiler]))
    profiled.keep(profiler, tmp_path)
    assert read(tmp_path).tolist() == [{"cprofile": "f", "operators": "add"}[profiler]]
    assert not (tmp_path / OUTPUT_FILE).exists()


@pytest.mark.parametrize("content", [None, b"", b"\x80\x04.", json.dumps(LEFT[Profiler.OPERATORS]).encode()])
def test_what_is_no_profile_is_refused_and_gone(tmp_path, content):
    if content is not None:
        (tmp_path / OUTPUT_FILE).write_bytes(content)
    with pytest.raises(SuiteError):
        profiled.keep(Profiler.CPROFILE, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_what_a_link_leads_to_is_not_read(tmp_path):
    (tmp_path / "secret").write_text(json.dumps(LEFT[Profiler.CPROFILE]))
    (tmp_path / OUTPUT_FILE).symlink_to("secret")
    with pytest.raises(SuiteError):
        profiled.keep(Profiler.CPROFILE, tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["secret"]
