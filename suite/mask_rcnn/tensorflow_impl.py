"""Mask R-CNN in TensorFlow."""

from __future__ import annotations

from functools import partial

import tensorflow as tf

from suite.detection.matching import BACKGROUND
from suite.detection.tensorflow_boxes import areas, crowded, encode, iou, match, taken
from suite.detection.tensorflow_roi_align import roi_align
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
from suite.mask_rcnn.tensorflow_rois import Boxes, detected, drawn, mask_targets, proposed
from suite.residual.layers import EPSILON, Layer, stages
from suite.residual.tensorflow_residual import pooled, standardised
from suite.task import TRAIN
from suite.trainers.tensorflow_layers import convolution, flattened, frozen_norm
from suite.trainers.tensorflow_trainer import Tensors, Trainer


class Impl(Trainer):
    spec: MaskRcnn

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        levels = self._pyramid(weights, batch["image"])
        logits, deltas = self._rpn(weights, levels)
        edges = tf.cast(tf.tile(batch["extent"][:, ::-1], [1, 2]), deltas.dtype)
        training, fixed = stage == TRAIN, (tf.stop_gradient(logits), tf.stop_gradient(deltas))
        rois, of_anchor = proposed(self.spec, *fixed, edges, training)
        seen = levels[: len(LEVELS)]
        if training:
            valid = (batch["class"] > 0) & ~batch["crowd"]
            losses = self._rpn_losses(batch, valid, logits, deltas)
            return losses | self._losses(weights, batch, valid, seen, rois, of_anchor), {}
        found = self._detections(weights, seen, rois, edges)
        means = tf.stack([tf.reduce_mean(one, [1, 2]) for one in levels], 1)
        told = tf.concat([tf.reduce_mean(logits, 1, keepdims=True), tf.reduce_mean(deltas, 1)], 1)
        return {**found, "pyramid": means, "told": told}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> tf.Tensor:
        return tf.add_n(list(outputs.values()))

    def _pyramid(self, weights: Tensors, image: tf.Tensor) -> list[tf.Tensor]:
        """P2 to P6 of images [n, height, width, 3]."""

        def layer(one: Layer, x: tf.Tensor) -> tf.Tensor:
            x = convolution(x, weights[f"{one.name}/kernel"], one.stride, one.padding)
            return frozen_norm(x, weights, one.norm, EPSILON)

        x = standardised(image, self.dtype, self.narrow)
        *lower, top = stages(x, self.spec.blocks, layer, tf.nn.relu, pooled)
        convolved = partial(_convolved, weights)
        merged = [convolved(f"lateral{LEVELS[-1]}", top)]
        for level, one in zip(LEVELS[-2::-1], lower[::-1], strict=True):
            above = tf.repeat(tf.repeat(merged[-1], 2, 1), 2, 2)
            merged.append(convolved(f"lateral{level}", one) + above)
        found = [convolved(f"level{level}", one) for level, one in zip(LEVELS, merged[::-1], strict=True)]
        return [*found, found[-1][:, ::2, ::2]]

    def _rpn(self, weights: Tensors, levels: list[tf.Tensor]) -> tuple[tf.Tensor, tf.Tensor]:
        """Logits [n, anchors] and deltas [n, anchors, 4]."""
        hidden = [tf.nn.relu(_convolved(weights, "rpn_hidden", one)) for one in levels]
        hidden = tf.concat(
            [tf.reshape(one, [-1, one.shape[1] * one.shape[2], one.shape[-1]]) for one in hidden], 1
        )
        logits = flattened(_dense(weights, "rpn_objects", hidden))
        return logits, tf.reshape(_dense(weights, "rpn_deltas", hidden), [-1, logits.shape[1], CORNERS])

    def _rpn_losses(self, batch: Tensors, valid: tf.Tensor, logits: tf.Tensor, deltas: tf.Tensor) -> Tensors:
        truths, anchors = batch["boxes"], tf.constant(self.spec.all_anchors, deltas.dtype)
        ignored = crowded(truths, batch["crowd"], anchors, CROWDED)
        truth = match(
            iou(truths, anchors), valid, RPN_LOW, RPN_HIGH, force_best=True, all_ties=True, ignored=ignored
        )
        both = truth >= 0, truth == BACKGROUND
        places, positive, there = drawn(batch["anchor_priority"], *both, self.spec.anchors, RPN_POSITIVE)
        objectness = _logistic(taken(logits, places), tf.cast(positive, logits.dtype))
        boxes = taken(truths, tf.maximum(taken(truth, places), 0))
        wanted = encode(boxes, tf.gather(anchors, places), RPN_WEIGHTS)
        apart = _smooth(taken(deltas, places), wanted, RPN_BEND)
        return {
            "objectness_loss": _mean(objectness, there, there),
            "anchor_loss": _mean(apart, positive, there),
        }

    def _losses(
        self,
        weights: Tensors,
        batch: Tensors,
        valid: tf.Tensor,
        seen: list[tf.Tensor],
        rois: Boxes,
        of_anchor: tf.Tensor,
    ) -> Tensors:
        """Of both heads, by rois that are drawn of the proposals and of the true boxes."""
        truths, priority = batch["boxes"], batch["roi_priority"]
        boxes, there = tf.concat([rois[0], truths], 1), tf.concat([rois[1], valid], 1)
        priority = tf.concat([taken(priority, of_anchor), priority[:, -truths.shape[1] :]], 1)
        ignored = crowded(truths, batch["crowd"], boxes, CROWDED)
        truth = match(iou(truths, boxes), valid, BOX_HIGH, BOX_HIGH, force_best=False, ignored=ignored)
        both = (truth >= 0) & there, (truth == BACKGROUND) & there
        places, positive, there = drawn(priority, *both, self.spec.rois, BOX_POSITIVE)
        boxes, truth = taken(boxes, places), tf.maximum(taken(truth, places), 0)
        classes = tf.where(positive, taken(batch["class"], truth), 0)
        logits, deltas = self._boxes(weights, seen, boxes)
        apart = tf.nn.sparse_softmax_cross_entropy_with_logits(classes, logits)
        moved = _smooth(
            _of_class(deltas, classes), encode(taken(truths, truth), boxes, BOX_WEIGHTS), BOX_BEND
        )
        return {
            "class_loss": _mean(apart, there, there),
            "box_loss": _mean(moved, positive, there),
            "mask_loss": self._mask_loss(weights, batch, seen, (boxes, truth, classes)),
        }

    def _mask_loss(
        self, weights: Tensors, batch: Tensors, seen: list[tf.Tensor], rois: tuple[tf.Tensor, ...]
    ) -> tf.Tensor:
        """Of objects, which come first."""
        boxes, truth, classes = (one[:, : self.spec.rois // BOX_POSITIVE] for one in rois)
        masks = tf.cast(taken(batch["mask"], truth), boxes.dtype)
        wanted = mask_targets(masks, taken(batch["boxes"], truth), boxes)
        apart = tf.reduce_mean(_logistic(self._masks(weights, seen, boxes, classes), wanted), [-2, -1])
        return _mean(apart, classes > 0, classes > 0)

    def _detections(self, weights: Tensors, seen: list[tf.Tensor], rois: Boxes, edges: tf.Tensor) -> Tensors:
        logits, deltas = self._boxes(weights, seen, rois[0])
        scores, deltas = (
            tf.nn.softmax(logits)[..., 1:],
            tf.reshape(deltas, [-1, deltas.shape[1] * self.spec.classes, CORNERS]),
        )
        boxes, confidences, classes = detected(self.spec, scores, deltas, rois, edges)
        masks = tf.sigmoid(self._masks(weights, seen, boxes, classes))
        masks = tf.where((classes > 0)[..., tf.newaxis, tf.newaxis], masks, tf.zeros((), masks.dtype))
        return {"boxes": boxes, "confidences": confidences, "classes": classes, "masks": masks}

    def _boxes(self, weights: Tensors, seen: list[tf.Tensor], rois: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Logits [n, k, 1 + classes] and deltas [n, k, classes, 4]."""
        k = rois.shape[1]

        x = self._aligned(seen, rois, BOX_POOL)
        x = tf.reshape(x, [-1, BOX_POOL * BOX_POOL * x.shape[-1]])
        for name in ("box_hidden1", "box_hidden2"):
            x = tf.nn.relu(_dense(weights, name, x))
        logits, deltas = (_dense(weights, name, x) for name in ("box_classes", "box_deltas"))
        return tf.reshape(logits, [-1, k, 1 + self.spec.classes]), tf.reshape(
            deltas, [-1, k, self.spec.classes, CORNERS]
        )

    def _masks(
        self, weights: Tensors, seen: list[tf.Tensor], rois: tf.Tensor, classes: tf.Tensor
    ) -> tf.Tensor:
        """Logits of each roi's class [n, k, 28, 28]."""
        x = self._aligned(seen, rois, MASK_POOL)
        x = tf.reshape(x, [-1, *x.shape[2:]])
        for number in range(1, HIDDEN_MASKS + 1):
            x = tf.nn.relu(_convolved(weights, f"mask_hidden{number}", x))
        wide = tf.einsum("nijc,abcd->niajbd", x, weights["mask_wider/kernel"])
        wide = tf.reshape(wide, [-1, WIDER * MASK_POOL, WIDER * MASK_POOL, wide.shape[-1]])
        x = _dense(weights, "mask_pixels", tf.nn.relu(wide + weights["mask_wider/bias"]))
        places = tf.reshape(tf.maximum(classes - 1, 0), [-1])
        found = tf.gather(x, places, axis=-1, batch_dims=1)
        return tf.reshape(found, [-1, classes.shape[1], *found.shape[1:]])

    def _aligned(self, seen: list[tf.Tensor], rois: tf.Tensor, size: int) -> tf.Tensor:
        begins = tf.constant(self.spec.level_areas, rois.dtype)
        levels = tf.reduce_sum(tf.cast(areas(rois)[..., tf.newaxis] >= begins, tf.int32), -1)
        return roi_align(seen, rois, levels, STRIDES, size)


def _convolved(weights: Tensors, name: str, x: tf.Tensor) -> tf.Tensor:
    kernel = weights[f"{name}/kernel"]
    return convolution(x, kernel, padding=kernel.shape[0] // 2) + weights[f"{name}/bias"]


def _dense(weights: Tensors, name: str, x: tf.Tensor) -> tf.Tensor:
    return tf.tensordot(x, weights[f"{name}/kernel"], 1) + weights[f"{name}/bias"]


def _of_class(values: tf.Tensor, classes: tf.Tensor) -> tf.Tensor:
    """Of [n, k, classes, ...] those of each one's class [n, k]; of none any."""
    return tf.gather(values, tf.maximum(classes - 1, 0), batch_dims=2)


def _logistic(logits: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
    return tf.nn.sigmoid_cross_entropy_with_logits(wanted, logits)


def _smooth(found: tf.Tensor, wanted: tf.Tensor, bend: float) -> tf.Tensor:
    """Smooth L1, summed over the last axis."""
    apart = tf.abs(found - wanted)
    return tf.reduce_sum(tf.where(apart < bend, apart * apart / (2 * bend), apart - bend / 2), -1)


def _mean(losses: tf.Tensor, counted: tf.Tensor, among: tf.Tensor) -> tf.Tensor:
    """The sum of those that are `counted`, for each `among`."""
    several = tf.maximum(tf.reduce_sum(tf.cast(among, losses.dtype)), 1)
    return tf.reduce_sum(tf.where(counted, losses, tf.zeros((), losses.dtype))) / several
