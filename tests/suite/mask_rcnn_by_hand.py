"""Mask R-CNN in NumPy, image by image, on the reference of detection's geometry: as the spec writes it, and slow."""

from __future__ import annotations

import numpy as np

from suite.detection import boxes as geometry
from suite.detection import matching, suppression
from suite.detection.roi_align import fpn_levels, roi_align

MEAN, DEVIATION = np.array([123.675, 116.28, 103.53]), np.array([58.395, 57.12, 57.375])
STRIDES = (4, 8, 16, 32, 64)


def relu(x):
    return np.maximum(x, 0)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def convolved(x, kernel, stride=1):
    """[n, h, w, c] with half a kernel of zeros around."""
    size = len(kernel)
    x = np.pad(x, ((0, 0), (size // 2,) * 2, (size // 2,) * 2, (0, 0)))
    seen = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))[:, ::stride, ::stride]
    return np.einsum("nhwcij,ijco->nhwo", seen, kernel)


def pooled(x):
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-np.inf)
    return np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))[:, ::2, ::2].max((-1, -2))


class ByHand:
    def __init__(self, spec, weights):
        self.spec, self.weights = spec, weights

    def layer(self, name, x):
        return convolved(x, self.weights[f"{name}/kernel"]) + self.weights[f"{name}/bias"]

    def dense(self, name, x):
        return x @ self.weights[f"{name}/kernel"] + self.weights[f"{name}/bias"]

    def normed(self, name, x, stride=1):
        x = convolved(x, self.weights[f"{name}/kernel"], stride)
        gamma, beta, mean, variance = (
            self.weights[f"{name}_norm/{word}"]
            for word in ("frozen_gamma", "frozen_beta", "mean", "variance")
        )
        return (x - mean) / np.sqrt(variance + 1e-5) * gamma + beta

    def pyramid(self, images):
        """Of depth 14: one block a stage."""
        x, stages = pooled(relu(self.normed("stem", (images - MEAN) / DEVIATION, 2))), []
        for stage in (1, 2, 3, 4):
            block, stride = f"stage{stage}_block1", 1 if stage == 1 else 2
            inner = relu(self.normed(f"{block}_conv1", x))
            inner = relu(self.normed(f"{block}_conv2", inner, stride))
            shortcut = self.normed(f"{block}_projection", x, stride)
            x = relu(self.normed(f"{block}_conv3", inner) + shortcut)
            stages.append(x)
        above, found = 0.0, []
        for level in (5, 4, 3, 2):
            above = self.layer(f"lateral{level}", stages[level - 2]) + above
            found.insert(0, self.layer(f"level{level}", above))
            above = above.repeat(2, 1).repeat(2, 2)
        return [*found, found[-1][:, ::2, ::2]]

    def rpn(self, levels):
        """Of one image, level by level: logits [anchors] and deltas [anchors, 4]."""
        hidden = [relu(self.layer("rpn_hidden", one)) for one in levels]
        logits = [self.dense("rpn_objects", one).ravel() for one in hidden]
        return logits, [self.dense("rpn_deltas", one).reshape(-1, 4) for one in hidden]

    def proposals(self, logits, deltas, extent, candidates):
        """Boxes, the best first, and the number of each one's anchor."""
        found = []
        for (first, _), told, moved in zip(self.spec.level_bounds, logits, deltas, strict=True):
            best = np.argsort(-told, kind="stable")[:candidates]
            anchors = self.spec.all_anchors[first + best]
            boxes = geometry.decode(moved[best], anchors, (1.0, 1.0, 1.0, 1.0))
            boxes = geometry.clipped(boxes, *extent.astype(float))
            scores = np.where(geometry.areas(boxes) > 0, told[best], -np.inf)
            kept = suppression.nms(boxes, scores, self.spec.rpn_overlap, len(best))
            found += [(told[best[one]], boxes[one], first + best[one]) for one in kept if one >= 0]
        found.sort(key=lambda one: -one[0])
        found = found[: self.spec.proposals]
        return np.array([box for _, box, _ in found]).reshape(-1, 4), [anchor for *_, anchor in found]

    def seen(self, levels, rois, size):
        """RoIAlign, each roi from its own level."""
        usual = self.spec.usual_side
        own = fpn_levels(rois, 2, 5, usual) - 2
        cells = [
            roi_align(levels[level][0], roi[np.newaxis], size, 1 / STRIDES[level], 2)[0]
            for level, roi in zip(own, rois, strict=True)
        ]
        return np.array(cells).reshape(len(rois), size, size, self.spec.channels)

    def boxes(self, levels, rois):
        x = self.seen(levels, rois, 7).reshape(len(rois), 49 * self.spec.channels)
        x = relu(self.dense("box_hidden2", relu(self.dense("box_hidden1", x))))
        return self.dense("box_classes", x), self.dense("box_deltas", x).reshape(len(rois), -1, 4)

    def masks(self, levels, rois):
        """Logits [rois, classes, 28, 28]."""
        x = self.seen(levels, rois, 14)
        for number in (1, 2, 3, 4):
            x = relu(self.layer(f"mask_hidden{number}", x))
        wide = np.zeros((len(x), 28, 28, x.shape[-1]))
        for down in (0, 1):
            for right in (0, 1):
                wide[:, down::2, right::2] = x @ self.weights["mask_wider/kernel"][down, right]
        return np.moveaxis(self.dense("mask_pixels", relu(wide + self.weights["mask_wider/bias"])), -1, 1)

    def losses(self, batch):
        """Each of the five, of the whole batch."""
        sums = dict.fromkeys(("objectness", "anchor", "class", "box", "mask"), 0.0)
        drawn = dict.fromkeys(("anchors", "rois", "objects"), 0)
        for number in range(len(batch["image"])):
            one = {name: array[number] for name, array in batch.items()}
            self._image(one, self.pyramid(one["image"][np.newaxis].astype(float)), sums, drawn)
        counted = {
            "objectness": "anchors",
            "anchor": "anchors",
            "class": "rois",
            "box": "rois",
            "mask": "objects",
        }
        return {name: total / max(drawn[counted[name]], 1) for name, total in sums.items()}

    def _image(self, one, levels, sums, drawn):
        logits, deltas = self.rpn(levels)
        valid, anchors = (one["class"] > 0) & ~one["crowd"], self.spec.all_anchors
        truths = one["boxes"].astype(float)
        ignored = matching.crowded(truths, one["crowd"], anchors, 0.7)
        truth = matching.match(geometry.iou(truths, anchors), valid, 0.3, 0.7, True, True, ignored)
        positive, negative = _drawn(truth, one["anchor_priority"], self.spec.anchors, 2)
        told, moved = np.concatenate(logits), np.concatenate(deltas)
        sums["objectness"] += _logistic(told[positive], 1).sum() + _logistic(told[negative], 0).sum()
        wanted = geometry.encode(truths[truth[positive]], anchors[positive], (1.0, 1.0, 1.0, 1.0))
        sums["anchor"] += _smooth(moved[positive] - wanted, 1 / 9)
        drawn["anchors"] += len(positive) + len(negative)
        rois, of_anchor = self.proposals(logits, deltas, one["extent"], self.spec.train_candidates)
        priority = np.concatenate(
            [one["roi_priority"][of_anchor], one["roi_priority"][len(anchors) :][valid]]
        )
        self._heads(one, levels, np.concatenate([rois, truths[valid]]), priority, valid, sums, drawn)

    def _heads(self, one, levels, rois, priority, valid, sums, drawn):
        truths = one["boxes"].astype(float)
        ignored = matching.crowded(truths, one["crowd"], rois, 0.7)
        truth = matching.match(geometry.iou(truths, rois), valid, 0.5, 0.5, False, False, ignored)
        positive, negative = _drawn(truth, priority, self.spec.rois, 4)
        logits, deltas = self.boxes(levels, rois[np.concatenate([positive, negative])])
        classes = one["class"][truth[positive]]
        wanted = np.concatenate([classes, np.zeros(len(negative), int)])
        sums["class"] += (np.log(np.exp(logits).sum(-1)) - logits[np.arange(len(wanted)), wanted]).sum()
        moved = geometry.encode(truths[truth[positive]], rois[positive], (10.0, 10.0, 5.0, 5.0))
        sums["box"] += _smooth(deltas[np.arange(len(positive)), classes - 1] - moved, 1.0)
        shown = self.masks(levels, rois[positive])[np.arange(len(positive)), classes - 1]
        for logit, at, roi in zip(shown, truth[positive], rois[positive], strict=True):
            sums["mask"] += _logistic(logit, target(one["mask"][at], truths[at], roi)).mean()
        drawn["rois"] += len(wanted)
        drawn["objects"] += len(positive)

    def detections(self, image, extent):
        """Boxes, confidences, classes and masks, the most probable first."""
        levels = self.pyramid(image[np.newaxis].astype(float))
        rois, _ = self.proposals(*self.rpn(levels), extent, self.spec.candidates)
        logits, deltas = self.boxes(levels, rois)
        scores = (np.exp(logits) / np.exp(logits).sum(-1, keepdims=True))[:, 1:]
        best = np.argsort(-scores.ravel(), kind="stable")[: self.spec.box_candidates]
        of_roi, classes = np.divmod(best, scores.shape[1])
        boxes = geometry.decode(deltas[of_roi, classes], rois[of_roi], (10.0, 10.0, 5.0, 5.0))
        boxes = geometry.clipped(boxes, *extent.astype(float))
        there = (scores.ravel()[best] >= self.spec.least_score) & (geometry.areas(boxes) > 0)
        values = np.where(there, scores.ravel()[best], -np.inf)
        kept = suppression.nms_by_class(boxes, values, classes, 0.5, self.spec.detections)
        kept = kept[kept >= 0]
        masks = sigmoid(self.masks(levels, boxes[kept])[np.arange(len(kept)), classes[kept]])
        return boxes[kept], values[kept], classes[kept] + 1, masks


