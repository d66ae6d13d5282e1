"""A run under the profiler enters no comparison: whatever a consumer says, it says the same without such runs.

The consumers are found, not listed: what is added to the analysis, the exports or the report is held to it, too.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any, get_type_hints

import pytest

import harness.analysis
import harness.calibration
import reports
from harness.analysis import adaptive, equal_work
from harness.analysis.families import families
from harness.analysis.quantities import leads
from harness.analysis.stated import emissions
from harness.analysis.summary import Analysis, analyse
from harness.analysis.tables import tables
from harness.analysis.token_costs import token_costs
from harness.exports import frames
from harness.store import Campaign
from reports.contents import found_sections, sections_of
from reports.sections.tokens import HEADS
from reports.token_curves import OF_TOKENS
from tests.campaigns import TEXT
from tests.harness.analysis.test_serving import GENERATES
from tests.harness.profiling.beside import LOOKED_AT, RECIPE, both, differing, plain

pytestmark = pytest.mark.unhurried

Sides = tuple[Campaign, Campaign]
WRITES = replace(GENERATES, blocks=RECIPE.blocks, seconds=1.0)  # tokens, which are held together one by one
# What shows all that is stored, as such: every stored run, and what became of the plan.
SHOW_THEM = {
    "harness.analysis.tables.tables", "harness.analysis.tables.rows_by_run", "harness.analysis.tables.assembled",
    "harness.analysis.summary.analyse", "reports.render.render", "reports.contents.sections_of",
    "harness.analysis.narrowed.narrowed", "harness.analysis.narrowed.runs_of",  # which give on what they are given
}  # fmt: skip
# Of another kind of campaign, or of two: both stand on the frames of an analysis, and a command below asks for them.
OF_OTHERS = {"harness.calibration.deriving.of", "reports.comparison.view"}
SECTIONS_THAT_SHOW_THEM = {"runs", "validity", "provenance", "looking", "functions"}
FACTOR = emissions(350.0, "a grid")
FIELDS_THAT_HOLD_THEM = {"runs", "raw", "profiles"}
UNLOADED = {"Campaign": Campaign}  # where a module names it for a reader of types alone


@pytest.fixture(scope="module", params=[*LOOKED_AT, "generating"])
def sides(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Sides:
    folder = tmp_path_factory.mktemp("sides")
    if request.param == "generating":
        return both(folder, {**LOOKED_AT["costly"], "texts": {"jax": TEXT + 1}}, WRITES)
    return both(folder, LOOKED_AT[request.param])


@pytest.fixture(scope="module")
def analyses(sides: Sides) -> tuple[Analysis, Analysis]:
    return analyse(sides[0]), analyse(sides[1])


def modules() -> Iterator[ModuleType]:
    for room in (harness.analysis, harness.calibration, reports):
        for one in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            yield importlib.import_module(one.name)


def consumers() -> dict[str, Callable[..., Any]]:
    """Every public function that is given a campaign or its analysis."""
    found = {}
    for module in modules():
        for name, one in inspect.getmembers(module, inspect.isfunction):
            own = one.__module__ == module.__name__ and not name.startswith("_")
            if own and {Campaign, Analysis} & set(get_type_hints(one, localns=UNLOADED).values()):
                found[f"{module.__name__}.{name}"] = one
    return found


def asked(one: Callable[..., Any], campaign: Campaign, analysis: Analysis) -> Any:
    """Calls it with what it needs; whatever else it may be given it does without."""
    at_hand = {
        "campaign": campaign, "analysis": replace(analysis, stated=(FACTOR,)), "groups": analysis.groups,
        "reference": analysis.reference, "read": tables(campaign), "blocks": RECIPE.blocks, "group": analysis.groups[0],
        "family": families(analysis.groups)[0], "described": campaign.record.machine,
        "block": 1, "index": 0, "provenance": "measured", "names": HEADS, "quantity": leads()[0], "base": "J",
        "costs": token_costs(analysis.counted, analysis.groups), "asked": OF_TOKENS,
        "sections": [one for one in sections_of(analysis, campaign) if one.name not in SECTIONS_THAT_SHOW_THEM],
    }  # fmt: skip
    needed = {
        name: at_hand[name]
        for name, parameter in inspect.signature(one).parameters.items()
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_POSITIONAL
    }
    several = inspect.getfullargspec(one).varargs
    return plain(one(**needed) if several is None else one(campaign, campaign))


def test_there_are_consumers() -> None:
    assert len(consumers()) > 12 and set(consumers()) > SHOW_THEM | OF_OTHERS


@pytest.mark.parametrize("name", sorted(set(consumers()) - SHOW_THEM - OF_OTHERS))
def test_no_consumer_says_something_else(
    name: str, sides: Sides, analyses: tuple[Analysis, Analysis]
) -> None:
    said = [asked(consumers()[name], *one) for one in zip(sides, analyses, strict=True)]
    assert list(differing(*said)) == []


def test_every_frame_of_an_analysis_is_the_same_but_for_what_is_stored(
    analyses: tuple[Analysis, Analysis],
) -> None:
    names = [name for name in dir(Analysis) if not name.startswith("_")] + list(Analysis.__dataclass_fields__)
    for name in set(names) - FIELDS_THAT_HOLD_THEM - {"excluded"}:
        said = [plain(getattr(one, name)) for one in analyses]
        assert list(differing(*said, name)) == []


def test_what_is_computed_of_the_others_does_not_change(analyses: tuple[Analysis, Analysis]) -> None:
    one, other = (plain(each.runs[each.runs["purpose"] != "profile"]) for each in analyses)
    assert list(differing(one, other)) == []


def test_nothing_votes_on_what_was_computed(sides: Sides) -> None:
    assert equal_work.parted(sides[0].runs) == equal_work.parted(sides[1].runs) == {}


def test_no_look_of_an_adaptive_campaign_sees_them(sides: Sides) -> None:
    stops = []
    for one in sides:
        until = adaptive.declare(one.record.plan.treatments, 0.5, RECIPE.blocks)
        plan = one.record.plan.model_copy(update={"until": until})
        adaptively = Campaign(one.folder, one.record.model_copy(update={"plan": plan}), one.runs)
        stops.append([adaptive.stop(adaptively, tables(one), block) for block in range(1, RECIPE.blocks + 3)])
    assert stops[0] == stops[1] and any(stops[0])


def test_exports_have_them_as_stored_runs_alone(sides: Sides, analyses: tuple[Analysis, Analysis]) -> None:
    one, other = (frames.frames(*each) for each in zip(sides, analyses, strict=True))
    shown = one["runs"][one["runs"]["purpose"] == "profile"]
    assert len(shown) == 2 * len(sides[0].record.plan.treatments)
    assert list(differing(plain({**one, "runs": one["runs"].drop(shown.index)}), plain(other))) == []


@pytest.mark.parametrize("name", [one.__name__.rpartition(".")[2] for one in found_sections()])
def test_no_section_counts_them(name: str, sides: Sides, analyses: tuple[Analysis, Analysis]) -> None:
    module = importlib.import_module(f"reports.sections.{name}")
    one, other = (plain(module.view(*each)) for each in zip(analyses, sides, strict=True))
    assert (one != other) if name in SECTIONS_THAT_SHOW_THEM else list(differing(one, other)) == []
