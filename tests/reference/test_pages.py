"""docs/reference is as the code has it, and leaves nothing out that a user can name."""

from __future__ import annotations

import pytest

from harness import paths
from harness.analysis import cleaning, effects, methods, multiplicity, quantities, significance
from harness.planning.plan_keys import MEANINGS
from harness.records import Record
from tests.reference import error_classes, plan_keys, quantity_table, record_formats
from tests.reference.pages import PAGES

PLACE = paths.ROOT / "docs" / "reference"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_as_the_code_has_it(name: str) -> None:
    assert (PLACE / name).read_text() == PAGES[name]()  # else: make reference


def test_there_is_no_page_that_nothing_makes() -> None:
    assert {one.name for one in PLACE.iterdir()} == set(PAGES)


def test_every_key_of_a_plan_says_what_it_means_and_no_other() -> None:
    assert {name for name, _ in plan_keys.fields()} == set(MEANINGS)


def test_every_quantity_is_listed_with_what_it_is() -> None:
    listed = [one for rows in quantity_table.parts().values() for one in rows]
    assert {one.name for one in listed} >= {
        one.name
        for one in (
            *quantities.QUANTITIES,
            *quantities.OF_PARTS,
            quantities.GPU_MEMORY,
            quantities.UTILISATION,
        )
    }
    assert all(one.title for one in listed)


@pytest.mark.parametrize(
    "names",
    [
        significance.PAIRED, significance.INDEPENDENT, multiplicity.LEVELS, cleaning.RULES, effects.THRESHOLDS,
    ],
)  # fmt: skip
def test_every_statistic_that_a_user_may_choose_has_its_method(names: dict[str, object]) -> None:
    assert set(names) <= set(methods.METHODS)


def test_every_method_says_what_it_is_and_no_name_stands_twice() -> None:
    assert all(one.what for one in methods.METHODS.values())
    assert len(methods.METHODS) == sum(map(len, methods.TABLES.values()))


def test_every_error_says_its_cause() -> None:
    own = [one for one in error_classes.classes() if "__doc__" not in vars(one) or not vars(one)["__doc__"]]
    assert not own


def test_every_record_that_has_a_version_is_a_file_of_the_page() -> None:
    def below(kind: type[Record]) -> set[type[Record]]:
        return {kind, *(inner for one in kind.__subclasses__() for inner in below(one))}

    versioned = {one for one in below(Record) if "format_version" in one.model_fields}
    assert {one for one in versioned if one.__module__.startswith("harness.")} == set(
        record_formats.FILES.values()
    )


def test_what_stands_beside_a_field_is_told_of_that_field() -> None:
    told = record_formats.comments(record_formats.FILES["runs/<run>/run.json"])
    assert told["done_seen_ns"] == "by the host" and "exit_ns" not in told
