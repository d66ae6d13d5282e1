"""Hosts that lack something: setup.yml does what it can, says what it could not, fails only for what is required."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ansible.conftest import Start
from tests.ansible.target import FAKE, HOME, Target

pytestmark = [pytest.mark.engine, pytest.mark.unhurried]

RECORD = "/var/lib/joulemark/state-before.json"
LAPTOP = "--tags quiet,meters"
GPU = f"{FAKE}/sys/bus/pci/devices/0000:01:00.0"
# As nvidia-smi answers: an older driver, which lets persistence be switched.
NVIDIA_SMI = """#!/bin/sh
case "$*" in
    *--query-gpu*) echo "535.183.01, GPU-1, 8.9, $(cat /fake/persistence), NVIDIA L4" ;;
    *"-pm 1") echo Enabled > /fake/persistence ;;
    *"-pm 0") echo Disabled > /fake/persistence ;;
esac
"""


@pytest.fixture(scope="module")
def target(start: Start) -> Target:
    return start()


@pytest.fixture
def restored(target: Target) -> Iterator[Target]:
    yield target
    assert target.play("restore.yml").code == 0


def test_without_the_right_to_be_root_the_play_says_what_it_could_not_do(target: Target) -> None:
    before = target.state()
    result = target.play(f"setup.yml {LAPTOP}", user="eve")
    assert result.code == 0, result.text
    assert any("LACKING" in line for line in result.lines("quiet"))
    assert any("LACKING" in line for line in result.lines("meters"))
    assert target.state() == before


def test_what_is_required_and_could_not_be_done_is_a_failure(target: Target) -> None:
    result = target.play(f"setup.yml {LAPTOP} -e require=quiet", user="eve")
    assert result.code == 2
    assert "LACKING quiet: governor: powersave instead of performance" in result.text


@pytest.mark.parametrize("words", ["turbo=fast", "deepest_c_state=12", "require=gpu", "perf=yes"])
def test_a_word_that_is_not_offered_ends_the_play_before_anything_is_done(target: Target, words: str) -> None:
    result = target.play(f"setup.yml -e {words}")
    assert result.code == 2
    assert "group_vars/all.yml does not offer" in result.text
    assert target.sh(f"test ! -e {RECORD}").code == 0


def test_an_unknown_user_ends_the_play(target: Target) -> None:
    result = target.play("""setup.yml -e '{"users": ["nobody-knows"]}'""")
    assert result.code == 2
    assert "nobody-knows" in result.text


def test_a_setting_that_the_kernel_refuses_is_told_with_its_reason(restored: Target) -> None:
    file = f"{FAKE}/sys/devices/system/cpu/intel_pstate/no_turbo"
    assert restored.sh(f"mount --bind -o ro {file} {file} && mount -o remount,ro,bind {file}").code == 0
    result = restored.play("setup.yml --tags quiet -e turbo=off")
    restored.sh(f"umount {file}")
    assert result.code == 0
    assert any("no_turbo: 0 instead of 1 (Read-only file system)" in line for line in result.lines("quiet"))


def test_a_virtual_machine_without_counters_is_told_so(restored: Target) -> None:
    restored.sh(f"mv {FAKE}/sys/class/powercap {FAKE}/sys/class/hidden")
    result = restored.play("setup.yml --tags meters")
    restored.sh(f"mv {FAKE}/sys/class/hidden {FAKE}/sys/class/powercap")
    assert result.code == 0
    assert "the kernel shows no energy counters" in result.lines("meters")[0]


def test_a_gpu_without_a_driver_is_found_on_the_bus(target: Target) -> None:
    target.sh(f"mkdir -p {GPU}; echo 0x10de > {GPU}/vendor; echo 0x030000 > {GPU}/class")
    result = target.play("check.yml --tags nvidia")
    target.sh(f"rm -r {GPU}")
    assert "no NVIDIA driver is installed" in result.lines("nvidia")[0]


def test_a_gpu_stays_awake_and_is_held_against_the_images(target: Target) -> None:
    target.sh(f"echo Disabled > {FAKE}/persistence; cat > /usr/local/bin/nvidia-smi <<'END'\n{NVIDIA_SMI}END")
    target.sh("chmod 755 /usr/local/bin/nvidia-smi; touch /usr/bin/nvidia-ctk; chmod 755 /usr/bin/nvidia-ctk")
    result = target.play("setup.yml --tags nvidia")
    during = target.sh(f"cat {FAKE}/persistence").text.strip()
    restored = target.play("restore.yml")
    after = target.sh(
        f"cat {FAKE}/persistence; rm /usr/local/bin/nvidia-smi /usr/bin/nvidia-ctk"
    ).text.strip()
    assert (during, after, result.code, restored.code) == ("Enabled", "Disabled", 0, 0), result.text
    assert "too old for CUDA 13 (driver 535.183.01, it needs 580.65.06)" in result.lines("nvidia")[0]
    assert "CUDA 12" not in result.lines("nvidia")[0]


def test_a_damaged_record_is_never_put_back(target: Target) -> None:
    target.sh(f"mkdir -p {RECORD.rpartition('/')[0]}; echo '{{' > {RECORD}")
    result = target.play("restore.yml")
    assert result.code == 2
    assert "is not a record of the state before" in result.text
    target.sh(f"rm {RECORD}")


@pytest.fixture(scope="module")
def plain(start: Start) -> Target:
    """A container in which systemd does not run."""
    return start(entrypoint=["sleep", "infinity"], tmpfs={}, cap_add=[])


def test_without_systemd_the_kernel_is_set_all_the_same(plain: Target) -> None:
    result = plain.play(f"setup.yml {LAPTOP}")
    assert result.code == 0, result.text
    assert "systemd does not run here" in " ".join(result.lines("quiet"))
    assert (
        plain.sh(f"cat {FAKE}/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor").text == "performance\n"
    )
    assert plain.play("restore.yml").code == 0
    assert plain.sh(f"cat {FAKE}/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor").text == "powersave\n"


NODE = """
set -e
cd ~/joulemark && git init -q . && git add -A && git -c user.name=ann -c user.email=ann@target commit -qm first
mkdir -pm 700 ~/.ssh && ssh-keygen -qt ed25519 -N '' -f ~/.ssh/id_ed25519
cp ~/.ssh/id_ed25519.pub ~/.ssh/authorized_keys
printf 'measuring_hosts: {hosts: {node1: {ansible_host: 127.0.0.1}}}\\n' > ~/nodes.yml
mkdir -p ~/.config/pip && printf '[global]\\nno-index = true\\n' > ~/.config/pip/pip.conf
ssh-keyscan -H 127.0.0.1 > ~/.ssh/known_hosts 2>/dev/null
"""


def test_another_host_is_prepared_over_ssh_with_a_copy_of_the_last_commit(restored: Target) -> None:
    restored.sh("systemctl start ssh")
    assert restored.sh(NODE, "ann").code == 0
    nodes = "-i ~/nodes.yml -e '{\"require\": []}'"
    result = restored.play(f"setup.yml --tags harness,meters {nodes}")
    commit = restored.sh(f"git -C {HOME} rev-parse HEAD", "ann").text
    copied = restored.sh(
        "cat /opt/joulemark/.commit; cmp /opt/joulemark/Makefile /home/ann/joulemark/Makefile"
    )
    assert (result.code, copied.code, copied.text) == (0, 0, commit), result.text
    again = restored.play(f"check.yml --tags meters {nodes} -e require=meters")
    assert (again.code, again.changed) == (0, 0), again.text
