"""What `suite report` writes: one self-contained HTML file, of a campaign or of a bundle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from harness import store
from harness.analysis import campaigns_apart
from harness.analysis.narrowed import runs_of
from harness.analysis.narrowing import KINDS, Narrowing
from harness.analysis.profiled import Profiles
from harness.cli import comparing, per_kwh, screen
from harness.cli.working import working
from harness.cli.writing import require_folder_of, require_place, writable
from harness.exports.anonymised import anonymised
from harness.exports.bundle import REPORT_FILE, SUFFIX
from harness.exports.unbundle import made_otherwise, opened, origin
from harness.files.whole_files import write_text
from harness.store import Campaign
from reports import resolution
from reports.campaign_difference import CampaignDifference
from reports.comparison import CampaignComparison
from reports.render import Other, render
from reports.serving import server

EXIT_DIFFERENT = 1


def told(
    folder: Path,
    output: Path | None,
    other: Path | None,
    profiled: Path | None,
    across_machines: bool,
    anonymous: bool,
    serve: bool,
    host: str,
    port: int,
    **asked: Any,
) -> int:
    """Writes the page, and says where: 1 where a bundle's own report came out otherwise. `asked`: of render."""
    narrowing, stated = Narrowing.of(asked), per_kwh.taken(asked)
    asked = {name: value for name, value in asked.items() if name not in KINDS}
    if not narrowing.everything:
        require_place(output)
        asked["narrowing"] = narrowing
    if stated:
        asked["stated"] = stated
    others: list[Other] = []
    with _campaign_in(folder, anonymous) as campaign:
        require_folder_of(output or _beside(folder))
        if other is not None:
            changed = _changed_machine(folder, other, across_machines)
            others.append(_against(campaign, changed, other, anonymous, narrowing))
        if profiled is not None:
            changed = _changed_machine(folder, profiled, across_machines)
            others.append(_difference(campaign, changed, profiled, anonymous, narrowing))
        again = folder.is_file() and not any(asked.values()) and not others and not anonymous
        with working("report", campaign):
            page = render(
                campaign, **(origin(campaign.folder).asked if again else {**asked, "others": others})
            )
        _written(page, output or _beside(folder))
        same = _told(campaign.folder, page) if again else True
        if serve:
            _serve(page, campaign.folder, host, port)
    return 0 if same else EXIT_DIFFERENT


def write_report(folder: Path) -> Path:
    """As `suite report FOLDER`."""
    path = folder / REPORT_FILE
    write_text(path, render(store.load_campaign(folder)))
    return path


@contextmanager
def _campaign_in(folder: Path, anonymous: bool = False) -> Iterator[Campaign]:
    with ExitStack() as stack:
        place = stack.enter_context(opened(folder)) if folder.is_file() else folder
        yield store.load_campaign(stack.enter_context(anonymised(place, anonymous)))


def _beside(folder: Path) -> Path:
    if folder.is_file():
        return folder.with_name(f"{folder.name.removesuffix(SUFFIX)}.html")
    return folder / REPORT_FILE


def _written(page: str, path: Path) -> None:
    with writable(path):
        write_text(path, page)
    screen.say(f"report: {path.absolute()}")


def _against(
    campaign: Campaign, changed: list[str], other: Path, anonymous: bool, narrowing: Narrowing
) -> CampaignComparison:
    """Of what is asked for, with the verdicts of the whole. Raises: UsageError where no work of it is common."""
    with _campaign_in(other, anonymous) as old:
        comparing.require_each_once([campaign, old])
        narrowing.require(one for both in (campaign, old) for one in both.record.plan.treatments)
        kept = comparing.asked_for(comparing.between(campaign, old), narrowing)
        rows = resolution.noted(kept, resolution.coarsest_of(campaign, old))
        return CampaignComparison(old.record, rows, not changed)


def _difference(
    campaign: Campaign, changed: list[str], other: Path, anonymous: bool, narrowing: Narrowing
) -> CampaignDifference:
    """Raises: UsageError where no profiled work of what is asked for is common."""
    with _campaign_in(other, anonymous) as old:
        new, before = (Profiles(runs_of(one, narrowing)) for one in (campaign, old))
        return CampaignDifference(old.record, campaigns_apart.apart(new, before), not changed)


def _changed_machine(folder: Path, other: Path, across_machines: bool) -> list[str]:
    """What differs, as the campaigns themselves tell it. Raises: UsageError unless the user insists (rule R40)."""
    with _campaign_in(folder) as new, _campaign_in(other) as old:
        if not across_machines:
            comparing.require_same_machine(new, old)
        return comparing.changed_machine(new, old)


def _told(folder: Path, page: str) -> bool:
    """Whether a bundle's report came out again as it lies within."""
    if page.encode() == (folder / REPORT_FILE).read_bytes():
        screen.say("the same bytes as the report within the bundle")
        return True
    why = (
        ", ".join(made_otherwise(folder))
        or "the same software; a processor of another kind may round otherwise"
    )
    screen.say(f"not the same bytes as the report within the bundle: {why}")
    return False


def _serve(page: str, folder: Path, host: str, port: int) -> None:
    with server(page.encode(), folder, host, port) as listening, suppress(KeyboardInterrupt):
        screen.say(f"serving: http://{host}:{listening.server_address[1]}/ until interrupted")
        listening.serve_forever()
