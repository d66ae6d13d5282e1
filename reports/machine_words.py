"""The machine and the software of a campaign in sentences, of its records alone: what they do not tell is unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.analysis.groups import name_of
from harness.analysis.suite_versions import in_words, suite_versions
from harness.records import IMPORTED
from harness.store import Campaign
from reports.formats import listed, plural, quantity

UNKNOWN = "unknown"
DIGITS = 12  # of a SHA-256: the records have all of them
INTERPRETERS = {"python": "Python"}


def machine(campaign: Campaign) -> str:
    """Of a merged campaign each node's, once."""
    record = campaign.record
    if record.isolation == IMPORTED:
        return "The machine is that of the imported files' authors: its description is unknown here."
    several = [(one.node, _described(one.machine)) for one in record.sources]
    told = dict.fromkeys(several) if several else {(1, _described(record.machine)): None}
    if len({node for node, _ in told}) < 2:
        return f"The machine: {next(iter(told))[1]}."
    return f"The machines: {'; '.join(f'node {node}: {words}' for node, words in told)}."


def _described(one: Mapping[str, Any]) -> str:
    memory = one.get("memory_bytes")
    parts = {
        "CPU": _known(one.get("cpu_model")),
        "logical CPUs": _known(one.get("logical_cpus")),
        "memory": quantity(float(memory), "bytes") if isinstance(memory, int | float) else UNKNOWN,
        "operating system": _known(one.get("os")),
        "kernel": _known(one.get("kernel")),
        "virtual machine": _yes(one.get("virtualised")),
        **_gpus(one),
    }
    return ", ".join(f"{name} {words}" for name, words in parts.items())


def _gpus(one: Mapping[str, Any]) -> dict[str, str]:
    """Nothing where no driver told of any."""
    gpus = one.get("gpus")
    names = [str(gpu.get("name") or UNKNOWN) for gpu in gpus or () if isinstance(gpu, Mapping)]
    driver = {"driver": str(one["driver"])} if names and one.get("driver") else {}
    return {"GPUs": listed(names), **driver} if names else {}


def _known(value: object) -> str:
    return str(value) if value not in (None, "") else UNKNOWN


def _yes(value: object) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else UNKNOWN


def software(campaign: Campaign) -> str:
    """Each framework in its version, with what pins all that lies beside it."""
    told = dict.fromkeys(_environments(campaign))
    return f"The frameworks: {'; '.join(told) or UNKNOWN}."


def _environments(campaign: Campaign) -> Iterator[str]:
    for name in dict.fromkeys(name_of(one) for one in campaign.record.plan.treatments):
        description = campaign.record.environments.get(name) or _as_ran(campaign, name)
        yield f"{name} ({', '.join(_pinned(description)) or 'its environment is not recorded'})"


def _as_ran(campaign: Campaign, name: str) -> Mapping[str, Any]:
    runs = (run.record for run in campaign.runs if name_of(run.record.planned.treatment) == name)
    return next((one.environment for one in runs if one.environment), {})


def _pinned(description: Mapping[str, Any]) -> Iterator[str]:
    titles = {"image_digest": "image", "lock_sha256": "its lock's SHA-256"}
    for key, title in {**INTERPRETERS, **titles}.items():
        if value := description.get(key):
            yield f"{title} {_short(str(value)) if key in titles else value}"
    packages = description.get("packages")
    if isinstance(packages, dict) and packages:
        yield plural(len(packages), "package")


def _short(digest: str) -> str:
    kind, colon, digits = digest.rpartition(":")
    return f"{kind}{colon}{digits[:DIGITS]}"


def data(campaign: Campaign) -> str:
    """Each data set with the checksum of what it held."""
    sums = campaign.record.datasets
    names = dict.fromkeys(one.dataset for one in campaign.record.plan.treatments)
    told = (
        f"{name} (SHA-256 {_short(sums[name])})" if name in sums else f"{name} (checksum {UNKNOWN})"
        for name in names
    )
    return f"The data: {listed(told) or UNKNOWN}. Of every SHA-256 these are the first {DIGITS} digits."


def sources(campaign: Campaign) -> str:
    """Which code was measured."""
    if campaign.record.isolation == IMPORTED:
        return ""
    sha256 = campaign.record.suite_sha256
    made_by, found = campaign.record.made_by, suite_versions(campaign.record, campaign.runs)
    if len(found) > 1:
        told = f"The runs were measured by {in_words(found)}"
    elif made_by:
        told = f"joulemark {made_by} began the campaign"
    else:
        told = "Which version of the suite measured is unknown"
    return f"{told}; the SHA-256 of its workloads' sources is {_short(sha256) if sha256 else UNKNOWN}."
