"""What detectors say of their data sets is what these are."""

from __future__ import annotations

import pytest

from harness.datasets import source, synthetic_coco
from suite.mask_rcnn.spec import SPEC as MASK_RCNN
from suite.ssd.spec import SPEC as SSD

CLASSES = 80  # of COCO's


@pytest.mark.parametrize("spec", [SSD, MASK_RCNN], ids=lambda spec: spec.name)
def test_images_have_the_side_that_the_data_set_gives_them(spec):
    for name in spec.datasets:
        assert spec.with_dataset(name).side == source(name).form.side


@pytest.mark.parametrize("spec", [SSD, MASK_RCNN], ids=lambda spec: spec.name)
def test_classes_are_those_of_the_data_set(spec):
    official, stand_in = spec.datasets
    assert spec.with_dataset(official).classes == CLASSES
    assert spec.with_dataset(stand_in).classes == len(synthetic_coco.CLASSES)
