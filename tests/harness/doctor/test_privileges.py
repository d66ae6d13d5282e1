"""Root is told before it runs what others may change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.doctor import Level, privileges


@pytest.fixture
def owned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of root's, whoever runs the test; its own way there counts as the rest of the machine."""
    checkout = tmp_path / "checkout"
    checkout.mkdir(mode=0o755)
    monkeypatch.setattr(privileges, "ROOT", os.getuid())
    return checkout


def told(path: Path, below: Path) -> list[str]:
    return [who for place, who in privileges.changeable(path) if place.is_relative_to(below)]


def test_what_root_alone_may_change_is_good(owned: Path) -> None:
    assert told(owned, owned) == []


def test_what_everybody_may_change_is_named(owned: Path) -> None:
    owned.chmod(0o757)
    assert told(owned / "inside", owned) == ["everybody"]
    check = privileges.of_places([owned])
    assert (check.level, f"{owned} (everybody)" in check.state) == (Level.WORSE, True)
    assert "without sudo" in check.remedy


def test_a_folder_in_which_each_may_change_their_own_is_no_danger(owned: Path) -> None:
    owned.chmod(0o1777)
    assert told(owned, owned) == []


def test_another_s_checkout_is_named_with_its_owner(owned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(privileges, "ROOT", os.getuid() + 1)
    assert told(owned, owned) == [privileges._name(os.getuid())]


def test_a_link_leads_to_what_it_names(owned: Path) -> None:
    owned.chmod(0o757)
    link = owned.with_name("suite")
    link.symlink_to(owned)
    assert told(link, owned) == ["everybody"]


@pytest.mark.parametrize(("euid", "count"), [(0, 1), (1000, 0)])
def test_it_is_asked_of_root_alone(monkeypatch: pytest.MonkeyPatch, euid: int, count: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: euid)
    assert len(list(privileges.checks())) == count
