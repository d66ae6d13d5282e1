"""`make test` runs every test in one of its passes, and in no second one."""

from __future__ import annotations

import re
from itertools import permutations, product
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness import paths
from harness.conformance.references import REFERENCE
from harness.conformance.tolerances import EXACT
from tests import conftest, proofs, rotation
from tests.conftest import COMPANY, CROWD, LONGEST, TESTS, pytest_ignore_collect
from tests.rotation import dealt, rotating, within

PLACES = tuple(COMPANY.values())
MAKEFILE = (paths.ROOT / "Makefile").read_text()


def test_each_company_has_one_pass_without_what_is_slow_or_needs_a_gpu() -> None:
    assert 'IN_CI := -m "not slow and not gpu"\n' in MAKEFILE
    passes = re.findall(r"^\t\$\(PYTEST\) .*--company (\w+) \$\(IN_CI\) \$\(TESTS\)", MAKEFILE, re.MULTILINE)
    assert sorted(passes) == sorted([*COMPANY, CROWD])
    recipe = re.search(r"^test:.*\n((\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert recipe and re.findall(r"test-(\w+)", recipe[1]) == passes


def test_each_file_is_read_in_one_pass() -> None:
    for path in TESTS.rglob("test_*.py"):
        readers = [name for name in (*COMPANY, CROWD) if not _is_ignored(path, name)]
        assert len(readers) == 1, (path, readers)


def _is_ignored(path: Path, company: str) -> bool:
    config = SimpleNamespace(getoption=lambda _: company)
    return bool(pytest_ignore_collect(path, config))  # type: ignore[arg-type]


def test_no_place_is_in_two_passes_and_each_is_there() -> None:
    assert not any(
        (TESTS / one).is_relative_to(TESTS / other)
        for first, second in permutations(PLACES, 2)
        for one, other in product(first, second)
    )
    assert [one for one in (*sum(PLACES, ()), *LONGEST) if not (TESTS / one).exists()] == []


def test_no_two_files_of_a_real_slurm_run_at_once() -> None:
    """Nor do those that are alone, which have a pass of their own."""
    by_file = object.__new__(conftest.ByFile)
    real = [path for path in (TESTS / "harness/cluster/real").glob("test_*.py") if not _is_of_alone(path)]
    assert len(real) > 1
    scopes = {by_file._split_scope(f"{path.relative_to(paths.ROOT)}::test_any[one]") for path in real}
    assert len(scopes) == 1
    assert {conftest._company(path) for path in real} == {"undisturbed"}
    assert by_file._split_scope("tests/reports/test_browser.py::test_any") == "tests/reports/test_browser.py"


def _is_of_alone(path: Path) -> bool:
    return conftest._company(path) == "alone"


def test_a_share_is_of_so_many_and_the_same_for_every_worker() -> None:
    names = [f"name {number}" for number in range(34)]
    for count in (1, 3, len(names)):
        share = rotating(names, count)
        assert len(set(share)) == count and set(share) <= set(names)
        assert rotating(reversed(names), count) == share


@given(st.dictionaries(st.text(max_size=3), st.floats(0, 100), min_size=1), st.floats(100, 300))
def test_a_share_of_unequal_costs_keeps_within_its_seconds_and_leaves_out_what_would_pass_them(
    costs_s: dict[str, float], most_s: float
) -> None:
    share = within(costs_s, most_s)
    spent_s = sum(costs_s[name] for name in share)
    assert len(set(share)) == len(share) and spent_s <= most_s * (1 + 1e-9)
    assert all(spent_s + costs_s[name] > most_s * (1 - 1e-9) for name in {*costs_s} - {*share})
    assert share[0] == rotating(costs_s, len(costs_s))[0]


def test_what_would_never_have_its_turn_is_refused() -> None:
    with pytest.raises(ValueError, match=r"never in 190 s: gnmt"):
        within({"gnmt": 200.0, "svm": 1.0}, 190)


def test_each_workload_is_proven_in_full_by_some_state(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[str] = set()
    for state in range(200):
        monkeypatch.setattr(rotation, "_content", lambda state=state: str(state))
        seen |= {*within(proofs.COSTS_S, proofs.EACH_CI_S)}
    assert seen == {*proofs.WORKLOADS}
    assert {*proofs.IN_FLOAT32_S} <= seen


@given(st.sets(st.text(max_size=3)), st.sets(st.text(max_size=3), min_size=1, max_size=5))
def test_what_is_dealt_goes_to_all_hands_alike(names: set[str], hands: set[str]) -> None:
    had = dealt(names, hands)
    assert {*had} == names and {*had.values()} <= hands
    counts = [[*had.values()].count(hand) for hand in hands]
    assert max(counts) - min(counts) <= 1
    assert dealt(sorted(names), sorted(hands, reverse=True)) == had


def test_every_ci_proves_each_workload_in_float64_in_two_frameworks_and_deals_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    proven = {
        name: {one for of, one, kind in proofs.EACH_CI if (of, kind) == (name, EXACT)}
        for name in proofs.WORKLOADS
    }
    assert all(REFERENCE in several and len(several) >= 2 for several in proven.values()), proven
    seen: set[tuple[str, str]] = set()
    for state in range(40):
        monkeypatch.setattr(rotation, "_content", lambda state=state: str(state))
        seen |= {*dealt(proofs.WORKLOADS, {*proofs.DEFAULTS} - {REFERENCE}).items()}
    assert seen == {one for one in proofs.PLACES if one[1] != REFERENCE}


def test_what_is_proven_together_is_all_that_is_wanted() -> None:
    """Whether by every CI or by `make test-slow`, which proves all others, or one proof alone."""
    everything = {(*place, kind) for place, kind in product(proofs.PLACES, proofs.KINDS)}
    for wanted in (proofs.EACH_CI, everything - proofs.EACH_CI, {("llm", REFERENCE, EXACT)}):
        asked = proofs.together(wanted)
        assert all(REFERENCE in frameworks and len(frameworks) >= 2 for frameworks, _ in asked)
        named = [(name, *alike) for alike, names in asked.items() for name in names]
        assert len({name for name, *_ in named}) == len(named)
        assert wanted <= {
            (name, one, kind) for name, frameworks, kinds in named for one, kind in product(frameworks, kinds)
        }


def test_who_takes_long_comes_first_in_the_order_that_is_said() -> None:
    files = [TESTS / one for one in (*LONGEST, "reports/test_browser.py")]
    assert sorted(reversed(files), key=conftest._turn) == files


@pytest.mark.parametrize(("on_ci", "outcome"), [(True, "failed"), (False, "skipped")])
def test_a_file_that_skips_itself_as_a_whole_is_an_error_on_ci(
    monkeypatch: pytest.MonkeyPatch, on_ci: bool, outcome: str
) -> None:
    monkeypatch.setattr(conftest, "ON_CI", on_ci)
    hook = conftest.pytest_make_collect_report()
    next(hook)
    with pytest.raises(StopIteration) as ended:
        hook.send(pytest.CollectReport("tests/test_x.py", "skipped", ("test_x.py", 2, "no library"), []))
    assert ended.value.value.outcome == outcome
    assert "no library" in str(ended.value.value.longrepr)
