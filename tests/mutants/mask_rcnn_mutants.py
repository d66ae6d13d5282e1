"""Faults in Mask R-CNN, each in one framework."""

from __future__ import annotations

from tests.mutants.planted import Mutant


def _mask(framework: str, name: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"{framework}-mask-{name}", framework, "mask_rcnn", file, old, new)


MUTANTS = [
    _mask("torch", "half-a-feature-aside", "detection/torch_roi_align.py", "stride[..., None] - 0.5)", "stride[..., None])"),
    _mask("jax", "half-a-feature-aside", "detection/jax_roi_align.py", "stride[..., None] - 0.5, -1, 0)", "stride[..., None], -1, 0)"),
    _mask("torch", "suppressed-by-as-much-as-allowed", "detection/torch_boxes.py", "(iou(boxes, boxes) > threshold)", "(iou(boxes, boxes) >= threshold)"),
    _mask("jax", "suppressed-by-as-much-as-allowed", "detection/jax_boxes.py", "(iou(boxes, boxes) > threshold)", "(iou(boxes, boxes) >= threshold)"),
    _mask("keras", "suppressed-by-other-classes", "mask_rcnn/keras_rois.py", "spec.box_overlap, classes)", "spec.box_overlap)"),
    _mask("jax", "anchors-of-rows-for-columns", "mask_rcnn/jax_impl.py", "jnp.asarray(self.spec.all_anchors, deltas.dtype)", "jnp.asarray(self.spec.all_anchors[:, [1, 0, 3, 2]], deltas.dtype)"),
    _mask("tensorflow", "crowds-counted", "mask_rcnn/tensorflow_impl.py", '(batch["class"] > 0) & ~batch["crowd"]', 'batch["class"] > 0'),
    _mask("torch", "within-crowds-nothing", "mask_rcnn/torch_impl.py", 'ignored = crowded(truths, batch["crowd"], boxes, CROWDED)', "ignored = None"),
    _mask("keras", "normalisation-not-frozen", "trainers/keras_layers.py", "trainable=trains(word)", "trainable=True"),
    _mask("jax", "variance-for-deviation", "trainers/jax_layers.py", "(x.astype(gamma.dtype) - mean) * (gamma * lax.rsqrt(variance + epsilon))", "(x.astype(gamma.dtype) - mean) * (gamma / (variance + epsilon))"),
    _mask("tensorflow", "frozen-mean-forgotten", "trainers/tensorflow_layers.py", "(tf.cast(x, scale.dtype) - mean) * scale + beta", "tf.cast(x, scale.dtype) * scale + beta"),
    _mask("torch", "frozen-shift-for-mean", "trainers/torch_layers.py", "addcmul(self.frozen_beta, self.mean, scale, value=-1)", "addcmul(self.mean, self.frozen_beta, scale, value=-1)"),
    _mask("torch", "from-the-level-above", "mask_rcnn/torch_impl.py", "(areas(rois)[..., None] >= begins).sum(-1)", "(areas(rois)[..., None] >= begins / 4).sum(-1)"),
    _mask("tensorflow", "mask-of-the-next-class", "mask_rcnn/tensorflow_impl.py", "places = tf.reshape(tf.maximum(classes - 1, 0), [-1])", "places = tf.reshape(classes % self.spec.classes, [-1])"),
    _mask("jax", "mask-of-the-whole-object", "mask_rcnn/jax_impl.py", 'mask_targets(masks, taken(batch["boxes"], truth), boxes)', "mask_targets(masks, boxes, boxes)"),
    _mask("tensorflow", "draws-the-lowest", "mask_rcnn/tensorflow_rois.py", "tf.where(negative, priority, -1))", "tf.where(negative, MOST_PRIORITY - 1 - priority, -1))"),
    _mask("keras", "boxes-beyond-the-image", "mask_rcnn/keras_rois.py", "ops.minimum(ops.maximum(boxes, 0), ops.expand_dims(edges, 1))", "ops.maximum(boxes, 0)"),
    _mask("jax", "too-many-objects-drawn", "mask_rcnn/jax_rois.py", "best(jnp.where(positive, priority, -1), count // share)", "best(jnp.where(positive, priority, -1), count // share + 1)"),
]  # fmt: skip
