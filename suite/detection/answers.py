"""What a detector found, in whole numbers: as the host's judges take it, and as fingerprints tell it."""

import numpy as np

BOX_UNIT = 16  # a box is told in sixteenths of a pixel of the prepared image
SCORE_UNIT = 1 << 20  # a score is told in parts of 2^20
MASK_SIDE = 28  # of a mask that is told, of its box
MASK_UNIT = 255  # a probability of a mask's pixel is told in parts of 255
MOST_DETECTIONS = 100  # of an image, as COCO's AP counts


def answers(
    boxes: np.ndarray, scores: np.ndarray, classes: np.ndarray, masks: np.ndarray | None = None
) -> dict[str, np.ndarray]:
    """For judges: boxes [n, d, 4] in pixels of the prepared image, scores [n, d] and masks [n, d, 28, 28] from 0 to 1.

    classes: [n, d] from 1 on, 0 where nothing was found: there all else becomes 0, too. int32, masks uint8. No box is
    inverted, nor outside of the image's near edges; at the far ones whoever found it has cut it.
    """
    found = classes > 0
    corners = np.rint(np.maximum(boxes, 0) * BOX_UNIT)
    corners[..., 2:] = np.maximum(corners[..., 2:], corners[..., :2])
    told = {
        "boxes": np.where(found[..., np.newaxis], corners, 0).astype(np.int32),
        "scores": np.where(found, np.rint(np.clip(scores, 0, 1) * SCORE_UNIT), 0).astype(np.int32),
        "classes": classes.astype(np.int32),
    }
    if masks is not None:
        levels = np.rint(np.clip(masks, 0, 1) * MASK_UNIT)
        told["masks"] = np.where(found[..., np.newaxis, np.newaxis], levels, 0).astype(np.uint8)
    return told
