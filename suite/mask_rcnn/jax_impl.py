"""Mask R-CNN in JAX."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import Array, lax

from suite.detection.jax_boxes import areas, crowded, encode, iou, match, taken
from suite.detection.jax_roi_align import roi_align
from suite.detection.matching import BACKGROUND
from suite.mask_rcnn.jax_rois import Boxes, at, detected, drawn, mask_targets, proposed
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
from suite.residual.jax_residual import pooled, standardised
from suite.residual.layers import EPSILON, Layer, stages
from suite.task import TRAIN
from suite.trainers.jax_layers import frozen_norm
from suite.trainers.jax_trainer import Tensors, Trainer


class Impl(Trainer):
    spec: MaskRcnn

    def apply(self, weights: Tensors, batch: Tensors, stage: str) -> tuple[Tensors, Tensors]:
        training = stage == TRAIN
        levels = self._pyramid(weights, batch["image"], training)
        logits, deltas = self._rpn(weights, levels, training)
        edges = jnp.tile(batch["extent"][:, ::-1], 2).astype(deltas.dtype)
        fixed = lax.stop_gradient(logits), lax.stop_gradient(deltas)
        rois, of_anchor = proposed(self.spec, *fixed, edges, training)
        seen = levels[: len(LEVELS)]
        if training:
            valid = (batch["class"] > 0) & ~batch["crowd"]
            losses = self._rpn_losses(batch, valid, logits, deltas)
            return losses | self._losses(weights, batch, valid, seen, rois, of_anchor), {}
        found = self._detections(weights, seen, rois, edges)
        means = jnp.stack([one.mean((1, 2)) for one in levels], 1)
        told = jnp.concatenate([logits.mean(1, keepdims=True), deltas.mean(1)], 1)
        return {**found, "pyramid": means, "told": told}, {}

    def loss(self, outputs: Tensors, batch: Tensors) -> Array:
        return sum(outputs.values())

    def _pyramid(self, weights: Tensors, image: Array, training: bool) -> list[Array]:
        """P2 to P6 of images [n, height, width, 3]."""

        def layer(one: Layer, x: Array) -> Array:
            x = self.convolution(x, weights[f"{one.name}/kernel"], training, one.stride, one.padding)
            return frozen_norm(x, weights, one.norm, EPSILON)

        x = standardised(image, self.dtype, self.narrow)
        *lower, top = stages(x, self.spec.blocks, layer, jax.nn.relu, pooled)
        convolved = partial(self._convolved, weights, training=training)
        merged = [convolved(f"lateral{LEVELS[-1]}", top)]
        for level, one in zip(LEVELS[-2::-1], lower[::-1], strict=True):
            above = merged[-1].repeat(2, 1).repeat(2, 2)
            merged.append(convolved(f"lateral{level}", one) + above)
        found = [convolved(f"level{level}", one) for level, one in zip(LEVELS, merged[::-1], strict=True)]
        return [*found, found[-1][:, ::2, ::2]]

    def _convolved(self, weights: Tensors, name: str, x: Array, training: bool) -> Array:
        kernel = weights[f"{name}/kernel"]
        return self.convolution(x, kernel, training, padding=len(kernel) // 2) + weights[f"{name}/bias"]

    def _rpn(self, weights: Tensors, levels: list[Array], training: bool) -> tuple[Array, Array]:
        """Logits [n, anchors] and deltas [n, anchors, 4]."""
        hidden = [jax.nn.relu(self._convolved(weights, "rpn_hidden", one, training)) for one in levels]
        hidden = jnp.concatenate([one.reshape(len(one), -1, one.shape[-1]) for one in hidden], 1)
        logits = _dense(weights, "rpn_objects", hidden).reshape(len(hidden), -1)
        return logits, _dense(weights, "rpn_deltas", hidden).reshape(*logits.shape, CORNERS)

    def _rpn_losses(self, batch: Tensors, valid: Array, logits: Array, deltas: Array) -> Tensors:
        truths, anchors = batch["boxes"], jnp.asarray(self.spec.all_anchors, deltas.dtype)
        ignored = crowded(truths, batch["crowd"], anchors, CROWDED)
        truth = match(
            iou(truths, anchors), valid, RPN_LOW, RPN_HIGH, force_best=True, all_ties=True, ignored=ignored
        )
        both = truth >= 0, truth == BACKGROUND
        places, positive, there = drawn(batch["anchor_priority"], *both, self.spec.anchors, RPN_POSITIVE)
        objectness = _logistic(at(logits, places), positive)
        boxes = taken(truths, jnp.maximum(at(truth, places), 0))
        wanted = encode(boxes, anchors[places], RPN_WEIGHTS)
        apart = _smooth(taken(deltas, places), wanted, RPN_BEND)
        return {
            "objectness_loss": _mean(objectness, there, there),
            "anchor_loss": _mean(apart, positive, there),
        }

    def _losses(
        self, weights: Tensors, batch: Tensors, valid: Array, seen: list[Array], rois: Boxes, of_anchor: Array
    ) -> Tensors:
        """Of both heads, by rois that are drawn of the proposals and of the true boxes."""
        truths, priority = batch["boxes"], batch["roi_priority"]
        boxes, there = jnp.concatenate([rois[0], truths], 1), jnp.concatenate([rois[1], valid], 1)
        priority = jnp.concatenate([at(priority, of_anchor), priority[:, -truths.shape[1] :]], 1)
        ignored = crowded(truths, batch["crowd"], boxes, CROWDED)
        truth = match(iou(truths, boxes), valid, BOX_HIGH, BOX_HIGH, force_best=False, ignored=ignored)
        both = (truth >= 0) & there, (truth == BACKGROUND) & there
        places, positive, there = drawn(priority, *both, self.spec.rois, BOX_POSITIVE)
        boxes, truth = taken(boxes, places), jnp.maximum(at(truth, places), 0)
        classes = jnp.where(positive, at(batch["class"], truth), 0)
        logits, deltas = self._boxes(weights, seen, boxes)
        apart = -at(jax.nn.log_softmax(logits), classes[..., None])[..., 0]
        moved = _smooth(
            _of_class(deltas, classes), encode(taken(truths, truth), boxes, BOX_WEIGHTS), BOX_BEND
        )
        return {
            "class_loss": _mean(apart, there, there),
            "box_loss": _mean(moved, positive, there),
            "mask_loss": self._mask_loss(weights, batch, seen, (boxes, truth, classes)),
        }

    def _mask_loss(
        self, weights: Tensors, batch: Tensors, seen: list[Array], rois: tuple[Array, ...]
    ) -> Array:
        """Of objects, which come first."""
        boxes, truth, classes = (one[:, : self.spec.rois // BOX_POSITIVE] for one in rois)
        masks = jnp.take_along_axis(batch["mask"], truth[..., None, None], 1).astype(boxes.dtype)
        wanted = mask_targets(masks, taken(batch["boxes"], truth), boxes)
        apart = _logistic(self._masks(weights, seen, boxes, classes, training=True), wanted).mean((-2, -1))
        return _mean(apart, classes > 0, classes > 0)

    def _detections(self, weights: Tensors, seen: list[Array], rois: Boxes, edges: Array) -> Tensors:
        logits, deltas = self._boxes(weights, seen, rois[0])
        scores, deltas = jax.nn.softmax(logits)[..., 1:], deltas.reshape(len(logits), -1, CORNERS)
        boxes, confidences, classes = detected(self.spec, scores, deltas, rois, edges)
        masks = jax.nn.sigmoid(self._masks(weights, seen, boxes, classes, training=False))
        masks = jnp.where((classes > 0)[..., None, None], masks, 0)
        return {"boxes": boxes, "confidences": confidences, "classes": classes, "masks": masks}

    def _boxes(self, weights: Tensors, seen: list[Array], rois: Array) -> tuple[Array, Array]:
        """Logits [n, k, 1 + classes] and deltas [n, k, classes, 4]."""
        x = self._aligned(seen, rois, BOX_POOL).reshape(*rois.shape[:2], -1)
        for name in ("box_hidden1", "box_hidden2"):
            x = jax.nn.relu(_dense(weights, name, x))
        deltas = _dense(weights, "box_deltas", x)
        return _dense(weights, "box_classes", x), deltas.reshape(*rois.shape[:2], self.spec.classes, -1)

    def _masks(
        self, weights: Tensors, seen: list[Array], rois: Array, classes: Array, training: bool
    ) -> Array:
        """Logits of each roi's class [n, k, 28, 28]."""
        x = self._aligned(seen, rois, MASK_POOL)
        x, convolved = x.reshape(-1, *x.shape[2:]), partial(self._convolved, weights, training=training)
        for number in range(1, HIDDEN_MASKS + 1):
            x = jax.nn.relu(convolved(f"mask_hidden{number}", x))
        wide = jnp.einsum("nijc,abcd->niajbd", x, weights["mask_wider/kernel"])
        wide = wide.reshape(len(x), WIDER * x.shape[1], WIDER * x.shape[2], -1) + weights["mask_wider/bias"]
        x = _dense(weights, "mask_pixels", jax.nn.relu(wide))
        places = jnp.maximum(classes - 1, 0).reshape(-1, 1, 1, 1)
        return jnp.take_along_axis(x, places, -1).reshape(*classes.shape, *x.shape[1:-1])

    def _aligned(self, seen: list[Array], rois: Array, size: int) -> Array:
        begins = jnp.asarray(self.spec.level_areas, rois.dtype)
        levels = (areas(rois)[..., None] >= begins).sum(-1)
        return roi_align(seen, rois, levels, STRIDES, size)


def _dense(weights: Tensors, name: str, x: Array) -> Array:
    return x @ weights[f"{name}/kernel"] + weights[f"{name}/bias"]


def _of_class(values: Array, classes: Array) -> Array:
    """Of [n, k, classes, ...] those of each one's class [n, k]; of none any."""
    n, k = (jnp.arange(size) for size in classes.shape)
    return values[n[:, None], k, jnp.maximum(classes - 1, 0)]


def _logistic(logits: Array, wanted: Array) -> Array:
    return jax.nn.softplus(logits) - logits * wanted


def _smooth(found: Array, wanted: Array, bend: float) -> Array:
    """Smooth L1, summed over the last axis."""
    apart = jnp.abs(found - wanted)
    return jnp.where(apart < bend, apart * apart / (2 * bend), apart - bend / 2).sum(-1)


def _mean(losses: Array, counted: Array, among: Array) -> Array:
    """The sum of those that are `counted`, for each `among`."""
    return jnp.where(counted, losses, 0).sum() / jnp.maximum(among.sum(), 1)
