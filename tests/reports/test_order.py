"""The frameworks stand in the order of the matrix wherever they stand."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from harness.analysis.groups import treatments_of
from harness.analysis.summary import analyse
from reports.answer import answer
from reports.render import render
from tests.campaigns import Recipe, build
from tests.reports.scrape import Page

# What the first work lacks, the first chart meets last; what costs least is not first.
THREE = Recipe(
    frameworks={"torch": 1.0, "keras": 1.6, "jax": 0.7, "tensorflow": 1.2}, blocks=3, more_workloads=("mnist_mlp",),
)  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Page, list[str]]:
    whole = build(tmp_path_factory.mktemp("order") / "c", THREE)
    planned = [(run, run.record.planned.treatment) for run in whole.runs]
    left = tuple(run for run, one in planned if (one.workload, one.framework) != ("mnist_cnn", "keras"))
    campaign = replace(whole, runs=left[::-1])  # who ran first is nobody's place
    analysis = analyse(campaign)
    names, told = treatments_of(analysis.groups), answer(analysis)
    assert told is not None and [one for one in names if one in told.treatments] == list(told.treatments)
    return Page(render(campaign)), list(names)


def test_tables_have_it(made: tuple[Page, list[str]]) -> None:
    page, names = made
    for table, rows in page.cells.items():
        found: dict[str, list[int]] = defaultdict(list)
        for row in rows:
            for name in (one for one in names if one in row):
                found[row.replace(name, "")].append(names.index(name))
        assert all(places == sorted(places) for places in found.values()), table


def test_charts_have_it(made: tuple[Page, list[str]]) -> None:
    page, names = made
    several = list(domains(json.loads(page.packed("charts"))))
    places = [[names.index(one) for one in each if one in names] for each in several]
    assert sum(len(each) > 2 for each in places) > 5 and all(each == sorted(each) for each in places)


def test_sentences_have_it(made: tuple[Page, list[str]]) -> None:
    page, names = made
    told = [str(a["data-subject"]) for tag, a in page.tags if tag == "p" and a.get("data-subject") in names]
    in_claims = [names.index(one) for one in told[: len(names) - 1]]
    assert in_claims == sorted(in_claims) and len(in_claims) == 3


def domains(part: Any) -> Iterator[list[Any]]:
    if isinstance(part, dict):
        if isinstance(part.get("domain"), list):
            yield part["domain"]
        part = list(part.values())
    for one in part if isinstance(part, list) else ():
        yield from domains(one)
