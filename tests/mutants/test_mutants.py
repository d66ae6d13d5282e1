"""Planted faults are found by the proof or in the measured campaign; a sound checkout passes both."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import paths
from tests.mutants.all_mutants import MUTANTS
from tests.mutants.planted import Mutant
from tests.mutants.trial import checkout, trial, tried
from tests.rotation import rotating

HARMFUL = {name: one for name, one in MUTANTS.items() if not one.harmless}
SHARE = rotating(MUTANTS, 2)  # in every CI
CHOSEN = [pytest.param(name, marks=() if name in SHARE else pytest.mark.slow) for name in sorted(HARMFUL)]


def test_there_are_enough_and_nearly_all_do_harm() -> None:
    assert len(MUTANTS) >= 60
    assert len(HARMFUL) >= 0.95 * len(MUTANTS)
    assert {one.framework for one in MUTANTS.values()} >= {"torch", "tensorflow", "jax", "keras", "sklearn"}


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_each_has_its_place_in_the_code_as_it_is(name: str, tmp_path: Path) -> None:
    place = tmp_path / "suite" / MUTANTS[name].file
    place.parent.mkdir(parents=True)
    place.write_text((paths.SUITE / MUTANTS[name].file).read_text())
    MUTANTS[name].plant(tmp_path)
    compile(place.read_text(), str(place), "exec")


@pytest.mark.frameworks
@pytest.mark.unhurried
@pytest.mark.parametrize("name", CHOSEN)
def test_a_planted_fault_is_found(name: str, tmp_path: Path) -> None:
    assert trial(MUTANTS[name], tmp_path).found


@pytest.mark.frameworks
@pytest.mark.unhurried
@pytest.mark.parametrize(
    ("workload", "framework"),
    [("mnist_mlp", "torch"), pytest.param("resnet", "tensorflow", marks=pytest.mark.slow)],
)
def test_a_sound_checkout_is_not_found_guilty(workload: str, framework: str, tmp_path: Path) -> None:
    sound = Mutant("sound", framework, workload, "", "", "")
    assert not tried(checkout(tmp_path / "checkout"), sound, with_proof=True).found
