"""Mask R-CNN in Keras."""

from __future__ import annotations

from typing import Any

import keras
from keras import ops

from suite.detection.keras_boxes import areas, crowded, encode, iou, match, taken
from suite.detection.keras_roi_align import roi_align
from suite.detection.matching import BACKGROUND
from suite.mask_rcnn.keras_rois import Boxes, at, constant, detected, drawn, mask_targets, proposed
from suite.mask_rcnn.layers import (
    BOX_BEND,
    BOX_HIGH,
    BOX_POOL,
    BOX_POSITIVE,
    BOX_WEIGHTS,
    CORNERS,
    CROWDED,
    HIDDEN_MASKS,
    LEVELS,
    MASK_POOL,
    RPN_BEND,
    RPN_HIGH,
    RPN_LOW,
    RPN_POSITIVE,
    RPN_WEIGHTS,
    STRIDES,
    WIDER,
)
from suite.mask_rcnn.spec import MaskRcnn
from suite.residual.keras_residual import standardised
from suite.residual.layers import EPSILON, POOL_PADDING, POOL_SIZE, POOL_STRIDE, Layer, stages
from suite.task import TRAIN
from suite.trainers.keras_layers import Weights, frozen_norm
from suite.trainers.keras_stages import Trainer
from suite.trainers.keras_trainer import Tensors


class Net(keras.Model):
    """Holds the weights; what is done with them is the implementation's."""

    def __init__(self, spec: MaskRcnn) -> None:
        super().__init__()
        names = dict.fromkeys(name.split("/")[0] for name in spec.shapes)
        self.parts = [Weights(name, spec.shapes) for name in names]
        self.built = True

    def named(self) -> Tensors:
        return {f"{one.name}/{word}": array for one in self.parts for word, array in one.words.items()}


