"""Commands that a reader may type to know more, spelled out: with the same work, where and how it ran."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from harness.analysis.groups import Group
from harness.conformance.asked import provable
from harness.devices import HOST
from harness.inventory.specs import PRETRAINED
from harness.planning import plan_files
from harness.records import IMPORTED, CampaignRecord, Profiler, Purpose, Treatment

USUAL = "standard"  # the profile that nobody needs to name
PROVING = ("docker", "virtualenv", "apptainer")  # environments in which `verify` proves, the usual one first
OWN_PYTHON = "interpreter"  # an environment of which no record has the place
OWN_PLAN = "my.toml"  # whoever changes settings writes one: docs/reference/plan.md
MOST_NAMED = 3  # workloads: a longer command is not read
BLOCKS = 3  # and as many runs under the profiler: the fewest of which an interval says something


def command_that_tells(record: CampaignRecord) -> str:
    """Of what was profiled, measured and profiled in one campaign."""
    treatments = record.plan.treatments
    names = _chosen(
        (one.workload for one in treatments),
        (f"{one.framework} {one.version}" for one in treatments),
        (one.stage for one in treatments),
    )
    rest = ["--profile", _profile(record.plan.profile), "-r", str(BLOCKS), "--profile-runs", str(BLOCKS)]
    return shlex.join(["suite", "run", *names, *rest, *_tools(record), *_as_they_ran(record, treatments)])


def command_again(record: CampaignRecord, *options: str, profile: str = "") -> str:
    """A campaign of the same workloads with other options; of many of them, of all that the profile names."""
    names = list(dict.fromkeys(one.workload for one in record.plan.treatments))
    few = len(names) <= MOST_NAMED or _files(record.plan.treatments)  # weights fit no others
    chosen = [
        *(_chosen(names, (), ()) if few else ["--all"]),
        *_chosen((), _frameworks(record.plan.treatments), ()),
    ]
    own = ["--profile", profile or _profile(record.plan.profile), *options]
    return shlex.join(["suite", "run", *chosen, *own, *_as_they_ran(record, record.plan.treatments)])


def command_with_settings(record: CampaignRecord) -> str:
    """As command_again, by a plan whose settings the reader may change: that of the campaign, if it was one's own."""
    own = "" if record.plan.profile not in plan_files.names() else OWN_PLAN
    return command_again(record, profile=own)


def command_for_more(record: CampaignRecord, *options: str) -> str:
    """As command_again; a campaign by turns goes on instead, since all blocks of all its work would take days."""
    if not record.plan.turns:
        return command_again(record, *options)
    return shlex.join(["suite", "run", "--resume", f"results/{record.campaign_id}", "--budget", "+1h"])


def command_that_proves(record: CampaignRecord, workloads: Iterable[str]) -> str:
    """That the work is equal, set as it was and where it was computed; empty where no such command can prove it.

    A file's weights and the user's own Python are named for `suite run` alone, which proves by itself.
    """
    able = {one for one in workloads if provable(one)}
    several = [one for one in record.plan.treatments if one.workload in able]
    devices = {one.device for one in several}
    if (
        len(devices) != 1
        or record.isolation not in PROVING
        or any(one.settings.get(PRETRAINED) for one in several)
    ):
        return ""
    names = dict.fromkeys(one.workload for one in several)
    versions = _chosen((), (f"{one.framework} {one.version}" for one in several), ())
    profile = _unless("--profile", _profile(record.plan.profile), USUAL)
    where = [*_unless("--device", devices.pop(), HOST), *_environment(record)]
    return shlex.join(["suite", "verify", *names, *versions, *profile, *where])


def _as_they_ran(record: CampaignRecord, treatments: Sequence[Treatment]) -> list[str]:
    """Where and from which weights; nothing of another tool's, which no command measures again."""
    if record.isolation == IMPORTED:
        return []
    return [*_device(record, treatments), *_environment(record), *_files(treatments)]


def _device(record: CampaignRecord, treatments: Sequence[Treatment]) -> list[str]:
    """What has no form for the GPU computes beside it on the CPU; which needs a word where a GPU would be taken."""
    gpus = {one.device for one in treatments} - {HOST}
    if gpus:
        return ["--device", gpus.pop()] if len(gpus) == 1 else []
    return ["--device", HOST] if any(one.domain.startswith("gpu") for one in record.channels) else []


def _environment(record: CampaignRecord) -> list[str]:
    """For the place of one's own Python, which no record has, a word."""
    known = {one: one for one in PROVING} | {OWN_PYTHON: f"{OWN_PYTHON}=PATH"}
    return _unless("--environment", known.get(record.isolation, PROVING[0]), PROVING[0])


def _files(treatments: Sequence[Treatment]) -> list[str]:
    """None where some had none: such levels are a plan's own, which the option would take the place of."""
    files = dict.fromkeys(str(one.settings.get(PRETRAINED) or "") for one in treatments)
    return [word for one in files for word in ("--pretrained", f"{one}=FILE")] if all(files) else []


def _unless(option: str, value: str, usual: str) -> list[str]:
    return [] if value == usual else [option, value]


def command_that_settles(record: CampaignRecord, group: Group, treatments: Iterable[str], blocks: int) -> str:
    """A campaign of its own of so many blocks: whoever adds blocks after a look errs more often than the page says.

    Empty of imported runs, which are another tool's.
    """
    if record.isolation == IMPORTED:
        return ""
    names = _chosen([group.workload], treatments, [group.stage])
    alike = [one for one in record.plan.treatments if one.work == group.work]
    own = ["--profile", _profile(record.plan.profile), "-r", str(blocks)]
    return shlex.join(["suite", "run", *names, *own, *_as_they_ran(record, alike)])


def _profile(name: str) -> str:
    """As the command line takes it: a plan of the user's own is known by its file."""
    return name if name in plan_files.names() else f"{name}.toml"


def _frameworks(treatments: Sequence[Treatment]) -> list[str]:
    """None, for every one in its usual version; all where one has several versions, whose comparison would be lost."""
    versions = {(one.framework, one.version) for one in treatments}
    several = len(versions) > len({name for name, _ in versions})
    return [f"{name} {version}" for name, version in sorted(versions)] if several else []


def _chosen(workloads: Iterable[str], treatments: Iterable[str], stages: Iterable[str]) -> list[str]:
    """`treatments`: as "torch 2.13.0", which the command line calls torch@2.13.0."""
    frameworks = ("@".join(filter(None, one.rpartition(" ")[::2])) for one in treatments)
    chosen = {"-w": workloads, "-f": frameworks, "-s": stages}
    return [
        word for option, several in chosen.items() for one in dict.fromkeys(several) for word in (option, one)
    ]


def _tools(record: CampaignRecord) -> list[str]:
    """Named where any is not the usual one."""
    found = {one.profiler or Profiler.PY_SPY for one in record.order if one.purpose == Purpose.PROFILE}
    several = [] if found <= {Profiler.PY_SPY} else [one for one in Profiler if one in found]
    return [word for one in several for word in ("--profile-tool", one)]
