"""COCO 2017 as Mask R-CNN takes it: the longest side 640 pixels, as most images have it, from the canvas's top left.

The study's frameworks make images larger, up to 1 333 pixels; but no image holds more than 640, so that nothing is made
up or lost here, and 150 GB are enough. At 832 pixels they would be 254 GB.
"""

from harness.datasets.coco import MOST_OBJECTS, Coco
from harness.datasets.coco_truths import Form
from harness.datasets.synthetic_coco import SyntheticCoco

SOURCE = Coco(
    "coco_2017_640",
    "COCO 2017, boxes and masks, images of 640 pixels; 155 GB",
    Form(side=640, upright=True, most=MOST_OBJECTS, shapes=True),
)
STAND_IN = SyntheticCoco("coco_2017_640", Form(side=128, upright=True, most=8, shapes=True))
