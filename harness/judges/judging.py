"""Judges a run by what it answered, once it has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.judges import Answers, answers, judge_of
from suite import data
from suite.spec import Spec, count

Values = dict[str, float | None]


@dataclass(frozen=True)
class Judged:
    """`values`: of each evaluation, null where `problem` says why nothing could be judged; `how`: by metric."""

    values: tuple[Values, ...] = ()
    how: Mapping[str, str] = field(default_factory=dict)
    answers: Sequence[Answers] = ()
    problem: str = ""


def judged(left: Path, spec: Spec, place: Path, evaluations: int) -> Judged:
    """`left`: what the worker left; `place`: of its prepared data set; `evaluations`: those that it told of."""
    try:
        return _judged(left, spec, place, evaluations)
    except (ValueError, OSError) as error:
        nothing: Values = dict.fromkeys(spec.judged_on_host)
        why = f"what it left to be judged cannot be: {error}"
        return Judged(tuple(dict(nothing) for _ in range(evaluations)), problem=why)


def _judged(left: Path, spec: Spec, place: Path, evaluations: int) -> Judged:
    samples = count(data.load(place, mapped=True).test)
    several = answers.read(left, evaluations, samples, spec.judged_below)
    judges = {metric: judge_of(metric, place) for metric in spec.judged_on_host}
    values: list[Values] = [{metric: one.judge(each) for metric, one in judges.items()} for each in several]
    return Judged(tuple(values), {metric: one.how for metric, one in judges.items()}, several)
