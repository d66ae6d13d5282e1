"""From what a user asks to a plan: profiles, the catalog and the versions that the environments offer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path

from pydantic import ValidationError

from harness import shape_errors
from harness.datasets import prepared, sources
from harness.datasets.base import is_at_hand
from harness.environments.choose import Choice
from harness.environments.frameworks import Framework, framework, frameworks
from harness.errors import MissingPrerequisite, UsageError
from harness.inventory import catalog
from harness.planning import applicability, costs, plan, plan_files, plan_limits, pretrained, profilers, turns
from harness.planning.plan import Candidate, Selection
from harness.planning.plan_files import PlanFile, Protocol, Value
from harness.records import Plan, Profiler, Skipped, Treatment
from harness.records.plan import BY_LOOKING
from harness.suggest import unknown
from suite.spec import SettingError

DEFAULT_SEED = 20220
MOST_BLOCKS = 30  # of an adaptive campaign, where neither the user nor the plan says more
MOST_BLOCKS_BY_TURNS = (
    10  # fewer, as few fit into the time: what later looks may err is taken from the first ones
)


@dataclass(frozen=True)
class PlanRequest:
    """A user's wish.

    `versions` of the selected frameworks, "" for the default one; `repetitions` None takes the
    profile's. `until`: the margin of an adaptive campaign, whose ratios are to `reference` (None: the first one).
    `boundary` of the energy, None for the profile's. `pretrained`: files of weights by their SHA-256, none for the
    profile's. `profile_runs` of each treatment under a profiler, after all blocks. `under`: the profilers of a campaign
    that makes every run under one of them; none of any other. `profile_tools`: those of `profile_runs`. `by_turns`:
    time is short, and shall tell of everything (harness.planning.turns).
    """

    profile: str
    selection: Selection
    seed: int
    repetitions: int | None
    versions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    until: float | None = None
    reference: str | None = None
    boundary: str | None = None
    pretrained: Mapping[str, Path] = field(default_factory=dict)
    profile_runs: int = 0
    under: tuple[Profiler, ...] = ()
    profile_tools: tuple[Profiler, ...] = BY_LOOKING
    by_turns: bool = False


def parse_framework(word: str) -> tuple[Framework, str]:
    """FRAMEWORK[@VERSION] -> framework and version, an empty one where the default is meant.

    Which versions there are depends on the environments: make_plan checks them.
    Raises: UsageError for an unknown framework, or an @ without a version.
    """
    name, at, version = word.partition("@")
    one = framework(name)
    if at and not version:
        raise UsageError(f"{word} names no version; offered: {', '.join(one.versions)}")
    return one, version


def parse_frameworks(words: Iterable[str]) -> dict[str, list[str]]:
    """FRAMEWORK[@VERSION]... -> {framework: versions}, each once. Raises: as parse_framework."""
    found: dict[str, dict[str, None]] = {}
    for one, version in map(parse_framework, words):
        found.setdefault(one.name, {})[version] = None
    return {name: list(versions) for name, versions in found.items()}


def protocol(profile: str) -> Protocol:
    """Raises: UsageError for a profile that is not there, or a file that is not a plan."""
    return plan_files.read(profile).protocol


def make_plan(request: PlanRequest, choice: Choice, skipped: tuple[Skipped, ...] = ()) -> Plan:
    """The plan of a wish; treatments of a skipped framework are kept apart with the reason.

    Raises: UsageError for unknown names, versions and settings.
    """
    file = _asked_boundary(_read(request), request.boundary)
    absent = _absent(file)
    request = _narrowed(request, file)
    if absent and not request.selection.workloads:  # all that the plan names is still to come
        return plan.make(
            Path(request.profile).stem, file.protocol, (), absent, request.seed, request.repetitions
        )
    _check_names(request.selection)
    applicability.check_modes(file.settings.get(applicability.MODE, ()))
    versions = {name: _versions(choice, name, request) for name in _wanted(request.selection)}
    workloads, every = _workloads(request.selection), catalog.workloads().values()
    levels = file.settings.get(pretrained.SETTING, ())
    pretrained.require_takers((one.spec for one in workloads), (one.spec for one in every), levels)
    at_hand = prepared_names()
    candidates = [_candidate(one, request, file, choice, versions, at_hand) for one in workloads]
    chosen = plan.treatments(candidates, request.selection, file.exclude)
    able, inapplicable = applicability.divide(chosen, choice)
    able, unseen = profilers.divide(able, request.under)
    left_out = [one.treatment for one in skipped]
    kept = [treatment for treatment in able if treatment not in left_out]
    name = Path(request.profile).stem
    left = (*absent, *unseen, *inapplicable, *skipped)
    made = plan.make(name, file.protocol, kept, left, request.seed, request.repetitions)
    adaptive = _by_turns(made, request) if request.by_turns else made
    if request.until and kept and adaptive.until is None:
        adaptive = _adaptive(made, request.until, request, MOST_BLOCKS)
    return _with_profile_runs(adaptive, request.profile_runs, request.profile_tools)


def weight_files(request: PlanRequest) -> dict[str, Path]:
    """By their SHA-256, as the user or the plan names them. Raises: as make_plan."""
    return {sha256: Path(file) for sha256, file in _read(request).weights.items()}


def _read(request: PlanRequest) -> PlanFile:
    return pretrained.asked(plan_files.read(request.profile), request.pretrained)


def _by_turns(made: Plan, request: PlanRequest) -> Plan:
    """Adaptive, too, as each ratio is looked at when its turn comes; block by block where nothing can be compared."""
    from harness.analysis import adaptive  # pandas, for those campaigns alone

    several = len(made.treatments) > len({one.work for one in made.treatments})
    if not several or (request.repetitions or MOST_BLOCKS_BY_TURNS) < adaptive.FEWEST_BLOCKS:
        if request.reference:
            raise UsageError(
                f"--reference {request.reference}: nothing is held against it by a rule in so few blocks or works"
            )
        return made
    by_turns = made.model_copy(update={"turns": costs.cheapest_first(made.treatments, made.profile)})
    return _adaptive(by_turns, request.until or adaptive.USUAL_MARGIN, request, MOST_BLOCKS_BY_TURNS)


def _adaptive(made: Plan, margin: float, request: PlanRequest, most_blocks: int) -> Plan:
    """With its rule for stopping, declared before the first run."""
    from harness.analysis import adaptive  # pandas, for those campaigns alone

    most = request.repetitions or max(made.repetitions, most_blocks)
    plan_limits.require_few_runs(len(made.treatments), most)
    rule = adaptive.declare(made.treatments, margin, most, request.reference, turns.opening(made))
    return made.model_copy(update={"until": rule, "repetitions": most})


def _with_profile_runs(made: Plan, count: int, tools: tuple[Profiler, ...]) -> Plan:
    """Raises: UsageError for too many runs, and where no tool can look at any of them."""
    if not count:
        return made
    plan_limits.require_few_runs(len(made.treatments), made.repetitions + count * len(tools))
    unseen = profilers.divide(made.treatments, tools)[1]
    if made.treatments and len(unseen) == len(made.treatments):
        raise UsageError(f"nothing of the plan can be profiled: {unseen[0].reason}")
    return made.model_copy(update={"profile_runs": count, "profile_tools": tools})


def _asked_boundary(file: PlanFile, asked: str | None) -> PlanFile:
    """What the user names comes before what the plan names. Raises: UsageError for what is no name."""
    if asked is None:
        return file
    try:
        return PlanFile.model_validate({**dict(file), "boundary": asked})
    except ValidationError as error:
        raise UsageError(f"--boundary {asked!r}: {shape_errors.message(error)}") from error


def _absent(file: PlanFile) -> tuple[Skipped, ...]:
    """What a study measured and this version has no workload for: said aloud, never left out in silence."""
    factors = file.factors
    missing = [name for name in factors.workload if name not in catalog.workloads()]
    return tuple(
        Skipped(
            treatment=Treatment(workload=name, framework=framework, version="", stage=stage, dataset=dataset),
            reason=f"this version has no workload {name}",
        )
        for name in missing
        for framework in factors.framework or ("",)
        for stage in factors.stage or ("",)
        for dataset in factors.dataset or ("",)
    )


def _narrowed(request: PlanRequest, file: PlanFile) -> PlanRequest:
    """What the user names comes before what the plan names."""
    asked, factors = request.selection, file.factors
    versions = parse_frameworks(factors.framework)
    selection = Selection(
        asked.workloads or tuple(name for name in factors.workload if name in catalog.workloads()),
        asked.frameworks or tuple(versions),
        asked.stages or factors.stage,
    )
    return replace(request, selection=selection, versions={**versions, **request.versions})


def _workloads(selection: Selection) -> list[catalog.Workload]:
    every = catalog.workloads().values()
    return [one for one in every if not selection.workloads or one.name in selection.workloads]


def _check_names(selection: Selection) -> None:
    for name in selection.workloads:
        catalog.workload(name)
    for stage in selection.stages:
        if stage not in catalog.stages():
            raise UsageError(unknown("stage", stage, catalog.stages()))
    for name in selection.frameworks:
        framework(name)


def _wanted(selection: Selection) -> list[str]:
    """The frameworks named, else all but variants of others."""
    return list(selection.frameworks) or [name for name, one in frameworks().items() if not one.variant]


def _candidate(
    workload: catalog.Workload,
    request: PlanRequest,
    file: PlanFile,
    choice: Choice,
    versions: Mapping[str, Sequence[str]],
    at_hand: Collection[str],
) -> Candidate:
    own = {name: versions[name] for name in workload.frameworks if name in versions}
    devices = {
        (name, version): choice.device_of(framework(name), version)
        for name, several in own.items()
        for version in several
    }
    profile = workload.profile(request.profile)
    combinations = [{**profile.settings, **levels} for levels in file.combinations]
    datasets = _datasets(workload, file) or (plan.choose_dataset(profile.datasets, at_hand),)
    for settings, dataset in product(combinations, datasets):
        _check_settings(workload, dataset, settings)
    return Candidate(workload.name, own, workload.spec.stages, datasets, combinations, devices)


def _check_settings(workload: catalog.Workload, dataset: str, settings: Mapping[str, Value]) -> None:
    """By themselves, and on this data set, by whose shapes some are bounded."""
    for spec, words in ((workload.spec, ""), (workload.spec.with_dataset(dataset), f" on {dataset}")):
        try:
            spec.with_settings(settings)
        except SettingError as error:
            raise UsageError(f"{error}{words}") from error


def _datasets(workload: catalog.Workload, file: PlanFile) -> tuple[str, ...]:
    """Those of the plan that the workload knows; a study's data set is never replaced by another."""
    named = tuple(name for name in file.factors.dataset if name in workload.spec.datasets)
    if file.factors.dataset and not named:
        known = ", ".join(workload.spec.datasets)
        raise UsageError(f"{workload.name} has none of the plan's data sets; it has {known}")
    return named


def _versions(choice: Choice, name: str, request: PlanRequest) -> list[str]:
    """None for a framework that the user's interpreter lacks and that was not asked for by name."""
    asked = request.versions.get(name, [""])
    try:
        return list(dict.fromkeys(choice.version(framework(name), version) for version in asked))
    except MissingPrerequisite:
        if name in request.selection.frameworks:
            raise
        return []


def prepared_names() -> set[str]:
    """Data sets at hand: the prepared ones and the embedded ones."""
    return {name for name, one in sources().items() if is_at_hand(one) or prepared.is_prepared(name)}
