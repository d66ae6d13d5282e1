"""Campaigns of several machines become one: nothing of their runs changes, nothing clashes, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from harness import merging, paths, store
from harness.analysis.summary import analyse
from harness.errors import CampaignError, UnsafeFile, UsageError
from harness.exports.anonymised import anonymised
from harness.findings.codes import Code
from harness.merging import writing
from harness.records import Finding
from tests.campaigns import Recipe, build
from tests.harness.merging.nodes import PLAN, change, node, nodes, sums


def merged(place: Path, count: int = 3) -> tuple[list[Path], Path]:
    given = nodes(place, count)
    return given, merging.merge(given, place / "all")


def test_every_file_of_every_run_is_copied_as_it_is(tmp_path: Path) -> None:
    given, out = merged(tmp_path)
    there = sums(out)
    for number, folder in enumerate(given, 1):
        for name, digest in sums(folder).items():
            if name.startswith("runs/"):
                assert there[name.replace("runs/", f"runs/{number}-", 1)] == digest
    assert sum(name.startswith("runs/") for name in there) == sum(
        name.startswith("runs/") for one in given for name in sums(one)
    )


def test_the_record_of_each_campaign_is_kept_with_the_sum_of_each_of_its_files(tmp_path: Path) -> None:
    given, out = merged(tmp_path, 2)
    for number, folder in enumerate(given, 1):
        beside = out / store.SOURCES / str(number)
        assert (beside / store.CAMPAIGN_FILE).read_bytes() == (folder / store.CAMPAIGN_FILE).read_bytes()
        command = ["sha256sum", "--quiet", "--strict", "-c", beside / "SHA256SUMS"]
        subprocess.run(command, cwd=folder, check=True)


def test_names_and_blocks_never_clash_and_tell_the_machine(tmp_path: Path) -> None:
    given, out = merged(tmp_path)
    campaign = store.load_campaign(out)
    ids = [run.record.planned.run_id for run in campaign.runs]
    assert len(set(ids)) == len(ids) == len(campaign.order)
    of_block = Counter((run.record.planned.block, run.source) for run in campaign.runs)
    assert sorted(of_block) == [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)]
    machines = [one.machine["machine_id"] for one in campaign.record.sources]
    assert machines == [store.load_campaign(one).record.machine["machine_id"] for one in given]
    runs = analyse(campaign).runs
    assert list(runs["node"].unique()) == [1, 2, 3] and list(runs["session"].unique()) == [1, 2, 3]


def test_the_order_in_which_they_are_named_changes_nothing(tmp_path: Path) -> None:
    given = nodes(tmp_path, 3)
    found = [
        sums(merging.merge(several, tmp_path / str(number) / "all"))
        for number, several in enumerate(permutations(given))
    ]
    assert all(one == found[0] for one in found)


def test_a_merged_campaign_counts_as_those_that_went_into_it(tmp_path: Path) -> None:
    given = nodes(tmp_path, 3)
    at_once = merging.merge(given, tmp_path / "at-once" / "all")
    two = merging.merge(given[1:], tmp_path / "two")
    in_steps = merging.merge([two, given[0]], tmp_path / "in-steps" / "all")
    assert sums(in_steps) == sums(at_once)


def test_the_same_runs_twice_are_refused(tmp_path: Path) -> None:
    one, two = nodes(tmp_path, 2)
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", one, copy], check=True)
    change(copy, campaign_id="another", machine__machine_id="ee" * 16)
    merging.merge([one, two], tmp_path / "both")
    for several in ([one, two, one], [one, copy], [tmp_path / "both", two]):
        with pytest.raises(UsageError, match="hold the same runs"):
            merging.merge(several, tmp_path / "all")
    assert not (tmp_path / "all").exists()


def test_one_campaign_is_nothing_to_merge(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least two"):
        merging.merge(nodes(tmp_path, 1), tmp_path / "all")


def test_an_altered_source_of_a_merged_campaign_is_seen(tmp_path: Path) -> None:
    _, out = merged(tmp_path, 2)
    console = next(out.glob("runs/1-*/console.log"))
    console.write_text("altered")
    third = node(tmp_path / "third", 3)
    with pytest.raises(CampaignError, match="was altered since it was merged"):
        merging.merge([out, third], tmp_path / "more")
    assert not (tmp_path / "more").exists()


def test_no_link_leads_into_a_merged_campaign(tmp_path: Path) -> None:
    one, two = nodes(tmp_path, 2)
    (tmp_path / "secret").write_text("secret")
    next(two.glob("runs/*")).joinpath("more.log").symlink_to(tmp_path / "secret")
    with pytest.raises(UnsafeFile):
        merging.merge([one, two], tmp_path / "all")
    assert not (tmp_path / "all").exists() and not list(tmp_path.glob(".all*"))


def test_what_is_there_is_never_written_over(tmp_path: Path) -> None:
    given, out = merged(tmp_path, 2)
    before = sums(out)
    with pytest.raises(CampaignError, match="exists already"):
        merging.merge(given, out)
    assert sums(out) == before


def test_a_disk_that_fills_up_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, copied = nodes(tmp_path, 2), list[str]()

    def full(one, name, target):
        copied.append(name)
        if len(copied) > 7:
            raise OSError(28, "No space left on device")
        return original(one, name, target)

    original = writing._copy
    monkeypatch.setattr(writing, "_copy", full)
    with pytest.raises(CampaignError, match="No space left"):
        merging.merge(given, tmp_path / "all")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["node1", "node2"]


@pytest.mark.unhurried
def test_a_merge_that_is_killed_leaves_no_half_campaign(tmp_path: Path) -> None:
    given = nodes(tmp_path, 2)
    code = (
        "import os, signal, sys\nfrom pathlib import Path\nfrom harness import merging\n"
        "from harness.merging import writing\n"
        "real, seen = writing._copy, []\n"
        "def copy(*words):\n"
        "    seen.append(1)\n"
        "    return os.kill(os.getpid(), signal.SIGKILL) if len(seen) > 9 else real(*words)\n"
        "writing._copy = copy\n"
        "merging.merge([Path(one) for one in sys.argv[1:3]], Path(sys.argv[3]))\n"
    )
    words = [sys.executable, "-c", code, *given, tmp_path / "all"]
    done = subprocess.run(words, cwd=paths.ROOT, env=os.environ, check=False)
    assert done.returncode == -signal.SIGKILL
    assert not (tmp_path / "all").exists()
    assert store.load_campaign(merging.merge(given, tmp_path / "all")).runs


def test_each_machines_findings_are_kept_and_named(tmp_path: Path) -> None:
    shared, own = (Finding.of(Code.SCALED_DOWN, text) for text in ("few epochs", "few pictures"))
    build(tmp_path / "a", Recipe(blocks=1, findings=(shared, own)))
    build(
        tmp_path / "b",
        Recipe(blocks=1, findings=(shared,), seed=2, machine={**PLAN.machine, "machine_id": "b" * 32}),
    )
    found = store.load_campaign(merging.merge([tmp_path / "a", tmp_path / "b"], tmp_path / "all")).record
    told = [one.message for one in found.findings]
    place = next(one.node for one in found.sources if one.machine["machine_id"] != "b" * 32)
    assert sorted(told) == sorted(["few epochs", f"node {place}: few pictures"])


def test_a_baseline_before_each_block_comes_along(tmp_path: Path) -> None:
    given = nodes(tmp_path, 2)
    for place, folder in enumerate(given):
        for block in (1, 2):
            store.baseline_path(folder, block).write_bytes(f"{place} {block}".encode())
    out = merging.merge(given, tmp_path / "all")
    found = [store.baseline_path(out, block).read_bytes() for block in (1, 2, 3, 4)]
    assert found == [b"0 1", b"0 2", b"1 1", b"1 2"]


def test_of_several_versions_none_is_said_to_be_that_of_all(tmp_path: Path) -> None:
    """Runs of before do not tell theirs: those of another campaign would pass for the first's."""
    given = [
        change(one, made_by=version) for one, version in zip(nodes(tmp_path, 2), ("0.1", "0.2"), strict=True)
    ]
    assert store.load_campaign(merging.merge(given, tmp_path / "all")).record.made_by == ""
    alike = [change(one, made_by="0.2 (commit 8dfc059ab012)") for one in given]
    out = merging.merge(alike, tmp_path / "alike")
    assert store.load_campaign(out).record.made_by == "0.2 (commit 8dfc059ab012)"
    with anonymised(out) as copy:
        assert not [path for path in copy.rglob("*.json") if "8dfc059ab012" in path.read_text()]
