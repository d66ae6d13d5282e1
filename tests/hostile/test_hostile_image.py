"""A hostile image plays its attacks through real campaigns.

Nothing outside is read or written, no campaign ends, no energy or time is told unseen, and each attack that shows is
told in one line.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import psutil
import pytest

from harness import paths, store
from harness.checks.telling import LATENESS_ALLOWED_S
from harness.energy.joules import run_energy
from harness.environments import sandbox
from harness.records import Outcome
from harness.sampling import reading
from harness.store import Run
from tests.emulators.powercap import EmulatedZone, PowercapTree, constant
from tests.hostile.worker import ANY, ATTACKS, WORK_S

pytestmark = [pytest.mark.engine, pytest.mark.unhurried, pytest.mark.timeout(1200)]

WATTS, STRANGER = 50.0, 4321
# Of the host, which every hostile container would like to have changed.
HOST = (
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hosts",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
)
# Of which somebody reads reports and tables.
SEEN = (
    "honest", "error-with-escapes", "escape-codes", "done-early", "console-flood",
    "odd-facts", "zero-work", "vast-work", "odd-metrics", "odd-epochs", "no-results",
)  # fmt: skip
# What a line says does not depend on whose harness reads it: a user's plays the others.
PLAYED = {
    "root": list(ATTACKS),
    "user": [name for name in ATTACKS if not ATTACKS[name][2].startswith("line 4")],
}


@dataclass(frozen=True)
class Played:
    """A campaign of attacks that has ended, and what the host looked like before and after."""

    place: Path
    folder: Path
    user: tuple[int, int]
    code: int
    said: str
    before: dict[str, str]
    after: dict[str, str]

    @property
    def runs(self) -> dict[str, Run]:
        """By attack: of those that were tried by a preparation run, that one."""
        found: dict[str, Run] = {}
        for run in store.load_campaign(self.folder).runs:
            found.setdefault(str(run.record.planned.treatment.settings["attack"]), run)
        return found


def environment(place: Path) -> dict[str, str]:
    needs = {
        "JOULEMARK_TEST_NEEDS": sys.base_prefix,
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(place / "home"),
    }
    own = {"JOULEMARK_LOCK": str(place / "home" / "lock"), "JOULEMARK_POWERCAP_ROOT": str(place / "powercap")}
    return {**os.environ, **needs, **own, "TMPDIR": str(place / "tmp"), "JOULEMARK_HOME": str(place / "home")}


def command(user: tuple[int, int], *words: object) -> list[str]:
    program = [sys.executable, "-m", *map(str, words)]
    as_user = [str(Path(__file__).with_name("as_user.sh")), str(user[0]), str(user[1])]
    return program if user[0] == 0 else [*as_user, *program]


def state_of_the_host(place: Path) -> dict[str, str]:
    canaries = [path for path in sorted((place / "canaries").rglob("*")) if path.is_file()]
    hashes = {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in (*map(Path, HOST), *canaries)
    }
    listings = {
        name: " ".join(sorted(path.name for path in Path(name).iterdir()))
        for name in ("/", "/etc", "/etc/cron.d", str(place / "canaries"))
    }
    modes = {f"mode of {path}": oct(path.stat().st_mode) for path in canaries}
    return hashes | listings | modes


@pytest.fixture(scope="module", params=PLAYED)
def played(request: pytest.FixtureRequest, engine: docker.DockerClient) -> Iterator[Played]:
    if os.geteuid() != 0:
        pytest.skip("only root can be root's and another user's harness")
    user = (0, 0) if request.param == "root" else (STRANGER, Path("/var/run/docker.sock").stat().st_gid)
    place = Path(tempfile.mkdtemp(prefix="joulemark-hostile-"))
    place.chmod(0o755)
    for name in ("tmp", "canaries", "campaigns", "home"):
        (place / name).mkdir()
        os.chown(place / name, *user)
    for name, mode in (("secret", 0o600), ("open", 0o666)):
        (place / "canaries" / name).write_text("untouched")
        (place / "canaries" / name).chmod(mode)
    with PowercapTree(place / "powercap", [EmulatedZone("intel-rapl:0", "package-0", constant(WATTS))]):
        before, folder = state_of_the_host(place), place / "campaigns" / "hostile"
        words = command(user, "tests.hostile.campaign", folder, *PLAYED[request.param])
        ended = subprocess.run(words, cwd=paths.ROOT, env=environment(place), capture_output=True, text=True)
        yield Played(
            place,
            folder,
            user,
            ended.returncode,
            ended.stdout + ended.stderr,
            before,
            state_of_the_host(place),
        )
    shutil.rmtree(place)


def test_the_campaign_came_to_its_end_with_a_record_of_every_attack(played: Played) -> None:
    assert (played.code, played.said) == (0, "")
    assert set(played.runs) == set(PLAYED["user" if played.user[0] else "root"])
    assert all(len(names) >= 70 for names in PLAYED.values())


def test_nothing_of_the_host_was_written(played: Played) -> None:
    assert played.after == played.before


def test_each_attack_is_told_as_what_it_was(played: Played) -> None:
    otherwise = {}
    for name, run in played.runs.items():
        record, (_, outcome, words) = run.record, ATTACKS[name]
        as_expected = outcome in (ANY, record.outcome) and re.search(words, record.reason)
        told = record.reason.isprintable() and len(record.reason) < 600
        if not (as_expected and told and bool(record.reason) == (record.outcome is not Outcome.OK)):
            otherwise[name] = (str(record.outcome), record.reason)
    assert otherwise == {}


def test_whoever_counts_has_the_energy_and_the_time_that_the_host_measured(played: Played) -> None:
    counted = [run for run in played.runs.values() if run.record.outcome is Outcome.OK]
    assert len(counted) > 40
    ratios = []
    for run in counted:
        record = run.record
        assert record.go_ns and record.done_ns and record.done_seen_ns and record.done_since_ns
        taken_s = (record.done_ns - record.go_ns) / 1e9
        assert taken_s >= WORK_S, record.planned.run_id
        assert record.done_ns <= record.done_seen_ns
        assert (record.done_since_ns - record.done_ns) / 1e9 <= LATENESS_ALLOWED_S
        series = reading.read(run.samples_path, record.channels)
        energy = run_energy(series, record.channels, record.go_ns, record.done_ns)
        assert energy.energy_j
        ratios.append(energy.energy_j / (WATTS * taken_s))
    # The emulated counter is written by a process that a busy machine keeps waiting, now and then.
    assert min(ratios) > 0.7 and max(ratios) < 1.3
    assert statistics.median(ratios) == pytest.approx(1, abs=0.02)


def test_a_run_that_does_not_count_has_no_energy_unless_its_window_is_true(played: Played) -> None:
    for run in played.runs.values():
        told = [finding.code for finding in run.record.findings]
        assert run.record.done_ns is None or "untrue-events" not in told


def test_the_run_folders_hold_what_the_harness_wrote_and_nothing_else(played: Played) -> None:
    allowed = {"run.json", "events.jsonl", "console.log", "samples.parquet", "request.json"}
    for path in played.folder.rglob("*"):
        assert not path.is_symlink() and (path.is_file() or path.is_dir()), path
        assert path.lstat().st_uid == played.user[0], path
    for run in played.runs.values():
        assert {path.name for path in run.folder.iterdir()} <= allowed
    assert list((played.folder / store.UNFINISHED).iterdir()) == []
    assert list((played.folder / store.STATES).iterdir()) == []


def test_what_people_then_see_obeys_nobody(engine: docker.DockerClient, tmp_path: Path) -> None:
    """Report, status and tables of a few of them: a report of all takes minutes."""
    folder, place = tmp_path / "campaigns" / "seen", tmp_path / "seen"
    for name in ("tmp", "home", "campaigns"):
        (tmp_path / name).mkdir()
    words = command((0, 0), "tests.hostile.campaign", folder, *SEEN)
    subprocess.run(words, cwd=paths.ROOT, env=environment(tmp_path), check=True, timeout=120)
    for asked in (
        ["report", folder], ["status", folder], ["export", folder, "-o", place],
        ["export", folder, "--format", "bundle", "-o", place],
    ):  # fmt: skip
        told = subprocess.run(
            [sys.executable, "-m", "harness.cli", *map(str, asked)],
            cwd=paths.ROOT, env=environment(tmp_path), capture_output=True, text=True,
        )  # fmt: skip
        assert told.returncode == 0, told.stdout + told.stderr
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", told.stdout + told.stderr)
    for table in place.glob("*.csv"):
        assert not re.search(r"(^|,)\"?[=+@\t]", table.read_text(), re.MULTILINE), table
    assert "\x1b" not in (folder / "report.html").read_text()


def test_nothing_is_left_on_the_machine_and_the_next_campaign_runs_clean(
    played: Played, engine: docker.DockerClient
) -> None:
    after = played.place / "campaigns" / "after"
    words = command(played.user, "tests.hostile.campaign", after, "honest")
    own = environment(played.place) | {"JOULEMARK_HOME": str(played.place / "tmp" / "home")}
    subprocess.run(
        words, cwd=paths.ROOT, env=own, check=True, timeout=60, umask=0o077
    )  # data prepared anew, too
    shutil.rmtree(own["JOULEMARK_HOME"])
    (run,) = store.load_campaign(after).runs
    assert (run.record.outcome, run.record.reason) == (Outcome.OK, "")
    assert "worked-outside" not in {finding.code for finding in run.record.findings}
    left = engine.containers.list(all=True, filters={"label": sandbox.RUN_LABEL}, ignore_removed=True)
    assert not any(str(played.place) in str(one.attrs) for one in left)  # others' runs have the same names
    assert not any(str(played.place) in line for line in Path("/proc/mounts").read_text().splitlines())
    assert list((played.place / "tmp").iterdir()) == []
    hostile = [
        one
        for one in psutil.process_iter(["cmdline"])
        if "A hostile image's worker" in str(one.info["cmdline"])
    ]
    assert hostile == []


def test_the_worker_s_own_file_stands_alone() -> None:
    """It runs in somebody else's image: none of our code is there."""
    text = Path(__file__).with_name("worker.py").read_text()
    imported = {
        line.split()[1].partition(".")[0] for line in text.splitlines() if re.match(r"(from|import) ", line)
    }
    assert imported <= set(sys.stdlib_module_names)
    assert json.dumps(sorted(ATTACKS))
