"""Sotillos 2023: every per-epoch value to its three decimals in their method, and ours beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import studies
from harness.studies.base import NO, NOT_COMPARED, YES, Reproduction
from tests.conftest import SHARED
from tests.foreign import sotillos, write

SOTILLOS23 = SHARED / "published/sotillos23"
needs_files = pytest.mark.skipif(
    not SOTILLOS23.is_dir(), reason="the raw files of the study are not beside the checkout"
)


@pytest.fixture(scope="module")
def found() -> Reproduction:
    return studies.reproduce("sotillos23", SOTILLOS23)


def messages(found: Reproduction, code: str) -> list[str]:
    return [one.message for one in found.audit if one.code == code]


@needs_files
def test_all_2640_values_per_epoch_are_equal_to_three_decimals(found: Reproduction) -> None:
    """2 frameworks x 12 combinations x 10 epochs x 11 values."""
    cells = [one for one in found.cells if one.table == "per epoch" and one.compared]
    assert len(cells) == 2640
    assert [one for one in cells if one.match != YES] == []


@needs_files
def test_totals_have_our_energy_beside_theirs(found: Reproduction) -> None:
    cells = {(one.row, one.column): one for one in found.cells if one.table == "training"}
    theirs = cells["torch cifar10 resnet50 batch 256", "energy"]
    ours = cells["torch cifar10 resnet50 batch 256", "energy, ours"]
    assert theirs.match == YES
    assert (ours.match, ours.published) == (NOT_COMPARED, theirs.published)
    assert ours.ours == pytest.approx(theirs.ours, rel=0.02)
    assert ours.ours != pytest.approx(theirs.ours, rel=1e-6)


@needs_files
def test_the_audit_tells_first_epochs_order_and_methods_apart(found: Reproduction) -> None:
    assert "tensorflow: 29 s longer, 20% of a training" in messages(found, "first-epoch-holds-start-up")[0]
    assert messages(found, "order") == ["all 24 runs of tensorflow came before the first of torch"]
    assert "by -2.8% to +2.3% in an epoch" in messages(found, "method-differs")[0]
    assert messages(found, "few-runs")[0].startswith("2 runs each")


def test_both_methods_on_a_log_that_anyone_can_add_up(tmp_path: Path) -> None:
    """A constant 100 W: epoch 1 lasts 9.5 s, epoch 2 lasts 10 s, in either method."""
    sotillos(tmp_path)
    found = studies.reproduce("sotillos23", tmp_path)
    cells = {(one.row, one.column): one.ours for one in found.cells}
    row = "torch cifar10 resnet50 batch 32"
    assert (cells[f"{row} epoch 1", "energy"], cells[f"{row} epoch 2", "energy"]) == (950.0, 1000.0)
    assert cells[f"{row} epoch 2", "energy, ours"] == pytest.approx(1000.0)
    assert cells[row, "energy, ours"] == pytest.approx(1950.0)
    assert cells[row, "power, ours"] == pytest.approx(100.0)
    assert cells[row, "gpu_util, ours"] == pytest.approx(39.0)
    assert cells[row, "accuracy, ours"] == pytest.approx(0.6)
    assert cells[row, "accuracy"] == 0.6
    assert "nothing-published" in {one.code for one in found.audit}


def test_a_reading_at_an_epoch_s_end_belongs_to_it(tmp_path: Path) -> None:
    energy, _ = sotillos(tmp_path)
    write(energy, energy.read_text().replace("18:00:10.500, 100.00 W", "18:00:10.000, 210.00 W"))
    cells = {(one.row, one.column): one.ours for one in studies.reproduce("sotillos23", tmp_path).cells}
    row = "torch cifar10 resnet50 batch 32"
    assert cells[f"{row} epoch 1", "power"] == 110.0  # ten readings of 100 W, one of 210 W
    assert cells[f"{row} epoch 2", "power"] == 100.0


def test_a_published_value_that_the_files_do_not_give_is_named(tmp_path: Path) -> None:
    sotillos(tmp_path)
    header = (
        "epoch_number,batch_size,framework,dataset,model,power,temp,mem_used,gpu_util,mem_util,total_time,"
        "precision,recall,accuracy,f1,energy"
    )
    rows = [
        "1,32,pytorch,CIFAR10,resnet50,100.0,33.0,10.0,39.0,0.0,9.5,0.5,0.5,0.5,0.5,950.0",
        "2,32,pytorch,CIFAR10,resnet50,100.0,33.0,10.0,39.0,0.0,10.0,0.5,0.5,0.6,0.5,1000.001",
    ]
    write(tmp_path / "per_epoch_pytorch.csv", "\n".join([header, *rows]) + "\n")
    found = studies.reproduce("sotillos23", tmp_path)
    different = [(one.row, one.column) for one in found.cells if one.match == NO]
    assert different == [("torch cifar10 resnet50 batch 32 epoch 2", "energy")]
    assert "printed 1000.001, the files give 1000.0" in messages(found, "cell-differs")[0]
