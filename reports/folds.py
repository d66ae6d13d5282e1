"""The page below its first screen: each work in a fold of its own, with what the sections tell of it; then the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from harness.analysis.families import DATASET, SAME, Family, families
from harness.analysis.quantities import leads
from harness.analysis.summary import Analysis
from reports.answer import executive_line
from reports.contents import VERDICT, Section
from reports.parts import Block
from reports.wording import badge_of_all, why_unmeasured

APPENDIX = 50  # from this ORDER on a section is told of all work together
JOINT, NAMING = " · ", 3  # of a title: workload, stage and data set come before what was set


@dataclass(frozen=True)
class WorkShare:
    """What one section tells of one work."""

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class WorkFold:
    """One workload in one stage, on one device; `line` says what was decided.

    `called`: what `title` begins with, before the settings.
    """

    key: str
    title: str
    called: str
    workload: str
    stage: str
    references: tuple[str, ...]
    line: str
    badge: str
    shares: tuple[WorkShare, ...]


@dataclass(frozen=True)
class Folded:
    """`rest`: what is left of each section; `moved`: the names of those whose blocks went to the works."""

    works: tuple[WorkFold, ...]
    rest: tuple[Section, ...]
    moved: frozenset[str]

    @property
    def explained(self) -> tuple[Section, ...]:
        """Of which nothing is left but how to read them."""
        return tuple(one for one in self.rest if one.name in self.moved and not _left(one))


def _left(section: Section) -> bool:
    return bool(_listed(section)) or any(
        any(one) for one in (section.tables, section.figures, section.flames)
    )


def choices(analysis: Analysis) -> dict[str, dict[str, str]]:
    """What a reader may look at alone: by the filter's name, each value with its words."""
    groups = analysis.groups
    names = dict.fromkeys(name for group in groups for name in group.treatments)
    several = {
        "workload": {one.workload: one.workload for one in groups},
        "stage": {one.stage: one.stage for one in groups},
        "framework": {name: name for name in names},
        "quantity": {one.name: one.title for one in leads()},
    }
    return {name: values for name, values in several.items() if len(values) > 1}


def folded(sections: Sequence[Section], analysis: Analysis) -> Folded:
    several = families(analysis.groups)
    titles = {title: family for family in several for title in _titles(family)}
    taken = {one.name: list(_blocks(one, titles)) for one in sections if 0 < one.order < APPENDIX}
    taken = _without_empty(taken, {one.title for one in analysis.groups if why_unmeasured(analysis, one)})
    found = (_work(family, index, sections, taken, analysis) for index, family in enumerate(several, 1))
    works = tuple(one for one in found if one.shares)
    moved = frozenset(name for name, blocks in taken.items() if blocks)
    return Folded(
        works, tuple(_without(one, titles) if one.name in moved else one for one in sections), moved
    )


def _without_empty(taken: dict[str, list[Block]], unmeasured: Collection[str]) -> dict[str, list[Block]]:
    """Of what has no run that counts the verdict alone is told, which says so: of the rest there are dashes."""
    return {
        name: [one for one in blocks if name == VERDICT or one.title not in unmeasured]
        for name, blocks in taken.items()
    }


def _titles(family: Family) -> Iterator[str]:
    """Of the blocks that are told of it: of all its groups together, of those on one data set, of each."""
    yield family.title
    yield from (one.title for one in families(family.groups, (*SAME, DATASET)))
    yield from (one.title for one in family.groups)


def _listed(section: Section) -> list[Any]:
    blocks = section.view.get("blocks", ())
    return list(blocks) if isinstance(blocks, list | tuple) else []


def _blocks(section: Section, titles: dict[str, Family]) -> Iterator[Block]:
    yield from (one for one in _listed(section) if isinstance(one, Block) and one.title in titles)


def _without(section: Section, titles: dict[str, Family]) -> Section:
    left = [one for one in _listed(section) if not (isinstance(one, Block) and one.title in titles)]
    return replace(section, view={**section.view, "blocks": left})


def _work(
    family: Family, index: int, sections: Iterable[Section], taken: dict[str, list[Block]], analysis: Analysis
) -> WorkFold:
    own = set(_titles(family))
    shares = (
        WorkShare(one.name, one.title, tuple(block for block in taken[one.name] if block.title in own))
        for one in sections
        if one.name in taken
    )
    title = family.groups[0].title if len(family.groups) == 1 else family.title
    return WorkFold(
        key=f"work-{index}",
        title=title,
        called=JOINT.join(title.split(JOINT)[:NAMING]),
        workload=family.key["workload"],
        stage=family.key["stage"],
        references=tuple(dict.fromkeys(map(analysis.reference.of, family.groups))),
        line=executive_line(analysis, family.groups) or _unmeasured_line(analysis, family),
        badge=badge_of_all(family.select(analysis.counted)),
        shares=tuple(one for one in shares if one.blocks),
    )


def _unmeasured_line(analysis: Analysis, family: Family) -> str:
    """Empty where any of it was measured."""
    reasons = [why_unmeasured(analysis, one) for one in family.groups]
    return f"Not measured: {'; '.join(dict.fromkeys(reasons))}." if all(reasons) else ""
