"""Kernel settings: written where they may be, told where they may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible.module_utils.joulemark import quieting


@pytest.fixture
def governor(tmp_path: Path) -> Path:
    file = tmp_path / "scaling_governor"
    file.write_text("powersave\n")
    return file


def wanted(file: Path, value: str = "performance") -> list[dict[str, str]]:
    return [{"name": "governor", "path": str(file), "value": value}]


def test_a_setting_is_written_once(governor: Path) -> None:
    recorded = {str(governor): "powersave"}
    assert quieting.set_values(wanted(governor), recorded, write=True)[0] == [
        f"{governor}: powersave -> performance"
    ]
    changed, lines = quieting.set_values(wanted(governor), recorded, write=True)
    assert (changed, lines[0]["good"]) == ([], True)


def test_a_rehearsal_writes_nothing_and_says_how_it_is(governor: Path) -> None:
    changed, lines = quieting.set_values(wanted(governor), {}, write=False)
    assert (len(changed), lines[0]["good"], governor.read_text()) == (1, False, "powersave\n")


def test_nothing_is_changed_that_was_not_recorded(governor: Path) -> None:
    changed, lines = quieting.set_values(wanted(governor), {}, write=True)
    assert (changed, governor.read_text()) == ([], "powersave\n")
    assert "was not recorded" in lines[0]["says"]


def test_what_the_kernel_does_not_offer_is_no_fault(tmp_path: Path) -> None:
    changed, lines = quieting.set_values(wanted(tmp_path / "absent"), {}, write=True)
    assert (changed, lines[0]["good"]) == ([], True)
    assert "no choice" in lines[0]["says"]


def test_keep_keeps(governor: Path) -> None:
    assert quieting.set_values(wanted(governor, "keep"), {}, write=True) == ([], [])


def test_a_refusal_is_told_with_the_kernels_reason() -> None:
    files = {"name": "governor", "path": "/proc/version", "value": "performance"}
    changed, lines = quieting.set_values([files], {"/proc/version": ""}, write=True)
    assert (changed, lines[0]["good"]) == ([], False)
    assert "(" in lines[0]["says"]
