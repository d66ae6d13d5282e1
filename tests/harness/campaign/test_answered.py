"""What the host judges comes from what a run left, and from nothing that it said. Real processes throughout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from harness import store
from harness.campaign.execution import Execution
from harness.findings.codes import Code
from harness.inventory import specs
from harness.judges import judge_of
from harness.records import Limits, Outcome, RunRecord
from suite.task import Metric
from tests.emulators.worker import TOKENS
from tests.harness.campaign.test_execution import carry_out, emulated_machine, execution
from tests.toys.cipher.spec import SPEC

pytestmark = pytest.mark.unhurried
__all__ = ["emulated_machine"]  # used by every test
REFERENCES = "4 5 6 7 8\n9 8 7 6 5 4\n"
BLEU = Metric("bleu", "BLEU")


@pytest.fixture(autouse=True)
def judged_on_host(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(specs, "of", lambda treatment: SPEC)
    np.save(tmp_path / "test_source.npy", TOKENS)
    (tmp_path / "references.txt").write_text(REFERENCES)


def judged(tmp_path: Path, behaviour: str, least: float = 50.0, output_bytes: int = 1 << 20) -> Execution:
    one = execution(tmp_path, behaviour)
    limits = Limits(output_bytes=output_bytes)
    one.equipment = replace(one.equipment, metric=BLEU, quality_floor={"digits": least}, limits=limits)
    return one


def stored(tmp_path: Path, one: Execution, record: RunRecord) -> store.Run:
    (tmp_path / store.RUNS).mkdir()
    return store.load_run(store.store_run(tmp_path, one.equipment.folder, record))


def test_its_value_is_a_metric_of_the_run_like_any_other(tmp_path: Path) -> None:
    record = carry_out(one := judged(tmp_path, "leaves-answers"))
    assert (record.outcome, record.reason) == (Outcome.OK, "")
    assert record.judged == ({"bleu": pytest.approx(100.0)},)
    assert record.judges["bleu"].startswith("nrefs:1|case:mixed|") and "version:" in record.judges["bleu"]
    run = stored(tmp_path, one, record)
    (told,) = (event.data["values"] for event in run.events if event.kind == "metrics")
    assert told["bleu"] == pytest.approx(100.0) and told["accuracy"] == 0.99


def test_anybody_can_judge_again_what_is_kept_with_the_run(tmp_path: Path) -> None:
    run = stored(tmp_path, one := judged(tmp_path, "leaves-answers"), carry_out(one))
    assert not (run.folder / "answers").exists()
    with np.load(run.folder / store.ANSWERS_FILE) as kept:
        assert np.array_equal(kept["1/tokens"], TOKENS)
        again = judge_of("bleu", tmp_path).judge({"tokens": kept["1/tokens"]})
    assert again == run.record.judged[0]["bleu"]


def test_a_floor_holds_for_what_the_host_judged(tmp_path: Path) -> None:
    (tmp_path / "references.txt").write_text("4 5 6 9 8\n9 8 7 6 5 4\n")
    record = carry_out(judged(tmp_path, "leaves-answers", least=99.0))
    assert record.outcome is Outcome.INVALID
    assert record.reason.startswith("bleu 7") and record.reason.endswith("is below 99.0 on digits")


@pytest.mark.parametrize(
    ("behaviour", "why"),
    [
        ("works", "it left none"),
        ("leaves-rubbish", "not a zip"),
        ("leaves-fewer-samples", "not whole numbers of 2 samples"),
        ("leaves-fractions", "1/tokens is float64"),
        ("leaves-objects", "an array of object"),
        ("leaves-foreign-words", "numbers that are not from 0 to 14"),
        ("leaves-negative-words", "numbers that are not from 0 to 14"),
        ("leaves-two-evaluations", "they are 2 arrays, not those of 1 evaluations"),
        ("leaves-other-names", "they hold no tokens of 2 sentences"),
        ("leaves-one-row", "they hold no tokens of 2 sentences"),
    ],
)
def test_a_run_that_left_nothing_to_judge_is_invalid_and_says_why(
    tmp_path: Path, behaviour: str, why: str
) -> None:
    record = carry_out(one := judged(tmp_path, behaviour))
    assert record.outcome is Outcome.INVALID and "\n" not in record.reason
    assert record.reason.startswith("what it left to be judged cannot be: ") and why in record.reason
    assert next(one.code for one in record.findings if one.severity == "invalid") == Code.UNTOLD_RESULTS
    assert record.judged == ({"bleu": None},)
    assert not (one.equipment.folder / store.ANSWERS_FILE).exists()


def test_more_than_the_plan_allows_is_not_taken_in(tmp_path: Path) -> None:
    record = carry_out(judged(tmp_path, "leaves-answers", output_bytes=100))
    assert record.outcome is Outcome.FAILED
    assert record.reason == "its answers: larger than the 100 bytes of the plan's output_bytes"


def test_a_worker_s_own_word_of_such_a_metric_counts_for_nothing(tmp_path: Path) -> None:
    """It tells an accuracy of 0.99; here the host could not judge one."""
    record = carry_out(one := judged(tmp_path, "leaves-answers"))
    run = stored(tmp_path, one, record.model_copy(update={"judged": ({"accuracy": None},)}))
    (told,) = (event.data["values"] for event in run.events if event.kind == "metrics")
    assert told["accuracy"] is None and told["f1"] == 0.99