def target(mask, truth, roi):
    """A true mask [56, 56] of its box, read at the centres of 28 x 28 cells of a roi: point by point."""
    found = np.zeros((28, 28))
    for row in range(28):
        for column in range(28):
            y = roi[1] + (row + 0.5) / 28 * (roi[3] - roi[1])
            x = roi[0] + (column + 0.5) / 28 * (roi[2] - roi[0])
            down = (y - truth[1]) / (truth[3] - truth[1]) * 56 - 0.5
            right = (x - truth[0]) / (truth[2] - truth[0]) * 56 - 0.5
            found[row, column] = _between(mask, down, right)
    return found


def _between(mask, down, right):
    """Of four pixels; there is nothing outside."""
    total = 0.0
    for row in (int(np.floor(down)), int(np.floor(down)) + 1):
        for column in (int(np.floor(right)), int(np.floor(right)) + 1):
            if 0 <= row < 56 and 0 <= column < 56:
                total += mask[row, column] * (1 - abs(down - row)) * (1 - abs(right - column))
    return total


def _drawn(truth, priority, count, share):
    """Positive and negative ones, those of the highest priorities."""
    first = np.argsort(-priority, kind="stable")
    positive = first[truth[first] >= 0][: count // share]
    return positive, first[truth[first] == matching.BACKGROUND][: count - len(positive)]


def _logistic(logits, wanted):
    return np.logaddexp(0, logits) - logits * wanted


def _smooth(apart, bend):
    apart = np.abs(apart)
    return np.where(apart < bend, apart**2 / (2 * bend), apart - bend / 2).sum()
