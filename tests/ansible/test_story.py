"""One host from fresh to prepared and back: what setup.yml promises and restore.yml keeps, on a real systemd."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness import paths
from tests.ansible.conftest import Start
from tests.ansible.target import FAKE, HOME, Result, Target

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]

CPU = f"{FAKE}/sys/devices/system/cpu"
ZONE = f"{FAKE}/sys/class/powercap/intel-rapl:0"
QUIET = ["bluetooth.service", "cups.service", "cron.service", "apt-daily.timer"]
ASKED = "-e turbo=off -e deepest_c_state=1"
PERF = f"{HOME}/.venv/bin/python-perf"
RECORD = "/var/lib/joulemark/state-before.json"


NEWER = "env PYTHONPATH=/opt/ansible python3 -m ansible playbook"


class Story:
    """Everything is played once, in order, and looked at after each chapter."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.before = target.state()
        self.rehearsed = target.play(f"setup.yml --check --diff {ASKED}")
        self.after_rehearsal = target.state()
        self.made = target.play(f"setup.yml {ASKED}")
        self.prepared = target.state()
        self.record = json.loads(target.sh(f"cat {RECORD}").text)["before"]
        self.ann = target.sh(f"cat {ZONE}/energy_uj {ZONE}/max_energy_range_uj", "ann")
        self.bob = target.sh(f"cat {ZONE}/energy_uj", "bob")
        self.perf = target.sh(f"getcap {PERF}; stat -c '%A %U %G' {PERF}")
        self.stranger_perf = target.sh(PERF, "bob")
        # A copy without the capability, which this container's engine may not know.
        self.perf_finds = target.sh(f"cp {PERF} {PERF}-; {PERF}- -c 'import harness, numpy'; rm {PERF}-")
        self.engine = target.sh("docker info --format '{{.LiveRestoreEnabled}}'", "ann")
        self.again = target.play(f"setup.yml {ASKED}", ansible=NEWER)
        self.checked = target.play("check.yml -e require=docker,meters,quiet,harness")
        self.restored = target.play("restore.yml")
        self.after = target.state()
        self.nothing_left = target.sh(f"test ! -e {RECORD}")
        self.restored_again = target.play("restore.yml")


def newer_ansible() -> Path:
    """The pinned one, as `make test` installs it; Debian 12 has 2.14."""
    found = list((paths.ROOT / ".venv-ansible/lib/python3.11").glob("site-packages"))
    return found[0] if found else pytest.skip("no ansible of Python 3.11 here: make .venv-ansible/.done")


@pytest.fixture(scope="module")
def story(start: Start, wheels: Path) -> Iterator[Story]:
    mounts = {wheels: "/wheels", newer_ansible(): "/opt/ansible"}
    yield Story(start(volumes={str(here): {"bind": there, "mode": "ro"} for here, there in mounts.items()}))


def values(state: dict[str, Any], part: str) -> set[str]:
    return {value for path, value in state["values"].items() if part in path}


def test_a_rehearsal_tells_the_changes_and_makes_none(story: Story) -> None:
    assert story.rehearsed.code == 0, story.rehearsed.text
    assert "powersave -> performance" in story.rehearsed.text
    assert story.after_rehearsal == story.before


def test_setup_needs_no_variable_and_nothing_from_a_network(story: Story) -> None:
    assert story.made.code == 0, story.made.text
    assert "LACKING" not in story.made.text


def test_the_kernel_is_set_as_asked(story: Story) -> None:
    assert values(story.prepared, "scaling_governor") == {"performance"}
    assert values(story.prepared, "no_turbo") == {"1"}
    assert values(story.prepared, "state0/disable") | values(story.prepared, "state1/disable") == {"0"}
    assert values(story.prepared, "state2/disable") | values(story.prepared, "state3/disable") == {"1"}
    assert values(story.prepared, "numa_balancing") == {"0"}
    assert values(story.prepared, "transparent_hugepage") == {"madvise"}
    assert "/swapfile" not in story.prepared["values"][f"{FAKE}/proc/swaps"]


def test_what_nobody_asked_for_is_left_alone(story: Story) -> None:
    for part in ("randomize_va_space", "smt/control", "perf_event_paranoid"):
        assert values(story.prepared, part) == values(story.before, part)


def test_timers_and_daemons_are_stopped_until_the_next_boot(story: Story) -> None:
    for name in QUIET:
        assert story.prepared["units"][name] == [False, "masked-runtime"]
    # One of the administrator's own cannot be masked until the next boot: it is stopped.
    assert story.prepared["units"]["sysstat.service"] == [False, "static"]


def test_the_state_before_was_written(story: Story) -> None:
    assert story.record["units"]["cups.service"] == {"active": True, "enabled": "disabled"}
    assert story.record["packages"]["docker.io"] is False
    assert story.record["groups"]["joulemark"] is None


def test_a_member_of_the_group_reads_the_counters_and_a_stranger_does_not(story: Story) -> None:
    assert (story.ann.code, story.ann.text) == (0, "123456789\n262143328850\n")
    assert "Permission denied" in story.bob.text


def test_one_interpreter_may_count_with_perf_for_the_group_only(story: Story) -> None:
    assert story.perf.text == f"{PERF} cap_perfmon=ep\n-rwxr-x--- root joulemark\n"
    assert "Permission denied" in story.stranger_perf.text
    assert story.perf_finds.text == ""


def test_the_engine_outlives_its_restart_and_serves_who_measures(story: Story) -> None:
    assert story.engine.text.strip() == "true"


def test_a_second_run_by_a_newer_ansible_changes_nothing(story: Story) -> None:
    assert (story.again.code, story.again.changed) == (0, 0), story.again.text


def test_a_check_changes_nothing_and_finds_what_is_required(story: Story) -> None:
    assert (story.checked.code, story.checked.changed) == (0, 0), story.checked.text


def test_restore_puts_everything_back(story: Story) -> None:
    assert story.restored.code == 0, story.restored.text
    assert "everything is as it was" in story.restored.text
    assert story.after == story.before
    assert story.nothing_left.code == 0


def test_a_second_restore_has_nothing_to_do(story: Story) -> None:
    assert (story.restored_again.code, story.restored_again.changed) == (0, 0)
    assert "nothing to put back" in story.restored_again.text


def test_the_summary_names_each_role(story: Story) -> None:
    result: Result = story.made
    assert all(result.lines(role) for role in ("docker", "nvidia", "meters", "quiet", "harness"))