class Impl(Trainer):
    spec: MaskRcnn

    def network(self) -> keras.Model:
        return Net(self.spec)

    def apply(self, net: keras.Model, batch: Tensors, stage: str) -> Tensors:
        weights = net.named()
        levels = _pyramid(self.spec, weights, batch["image"])
        logits, deltas = _rpn(weights, levels)
        edges = ops.cast(ops.tile(ops.flip(batch["extent"], -1), (1, 2)), deltas.dtype)
        training, fixed = stage == TRAIN, (ops.stop_gradient(logits), ops.stop_gradient(deltas))
        rois, of_anchor = proposed(self.spec, *fixed, edges, training)
        seen = levels[: len(LEVELS)]
        if training:
            valid = ops.logical_and(batch["class"] > 0, ops.logical_not(batch["crowd"]))
            losses = self._rpn_losses(batch, valid, logits, deltas)
            return losses | self._losses(weights, batch, valid, seen, rois, of_anchor)
        found = self._detections(weights, seen, rois, edges)
        means = ops.stack([ops.mean(one, (1, 2)) for one in levels], 1)
        told = ops.concatenate([ops.mean(logits, 1, keepdims=True), ops.mean(deltas, 1)], 1)
        return {**found, "pyramid": means, "told": told}

    def loss(self, outputs: Tensors, batch: Tensors) -> Any:
        return sum(outputs.values())

    def _rpn_losses(self, batch: Tensors, valid: Any, logits: Any, deltas: Any) -> Tensors:
        truths, anchors = batch["boxes"], ops.convert_to_tensor(self.spec.all_anchors, deltas.dtype)
        ignored = crowded(truths, batch["crowd"], anchors, CROWDED)
        truth = match(
            iou(truths, anchors), valid, RPN_LOW, RPN_HIGH, force_best=True, all_ties=True, ignored=ignored
        )
        both = truth >= 0, truth == BACKGROUND
        places, positive, there = drawn(batch["anchor_priority"], *both, self.spec.anchors, RPN_POSITIVE)
        objectness = _logistic(at(logits, places), ops.cast(positive, logits.dtype))
        boxes = taken(truths, ops.maximum(at(truth, places), 0))
        wanted = encode(boxes, ops.take(anchors, places, axis=0), RPN_WEIGHTS)
        apart = _smooth(taken(deltas, places), wanted, RPN_BEND)
        return {
            "objectness_loss": _mean(objectness, there, there),
            "anchor_loss": _mean(apart, positive, there),
        }

    def _losses(
        self, weights: Tensors, batch: Tensors, valid: Any, seen: list[Any], rois: Boxes, of_anchor: Any
    ) -> Tensors:
        """Of both heads, by rois that are drawn of the proposals and of the true boxes."""
        truths, priority = batch["boxes"], batch["roi_priority"]
        boxes, there = ops.concatenate([rois[0], truths], 1), ops.concatenate([rois[1], valid], 1)
        priority = ops.concatenate([at(priority, of_anchor), priority[:, -truths.shape[1] :]], 1)
        ignored = crowded(truths, batch["crowd"], boxes, CROWDED)
        truth = match(iou(truths, boxes), valid, BOX_HIGH, BOX_HIGH, force_best=False, ignored=ignored)
        both = ops.logical_and(truth >= 0, there), ops.logical_and(truth == BACKGROUND, there)
        places, positive, there = drawn(priority, *both, self.spec.rois, BOX_POSITIVE)
        boxes, truth = taken(boxes, places), ops.maximum(at(truth, places), 0)
        classes = ops.where(positive, at(batch["class"], truth), 0)
        logits, deltas = self._boxes(weights, seen, boxes)
        apart = ops.sparse_categorical_crossentropy(classes, logits, from_logits=True)
        moved = _smooth(
            _of_class(deltas, classes), encode(taken(truths, truth), boxes, BOX_WEIGHTS), BOX_BEND
        )
        return {
            "class_loss": _mean(apart, there, there),
            "box_loss": _mean(moved, positive, there),
            "mask_loss": self._mask_loss(weights, batch, seen, (boxes, truth, classes)),
        }

    def _mask_loss(self, weights: Tensors, batch: Tensors, seen: list[Any], rois: tuple[Any, ...]) -> Any:
        """Of objects, which come first."""
        boxes, truth, classes = (one[:, : self.spec.rois // BOX_POSITIVE] for one in rois)
        masks = ops.cast(ops.take_along_axis(batch["mask"], truth[..., None, None], 1), boxes.dtype)
        wanted = mask_targets(masks, taken(batch["boxes"], truth), boxes)
        apart = ops.mean(_logistic(self._masks(weights, seen, boxes, classes), wanted), (-2, -1))
        return _mean(apart, classes > 0, classes > 0)

    def _detections(self, weights: Tensors, seen: list[Any], rois: Boxes, edges: Any) -> Tensors:
        logits, deltas = self._boxes(weights, seen, rois[0])
        scores = ops.softmax(logits)[..., 1:]
        deltas = ops.reshape(deltas, (-1, deltas.shape[1] * self.spec.classes, CORNERS))
        boxes, confidences, classes = detected(self.spec, scores, deltas, rois, edges)
        masks = ops.sigmoid(self._masks(weights, seen, boxes, classes))
        masks = ops.where((classes > 0)[..., None, None], masks, ops.zeros_like(masks))
        return {"boxes": boxes, "confidences": confidences, "classes": classes, "masks": masks}

    def _boxes(self, weights: Tensors, seen: list[Any], rois: Any) -> tuple[Any, Any]:
        """Logits [n, k, 1 + classes] and deltas [n, k, classes, 4]."""
        k = rois.shape[1]

        x = self._aligned(seen, rois, BOX_POOL)
        x = ops.reshape(x, (-1, BOX_POOL * BOX_POOL * x.shape[-1]))
        for name in ("box_hidden1", "box_hidden2"):
            x = ops.relu(_dense(weights, name, x))
        logits, deltas = (_dense(weights, name, x) for name in ("box_classes", "box_deltas"))
        return ops.reshape(logits, (-1, k, 1 + self.spec.classes)), ops.reshape(
            deltas, (-1, k, self.spec.classes, rois.shape[-1])
        )

    def _masks(self, weights: Tensors, seen: list[Any], rois: Any, classes: Any) -> Any:
        """Logits of each roi's class [n, k, 28, 28]."""
        x = self._aligned(seen, rois, MASK_POOL)
        x = ops.reshape(x, (-1, *x.shape[2:]))
        for number in range(1, HIDDEN_MASKS + 1):
            x = ops.relu(_convolved(weights, f"mask_hidden{number}", x))
        wide = ops.einsum("nijc,abcd->niajbd", x, weights["mask_wider/kernel"])
        wide = ops.reshape(wide, (-1, WIDER * MASK_POOL, WIDER * MASK_POOL, wide.shape[-1]))
        x = _dense(weights, "mask_pixels", ops.relu(wide + weights["mask_wider/bias"]))
        places = ops.reshape(ops.maximum(classes - 1, 0), (-1, 1, 1, 1))
        return ops.reshape(ops.take_along_axis(x, places, -1), (-1, classes.shape[1], *x.shape[1:-1]))

    def _aligned(self, seen: list[Any], rois: Any, size: int) -> Any:
        begins = ops.convert_to_tensor(self.spec.level_areas, rois.dtype)
        levels = ops.sum(ops.cast(ops.expand_dims(areas(rois), -1) >= begins, "int32"), -1)
        return roi_align(seen, rois, levels, STRIDES, size)


def _pyramid(spec: MaskRcnn, weights: Tensors, image: Any) -> list[Any]:
    """P2 to P6 of images [n, height, width, 3]."""
    wide = weights["stem/kernel"].dtype

    def layer(one: Layer, x: Any) -> Any:
        same = one.stride == 1
        x = ops.conv(
            x if same else _padded(x, one.padding),
            weights[f"{one.name}/kernel"],
            one.stride,
            "same" if same else "valid",
        )
        return frozen_norm(x, weights, one.norm, EPSILON)

    x = standardised(image, wide, wide)
    *lower, top = stages(x, spec.blocks, layer, ops.relu, _pooled)
    merged = [_convolved(weights, f"lateral{LEVELS[-1]}", top)]
    for level, one in zip(LEVELS[-2::-1], lower[::-1], strict=True):
        above = ops.repeat(ops.repeat(merged[-1], 2, 1), 2, 2)
        merged.append(_convolved(weights, f"lateral{level}", one) + above)
    found = [
        _convolved(weights, f"level{level}", one) for level, one in zip(LEVELS, merged[::-1], strict=True)
    ]
    return [*found, found[-1][:, ::2, ::2]]


def _rpn(weights: Tensors, levels: list[Any]) -> tuple[Any, Any]:
    """Logits [n, anchors] and deltas [n, anchors, 4]."""
    hidden = [ops.relu(_convolved(weights, "rpn_hidden", one)) for one in levels]
    hidden = ops.concatenate(
        [ops.reshape(one, (-1, one.shape[1] * one.shape[2], one.shape[-1])) for one in hidden], 1
    )
    logits = _dense(weights, "rpn_objects", hidden)
    logits = ops.reshape(logits, (-1, logits.shape[1] * logits.shape[2]))
    return logits, ops.reshape(_dense(weights, "rpn_deltas", hidden), (-1, logits.shape[1], CORNERS))


def _dense(weights: Tensors, name: str, x: Any) -> Any:
    return ops.matmul(x, weights[f"{name}/kernel"]) + weights[f"{name}/bias"]


def _convolved(weights: Tensors, name: str, x: Any) -> Any:
    return ops.conv(x, weights[f"{name}/kernel"], padding="same") + weights[f"{name}/bias"]


def _padded(x: Any, padding: int) -> Any:
    around = [padding, padding]
    return ops.pad(x, [[0, 0], around, around, [0, 0]])


def _pooled(x: Any) -> Any:
    return ops.max_pool(_padded(x, POOL_PADDING), POOL_SIZE, POOL_STRIDE)


def _of_class(values: Any, classes: Any) -> Any:
    """Of [n, k, classes, ...] those of each one's class [n, k]; of none any."""
    places = ops.maximum(classes - 1, 0)
    places = ops.reshape(places, (-1, classes.shape[1], *[1] * (len(values.shape) - 2)))
    return ops.squeeze(ops.take_along_axis(values, places, 2), 2)


def _logistic(logits: Any, wanted: Any) -> Any:
    return ops.softplus(logits) - logits * wanted


def _smooth(found: Any, wanted: Any, bend: float) -> Any:
    """Smooth L1, summed over the last axis."""
    apart, bend = ops.abs(found - wanted), constant(bend, found)
    return ops.sum(ops.where(apart < bend, apart * apart / (2 * bend), apart - bend / 2), -1)


def _mean(losses: Any, counted: Any, among: Any) -> Any:
    """The sum of those that are `counted`, for each `among`."""
    several = ops.maximum(ops.sum(ops.cast(among, losses.dtype)), 1)
    return ops.sum(ops.where(counted, losses, ops.zeros_like(losses))) / several
