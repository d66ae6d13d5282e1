"""What runs take: what this machine has told comes before what is stored, and what nobody knows comes last."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import paths
from harness.inventory import catalog
from harness.planning import costs
from harness.records import Treatment

PROFILE = "quick"


def treatment(workload: str, stage: str = "train") -> Treatment:
    return Treatment(workload=workload, framework="torch", version="1", stage=stage, dataset="d")


@pytest.fixture(autouse=True)
def _home(home: Path) -> None: ...


def test_of_what_is_offered_the_stored_seconds_are_known_and_of_nothing_else() -> None:
    stored = costs._stored()[PROFILE]
    offered = {f"{name} {stage}" for name, one in catalog.workloads().items() for stage in one.spec.stages}
    assert set(stored) == offered
    assert all(0 < seconds < 120 for seconds in stored.values())


def test_what_was_measured_here_comes_before_what_is_stored() -> None:
    one = treatment("mnist_mlp")
    stored = costs.guesses([one], PROFILE)[one.model_dump_json()]
    costs.keep({one.model_dump_json(): stored + 5})
    assert costs.guesses([one], PROFILE) == {one.model_dump_json(): stored + 5}


def test_where_runs_take_longer_than_is_stored_so_do_those_that_were_not_made_yet() -> None:
    made, new = treatment("mnist_mlp"), treatment("ncf")
    stored = costs.guesses([made, new], PROFILE)
    costs.keep({made.model_dump_json(): 3 * stored[made.model_dump_json()]})
    assert costs.guesses([made, new], PROFILE) == pytest.approx({name: 3 * s for name, s in stored.items()})


def test_the_newest_of_each_is_kept_beside_the_others() -> None:
    first, second = treatment("mnist_mlp").model_dump_json(), treatment("svm").model_dump_json()
    costs.keep({first: 1.0, second: 2.0})
    costs.keep({first: 3.0})
    assert costs.known_here() == {first: 3.0, second: 2.0}


def test_the_cheapest_workload_comes_first_and_the_unknown_last() -> None:
    costs.keep({treatment("b").model_dump_json(): 1.0, treatment("a").model_dump_json(): 2.0})
    assert costs.cheapest_first(map(treatment, ("unknown", "a", "b")), PROFILE) == ("b", "a", "unknown")


@pytest.mark.parametrize("damaged", ["", "[]", '{"a": -1}', '{"a": NaN}', '{"a": "1"', "\x00"])
def test_a_damaged_file_tells_nothing_and_is_written_anew(damaged: str) -> None:
    paths.costs().parent.mkdir(parents=True, exist_ok=True)
    paths.costs().write_text(damaged)
    assert costs.known_here() == {}
    costs.keep({"a": 1.0})
    assert costs.known_here() == {"a": 1.0}


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    paths.costs().parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "other").write_text('{"a": 1}')
    paths.costs().symlink_to(tmp_path / "other")
    assert costs.known_here() == {}


def test_of_too_many_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "MOST_KNOWN", 2)
    names = [treatment(name).model_dump_json() for name in ("a", "b", "c")]
    for seconds, name in enumerate(names, 1):
        costs.keep({name: float(seconds)})
    assert costs.known_here() == {names[1]: 2.0, names[2]: 3.0}
