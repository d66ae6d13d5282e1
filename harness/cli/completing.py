"""What a shell is told that fits: workloads, frameworks with versions, plans, campaigns. Nothing slow is imported."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from harness import paths

CAMPAIGN = "campaign.json"
PLANS = Path(__file__).parents[1] / "planning" / "plans"
MOST = 1000  # entries of a folder that are looked at


def workloads(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Those of the checkout."""
    return _begun(incomplete, (spec.parent.name for spec in paths.SUITE.glob("*/spec.py")))


def frameworks(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """By name; with an @, each version that is offered."""
    return _begun(incomplete, _versions(incomplete) if "@" in incomplete else _names())


def plans(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Shipped ones by name; else files."""
    found = _begun(incomplete, (plan.stem for plan in PLANS.glob("*.toml")))
    return found or [CompletionItem(incomplete, type="file")]


def campaigns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Campaigns beside what is typed, or in results/ where nothing is; where there are none, folders on the way.

    Never both: zsh and bash would mix up what they find themselves with what they are told. None whose name a shell
    must quote, so that what a folder is called is never run.
    """
    typed = Path(incomplete or "results/")
    folder = typed if not incomplete or incomplete.endswith("/") else typed.parent
    beside: list[str] = []
    with suppress(OSError, ValueError):
        beside = [str(one) for one in islice(folder.iterdir(), MOST) if (one / CAMPAIGN).is_file()]
    fit = _begun(incomplete, (one for one in beside if one == shlex.quote(one)))
    return fit or [CompletionItem(incomplete, type="dir")]


def _begun(incomplete: str, words: Iterable[str]) -> list[CompletionItem]:
    return [CompletionItem(word) for word in sorted(words) if word.startswith(incomplete)]


def _names() -> Iterator[str]:
    return (manifest.parent.name for manifest in paths.IMAGES.glob("*/manifest.toml"))


def _versions(incomplete: str) -> Iterator[str]:
    name = incomplete.partition("@")[0]
    if name in _names():
        told = tomllib.loads((paths.IMAGES / name / "manifest.toml").read_text())
        yield from (f"{name}@{version}" for version in told["versions"])
