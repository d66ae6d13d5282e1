"""COCO 2017 as SSD300 takes it: every image stretched to 300x300."""

from harness.datasets.coco import MOST_OBJECTS, Coco
from harness.datasets.coco_truths import Form
from harness.datasets.synthetic_coco import SyntheticCoco

SOURCE = Coco(
    "coco_2017_300",
    "COCO 2017, boxes, images stretched to 300x300; 33 GB",
    Form(side=300, upright=False, most=MOST_OBJECTS, shapes=False),
)
STAND_IN = SyntheticCoco("coco_2017_300", Form(side=96, upright=False, most=8, shapes=False))
