"""What detectors say of their data sets is what these are."""

from __future__ import annotations

import pytest

from harness.datasets import source, synthetic_coco
from suite.detection.answers import MOST_DETECTIONS
from suite.mask_rcnn.spec import SPEC as MASK_RCNN
from suite.spec import SettingError
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


@pytest.mark.parametrize("spec", [SSD, MASK_RCNN], ids=lambda spec: spec.name)
def test_no_more_is_detected_than_is_judged(spec):
    with pytest.raises(
        SettingError, match=f"detections must be .*{MOST_DETECTIONS}.*, not {MOST_DETECTIONS + 1}"
    ):
        spec.with_settings({"detections": MOST_DETECTIONS + 1})
