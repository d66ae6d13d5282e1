"""What torchvision says of boxes, anchors and features, by an interpreter that has it.

python torchvision_witness.py FOLDER   reads given.npz there, writes found.npz
Written for 0.28.0; all in 64 bits, of which its default boxes have no way but the default dtype.
"""

import sys
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import grid_sample
from torchvision import ops
from torchvision.models.detection._utils import BoxCoder, Matcher, SSDMatcher
from torchvision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from torchvision.models.detection.image_list import ImageList
from torchvision.ops.poolers import LevelMapper


def main(folder: Path) -> None:
    torch.set_default_dtype(torch.float64)
    with np.load(folder / "given.npz") as archive:
        given = {name: torch.from_numpy(archive[name]) for name in archive.files}
    found = {**of_boxes(given), **of_anchors(), **of_features(given), "pasted": pasted(given)}
    np.savez(folder / "found.npz", **{name: one.numpy() for name, one in found.items()})


def of_boxes(given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    boxes, anchors, scores, classes = (given[name] for name in ("boxes", "anchors", "scores", "classes"))
    coder, iou = BoxCoder((10.0, 10.0, 5.0, 5.0)), ops.box_iou(boxes, anchors)
    truths = iou[: len(given["truths"])]
    return {
        "areas": ops.box_area(boxes),
        "iou": iou,
        "clipped": ops.clip_boxes_to_image(boxes, (60, 70)),
        "encoded": coder.encode_single(boxes, anchors[: len(boxes)]),
        "decoded": coder.decode_single(given["deltas"], boxes),
        "matched": Matcher(0.5, 0.3)(truths),
        "matched_rpn": Matcher(0.7, 0.3, allow_low_quality_matches=True)(truths),
        "matched_ssd": SSDMatcher(0.5)(truths),
        "left": ops.nms(boxes, scores, 0.3),
        "left_by_class": ops.batched_nms(boxes, scores, classes, 0.3),
        "left_by_class_vanilla": ops.boxes._batched_nms_vanilla(boxes, scores, classes, 0.3),
        "levels": LevelMapper(2, 5, 224, 4, 1e-6)([given["large"]]),
    }


def of_anchors() -> dict[str, torch.Tensor]:
    image, features = torch.zeros(1, 3, 96, 128), torch.zeros(1, 1, 6, 8)
    generator = AnchorGenerator(((32, 64, 100),), ((0.5, 1.0, 2.0),))
    [anchors] = generator(ImageList(image, [(96, 128)]), [features])
    maps = [[side, side] for side in (38, 19, 10, 5, 3, 1)]
    ratios = [[2], [2, 3], [2, 3], [2, 3], [2], [2]]
    steps, scales = [8, 16, 32, 64, 100, 300], [size / 300 for size in (21, 45, 99, 153, 207, 261, 315)]
    boxes = DefaultBoxGenerator(ratios, scales=scales, steps=steps)
    boxes._wh_pairs = boxes._generate_wh_pairs(len(maps), torch.float64)
    [defaults] = boxes(
        ImageList(torch.zeros(1, 3, 300, 300), [(300, 300)]), [torch.zeros(1, 1, *one) for one in maps]
    )
    return {"grid_anchors": anchors, "default_boxes": defaults}


def of_features(given: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    features, rois = given["features"].permute(2, 0, 1)[None], given["rois"]
    layers = {
        f"aligned_{size}_{samples}": ops.RoIAlign(size, 1 / 16, samples, aligned=True)
        for size, samples in ((7, 2), (14, 1), (3, 3))
    }
    return {name: layer(features, [rois]).permute(0, 2, 3, 1) for name, layer in layers.items()}


def pasted(given: dict[str, torch.Tensor]) -> torch.Tensor:
    """As Detectron2 pastes masks, by PyTorch's own sampling: bool [n, 60, 80]."""
    boxes = given["boxes_of_masks"]
    y, x = ((torch.arange(length) + 0.5)[None] for length in (60, 80))
    down = (y - boxes[:, 1:2]) / (boxes[:, 3:] - boxes[:, 1:2]) * 2 - 1
    right = (x - boxes[:, :1]) / (boxes[:, 2:3] - boxes[:, :1]) * 2 - 1
    grid = torch.stack([right[:, None, :].expand(-1, 60, -1), down[:, :, None].expand(-1, -1, 80)], -1)
    return grid_sample(given["masks"][:, None] / 255, grid, align_corners=False)[:, 0] > 0.5


if __name__ == "__main__":
    main(Path(sys.argv[1]))
