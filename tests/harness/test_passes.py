"""`make test` runs every test in one of its passes, and in no second one."""

from __future__ import annotations

import re
from itertools import permutations, product
from pathlib import Path
from types import SimpleNamespace

import pytest

from harness import paths
from tests import conftest
from tests.conftest import COMPANY, CROWD, LONGEST, TESTS, pytest_ignore_collect
from tests.rotation import rotating

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


def test_a_share_is_of_so_many_and_the_same_for_every_worker() -> None:
    names = [f"name {number}" for number in range(34)]
    for count in (1, 3, len(names)):
        share = rotating(names, count)
        assert len(set(share)) == count and set(share) <= set(names)
        assert rotating(reversed(names), count) == share


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
