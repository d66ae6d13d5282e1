"""Mask R-CNN in PyTorch."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from suite.detection.matching import BACKGROUND
from suite.detection.torch_boxes import areas, crowded, encode, iou, match, taken
from suite.detection.torch_roi_align import roi_align
from suite.mask_rcnn.layers import (
    BOX_BEND,
    BOX_HIGH,
    BOX_POOL,
    BOX_POSITIVE,
    BOX_WEIGHTS,
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
)
from suite.mask_rcnn.spec import MaskRcnn
from suite.mask_rcnn.torch_rois import Boxes, detected, drawn, mask_targets, proposed
from suite.residual.layers import EPSILON, Layer, stages
from suite.residual.torch_residual import Standardised, pooled
from suite.task import TRAIN
from suite.trainers.torch_layers import FrozenNorm
from suite.trainers.torch_trainer import Tensors, Trainer


class Net(nn.Module):
    def __init__(self, spec: MaskRcnn) -> None:
        super().__init__()
        self.spec = spec
        for one in spec.backbone:
            wide = one.channels_in, one.channels, one.size
            self.add_module(one.name, nn.Conv2d(*wide, one.stride, one.padding, bias=False))
            self.add_module(one.norm, FrozenNorm(one.channels, EPSILON))
        for name, shape in spec.heads.items():
            self.add_module(name, _layer(name, shape))
        self.standardised = Standardised()
        anchors = torch.from_numpy(spec.all_anchors)
        self.register_buffer("all_anchors", anchors, persistent=False)

    def forward(self, batch: Tensors, stage: str) -> Tensors:
        levels = self._pyramid(batch["image"])
        logits, deltas = self._rpn(levels)
        edges = batch["extent"].flip(-1).repeat(1, 2).to(deltas.dtype)
        training = stage == TRAIN
        with torch.no_grad():
            rois, of_anchor = proposed(self.spec, self.all_anchors, logits, deltas, edges, training)
        # Channels last, as they lie in memory.
        seen = [one.movedim(1, -1) for one in levels[: len(LEVELS)]]
        if training:
            valid = (batch["class"] > 0) & ~batch["crowd"]
            return self._rpn_losses(batch, valid, logits, deltas) | self._losses(
                batch, valid, seen, rois, of_anchor
            )
        found = self._detections(seen, rois, edges)
        means = torch.stack([one.mean((-2, -1)) for one in levels], 1)
        return {
            **found,
            "pyramid": means,
            "told": torch.cat([logits.mean(1, keepdim=True), deltas.mean(1)], 1),
        }

    def _pyramid(self, image: torch.Tensor) -> list[torch.Tensor]:
        """P2 to P6 of images [n, 3, height, width]."""
        x = self.standardised(image)
        *lower, top = stages(x, self.spec.blocks, self._residual, _relu, pooled)
        merged = [self._of("lateral", LEVELS[-1])(top)]
        for level, one in zip(LEVELS[-2::-1], lower[::-1], strict=True):
            merged.append(
                self._of("lateral", level)(one) + functional.interpolate(merged[-1], scale_factor=2)
            )
        found = [self._of("level", level)(one) for level, one in zip(LEVELS, merged[::-1], strict=True)]
        return [*found, found[-1][..., ::2, ::2]]

    def _residual(self, one: Layer, x: torch.Tensor) -> torch.Tensor:
        return self.get_submodule(one.norm)(x, self.get_submodule(one.name))

    def _of(self, name: str, number: int) -> nn.Module:
        return self.get_submodule(f"{name}{number}")

    def _rpn(self, levels: list[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits [n, anchors] and deltas [n, anchors, 4]."""
        hidden = [_relu(self.rpn_hidden(one)).movedim(1, -1).flatten(1, 2) for one in levels]
        hidden = torch.cat(hidden, 1)
        logits = self.rpn_objects(hidden).flatten(1)
        return logits, self.rpn_deltas(hidden).view(*logits.shape, -1)

    def _rpn_losses(
        self, batch: Tensors, valid: torch.Tensor, logits: torch.Tensor, deltas: torch.Tensor
    ) -> Tensors:
        overlap = iou(batch["boxes"], self.all_anchors)
        ignored = crowded(batch["boxes"], batch["crowd"], self.all_anchors, CROWDED)
        truth = match(overlap, valid, RPN_LOW, RPN_HIGH, force_best=True, all_ties=True, ignored=ignored)
        both = truth >= 0, truth == BACKGROUND
        places, positive, there = drawn(batch["anchor_priority"], *both, self.spec.anchors, RPN_POSITIVE)
        logits = logits.gather(1, places)
        objectness = functional.binary_cross_entropy_with_logits(
            logits, positive.to(logits.dtype), reduction="none"
        )
        boxes = taken(batch["boxes"], truth.gather(1, places).clamp(min=0))
        wanted = encode(boxes, self.all_anchors[places], RPN_WEIGHTS)
        apart = _smooth(taken(deltas, places), wanted, RPN_BEND)
        return {
            "objectness_loss": _mean(objectness, there, there),
            "anchor_loss": _mean(apart, positive, there),
        }

    def _losses(
        self,
        batch: Tensors,
        valid: torch.Tensor,
        seen: list[torch.Tensor],
        rois: Boxes,
        of_anchor: torch.Tensor,
    ) -> Tensors:
        """Of both heads, by rois that are drawn of the proposals and of the true boxes."""
        truths, priority = batch["boxes"], batch["roi_priority"]
        boxes, there = torch.cat([rois[0], truths], 1), torch.cat([rois[1], valid], 1)
        priority = torch.cat([priority.gather(1, of_anchor), priority[:, -truths.shape[1] :]], 1)
        ignored = crowded(truths, batch["crowd"], boxes, CROWDED)
        truth = match(iou(truths, boxes), valid, BOX_HIGH, BOX_HIGH, force_best=False, ignored=ignored)
        both = (truth >= 0) & there, (truth == BACKGROUND) & there
        places, positive, there = drawn(priority, *both, self.spec.rois, BOX_POSITIVE)
        boxes, truth = taken(boxes, places), truth.gather(1, places).clamp(min=0)
        classes = batch["class"].gather(1, truth).masked_fill(~positive, 0)
        logits, deltas = self._boxes(seen, boxes)
        apart = functional.cross_entropy(logits.flatten(0, 1), classes.flatten(), reduction="none")
        wanted = encode(taken(truths, truth), boxes, BOX_WEIGHTS)
        moved = _smooth(_of_class(deltas, classes), wanted, BOX_BEND)
        return {
            "class_loss": _mean(apart.view(classes.shape), there, there),
            "box_loss": _mean(moved, positive, there),
            "mask_loss": self._mask_loss(batch, seen, boxes, truth, classes),
        }

    def _mask_loss(
        self,
        batch: Tensors,
        seen: list[torch.Tensor],
        boxes: torch.Tensor,
        truth: torch.Tensor,
        classes: torch.Tensor,
    ) -> torch.Tensor:
        """Of objects, which come first."""
        most = self.spec.rois // BOX_POSITIVE
        boxes, truth, classes = boxes[:, :most], truth[:, :most], classes[:, :most]
        masks = batch["mask"][torch.arange(len(truth), device=truth.device)[:, None], truth].to(boxes.dtype)
        wanted = mask_targets(masks, taken(batch["boxes"], truth), boxes)
        logits = self._masks(seen, boxes, classes)
        apart = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none").mean((-2, -1))
        return _mean(apart, classes > 0, classes > 0)

    def _detections(self, seen: list[torch.Tensor], rois: Boxes, edges: torch.Tensor) -> Tensors:
        logits, deltas = self._boxes(seen, rois[0])
        scores = logits.softmax(-1)[..., 1:]
        boxes, confidences, classes = detected(self.spec, scores, deltas.flatten(1, 2), rois, edges)
        masks = self._masks(seen, boxes, classes).sigmoid().masked_fill((classes == 0)[..., None, None], 0)
        return {"boxes": boxes, "confidences": confidences, "classes": classes, "masks": masks}

    def _boxes(self, seen: list[torch.Tensor], rois: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits [n, k, 1 + classes] and deltas [n, k, classes, 4]."""
        x = self._aligned(seen, rois, BOX_POOL).flatten(2)
        x = _relu(self.box_hidden2(_relu(self.box_hidden1(x))))
        return self.box_classes(x), self.box_deltas(x).unflatten(-1, (self.spec.classes, -1))

    def _masks(self, seen: list[torch.Tensor], rois: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
        """Logits of each roi's class [n, k, 28, 28]."""
        x = self._aligned(seen, rois, MASK_POOL).flatten(0, 1).movedim(-1, 1)
        for number in range(1, HIDDEN_MASKS + 1):
            x = _relu(self._of("mask_hidden", number)(x))
        x = self.mask_pixels(_relu(self.mask_wider(x)).movedim(1, -1))
        places = (classes - 1).clamp(min=0).view(-1, 1, 1, 1)
        return x.take_along_dim(places, -1).squeeze(-1).unflatten(0, classes.shape)

    def _aligned(self, seen: list[torch.Tensor], rois: torch.Tensor, size: int) -> torch.Tensor:
        begins = torch.as_tensor(self.spec.level_areas, dtype=rois.dtype, device=rois.device)
        levels = (areas(rois)[..., None] >= begins).sum(-1)
        return roi_align(seen, rois, levels, STRIDES, size)


class Impl(Trainer):
    spec: MaskRcnn

    def network(self) -> nn.Module:
        return Net(self.spec)

    def apply(self, net: nn.Module, batch: Tensors, stage: str) -> Tensors:
        return net(batch, stage)

    def loss(self, outputs: Tensors, batch: Tensors) -> torch.Tensor:
        return torch.stack(list(outputs.values())).sum()


def _layer(name: str, shape: tuple[int, ...]) -> nn.Module:
    *size, channels_in, channels = shape
    if not size:
        return nn.Linear(channels_in, channels)
    if name == "mask_wider":
        return nn.ConvTranspose2d(channels_in, channels, size, stride=size)
    return nn.Conv2d(channels_in, channels, size, padding=size[0] // 2)


def _relu(x: torch.Tensor) -> torch.Tensor:
    return functional.relu(x, inplace=True)


def _of_class(values: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    """Of [n, k, classes, ...] those of each one's class [n, k]; of none any."""
    n, k = (torch.arange(size, device=classes.device) for size in classes.shape)
    return values[n[:, None], k, (classes - 1).clamp(min=0)]


def _smooth(found: torch.Tensor, wanted: torch.Tensor, bend: float) -> torch.Tensor:
    """Smooth L1, summed over the last axis."""
    return functional.smooth_l1_loss(found, wanted, reduction="none", beta=bend).sum(-1)


def _mean(losses: torch.Tensor, counted: torch.Tensor, among: torch.Tensor) -> torch.Tensor:
    """The sum of those that are `counted`, for each `among`."""
    return torch.where(counted, losses, 0).sum() / among.sum().clamp(min=1)
