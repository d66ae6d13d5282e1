"""Mask R-CNN, which finds objects and tells their outlines: every number of the workload."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from suite.detection.anchors import grid_anchors
from suite.detection.answers import MOST_DETECTIONS, answers
from suite.detection.masks import unpacked
from suite.iterations import InIterations
from suite.mask_rcnn import pictures, weights, work_of_layers
from suite.mask_rcnn.layers import (
    BOX_POSITIVE,
    FROZEN,
    LEVELS,
    MOST_PRIORITY,
    RATIOS,
    RPN_POSITIVE,
    STRIDES,
    USUAL_LEVEL,
)
from suite.neural import check_range, unordered
from suite.pretrained import Pretrainable
from suite.residual import checkpoint
from suite.residual.layers import NORM, STAGES, STEM, Layer, ResidualBlock, blocks, layers_of
from suite.residual.parting import OTHERS, Bounds, widened
from suite.spec import Arrays, Profile, SettingError, Spread, Taken
from suite.task import Metric

SIDES = {"coco_2017_640": 640, "synthetic-coco_2017_640": 128}  # of the images of a data set, in pixels
CLASSES = {"coco_2017_640": 80, "synthetic-coco_2017_640": 4}
LEAST_SCALE = 0.5  # of anchors: smaller ones are rounded to boxes without an area, which nothing is coded by
FIRST_RATE = 1 / 3  # share of the rate that warm-up begins with
SHALLOW = 14  # layers, which quick profiles and proofs have
# Measured on JAX with 50 layers and the stand-in: the first loss 1.3e-4 apart, those of 8 steps 2.1e-4.
DEEP = {"first_loss": 5e-4, "early_losses": 1e-3, "losses": 1e-3}


@dataclass(frozen=True)
class MaskRcnn(Pretrainable, InIterations):
    """ResNet with a feature pyramid; a region proposal network (RPN); heads of boxes and of masks.

    Backbone: normalisation is frozen, (x - mean) / sqrt(variance + epsilon) * gamma + beta, all four constant. Pyramid:
    P5 is a 1x1 convolution of the last stage, each lower level that of its stage plus the level above, every number
    twice in both directions; a 3x3 convolution on each; P6 is every second feature of P5. RPN, on P2 to P6: a 3x3
    convolution and ReLU, then of each feature by itself the logit and the deltas of each anchor.

    Proposals: of each level the `candidates` with the largest logits (in training `train_candidates`), decoded and cut
    at the image's edge, empty ones left out; greedy suppression within each level; the `proposals` best of all levels.

    Training draws by priorities of the host, the highest first. RPN: `anchors` of an image, at most half of them
    objects'. Box head: `rois` of the proposals and the true boxes, at most a quarter objects'. Heads see RoIAlign of P2
    to P5. Losses, each summed over what was drawn: objectness, by logistic cross-entropy, and deltas
    of the objects', by smooth L1, both over all anchors drawn; classes, by softmax cross-entropy, and deltas of the
    right class, both over all rois drawn; masks of the right class, by logistic cross-entropy, over all their pixels.
    A mask's target is the true mask, read between its 56 x 56 pixels' centres at the 28 x 28 ones of the proposal.

    Detections: of all classes and proposals the `box_candidates` most probable of at least `least_score`, decoded by
    class; greedy suppression within each class; the `detections` best, each with the mask of its class.
    """

    name = "mask_rcnn"
    title = "Mask R-CNN on COCO"
    source = "Georgiou et al. 2022"
    datasets = tuple(SIDES)
    metrics = (
        Metric("ap", "AP"),
        Metric("mask_ap", "AP of masks"),
        Metric("ap50", "AP at IoU 0.5"),
        Metric("mask_ap50", "AP of masks at IoU 0.5"),
    )
    judged_on_host = ("ap", "mask_ap", "ap50", "mask_ap50")
    targets = ("boxes", "class", "crowd", "mask")
    premade = True
    of_one_shape = True
    profiles = {  # noqa: RUF012
        "quick": Profile(
            ("synthetic-coco_2017_640",),
            {
                "depth": 14, "narrowing": 4, "channels": 32, "hidden": 64, "anchor_scale": 4.0, "usual_side": 64.0,
                "train_candidates": 64, "candidates": 64, "proposals": 32, "anchors": 32, "rois": 32,
                "box_candidates": 64, "detections": 10, "iterations": 120, "evaluate_every": 60, "warmup_steps": 10,
                "learning_rate": 0.005, "infer_passes": 2,
            },
        ),
        "icse22": Profile(
            ("coco_2017_640",),
            {"iterations": 1000, "evaluate_every": 1000},
            published={
                "dataset": "COCO 2017", "iterations": "1 000", "batch_size": "4", "depth": "50",
                "learning_rate": "", "proposals": "",
            },
        ),
    }  # fmt: skip
    # At some step rounding decides which boxes are drawn, and from then on two trainings are two; another seed may part
    # earlier.
    spread = Spread(start=5e-3, tenfold_steps=5, losses=0.4, answers=2.0)
    # Nobody has trained the whole set here: from random weights 1 000 iterations may find next to nothing.
    tolerances = unordered(0.5)
    quality_floor = {"coco_2017_640": 1e-5, "synthetic-coco_2017_640": 0.05}  # noqa: RUF012
    # So small that four frameworks compile and take it in seconds; a score that untrained detections have, too; anchors
    # so large that some fill the image, which are equal: they overlap by all that is allowed, and by no more.
    proof_settings = {  # noqa: RUF012
        "most_side": 64, "most_classes": 5, "depth": 14, "narrowing": 16, "channels": 8, "hidden": 12,
        "anchor_scale": 4.0, "usual_side": 16.0, "rpn_overlap": 1.0,
        "train_candidates": 20, "candidates": 16, "proposals": 56, "anchors": 48, "rois": 24, "box_candidates": 24,
        "detections": 6, "least_score": 0.001, "warmup_steps": 3, "iterations": 100, "evaluate_every": 100,
    }  # fmt: skip

    learning_rate: float = 0.005  # 0.02 for 16 images
    weight_decay: float = 1e-4
    batch_size: int = 4
    predict_batch_size: int = 4
    iterations: int = 1000
    evaluate_every: int = 1000
    warmup_steps: int = 500
    most_side: int = 640  # pixels; a data set of larger images is refused
    most_classes: int = 80  # objects of others are none
    depth: int = 50
    narrowing: int = 1  # by which the backbone's channels are fewer
    channels: int = 256  # of the pyramid, the RPN and the mask head
    hidden: int = 1024  # of the box head
    anchor_scale: float = 8.0  # the side of a square anchor in strides
    usual_side: float = 224.0  # of a box that is seen on P4
    train_candidates: int = 2000
    candidates: int = 1000
    proposals: int = 1000
    anchors: int = 256
    rois: int = 512
    rpn_overlap: float = 0.7  # IoU, above which the worse of two proposals of a level is left out
    box_candidates: int = 1000
    least_score: float = 0.05
    box_overlap: float = 0.5  # IoU, above which the worse of two detections of a class is left out
    detections: int = 100

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(STAGES.get(self.depth, ())) != len(LEVELS):
            known = ", ".join(str(depth) for depth, stages in STAGES.items() if len(stages) == len(LEVELS))
            raise SettingError(f"{self.name}: depth must be one of {known}, not {self.depth}")
        if self.side % STRIDES[-1]:
            raise SettingError(f"{self.name}: most_side must be a multiple of {STRIDES[-1]}, not {self.side}")
        if STEM.channels % self.narrowing:
            raise SettingError(f"{self.name}: narrowing must divide {STEM.channels}, not {self.narrowing}")
        check_range(self, "anchor_scale", at_least=LEAST_SCALE, up_to=self.side)
        check_range(self, "usual_side", at_least=0)
        for name in ("least_score", "rpn_overlap", "box_overlap"):
            check_range(self, name, at_least=0, up_to=1)
        if self.precision not in ("fp32", "tf32"):
            raise SettingError(
                f"{self.name}: precision must be fp32 or tf32: 16 bits do not tell pixels apart"
            )
        self._check_counts()

    def _check_counts(self) -> None:
        """Raises: SettingError where less is left than shall be chosen from it: shapes are the same always."""
        fewest = min(max(self.asked_of_levels(training)) for training in (True, False))
        for name, least, most in (
            ("anchors", RPN_POSITIVE, self.level_bounds[-1][-1]),
            ("proposals", self.rois, len(STRIDES) * fewest),
            ("rois", BOX_POSITIVE, self.proposals),
            ("box_candidates", self.detections, self.proposals * self.classes),
            ("detections", 1, MOST_DETECTIONS),
        ):
            check_range(self, name, at_least=least, up_to=most)

    def allowed_apart(self) -> Bounds:
        """Wider through many layers, whose rounding decides between proposals that nearly tie."""
        return self.tolerances if self.depth <= SHALLOW else widened(self.tolerances, OTHERS, DEEP)

    @property
    def side(self) -> int:
        """Pixels of an image."""
        return min(self.most_side, SIDES[self.dataset or self.datasets[0]])

    @property
    def classes(self) -> int:
        """Of objects, from 1 on; 0 is none."""
        return min(self.most_classes, CLASSES[self.dataset or self.datasets[0]])

    @cached_property
    def blocks(self) -> tuple[ResidualBlock, ...]:
        return tuple(blocks(self.depth))

    @property
    def backbone(self) -> list[Layer]:
        """Every convolution of the ResNet, with its channels."""
        return [self._narrowed(one) for one in layers_of(self.blocks)]

    def _narrowed(self, one: Layer) -> Layer:
        of_colours = one.name == STEM.name
        channels_in = one.channels_in if of_colours else one.channels_in // self.narrowing
        return replace(one, channels_in=channels_in, channels=one.channels // self.narrowing)

    @property
    def sides(self) -> list[int]:
        """Features of each level of the pyramid along an image."""
        return [self.side // stride for stride in STRIDES]

    @cached_property
    def level_anchors(self) -> list[np.ndarray]:
        """Of each level float64 [rows * columns * ratios, 4] in pixels."""
        return [
            grid_anchors(side, side, stride, (self.anchor_scale * stride,), RATIOS)
            for side, stride in zip(self.sides, STRIDES, strict=True)
        ]

    @cached_property
    def all_anchors(self) -> np.ndarray:
        """float64 [n, 4]: level by level, row by row."""
        return np.concatenate(self.level_anchors)

    @cached_property  # before torch.compile, which would take it for a part of the network
    def level_bounds(self) -> list[tuple[int, int]]:
        """Of each level among all anchors: the first, and the one after the last."""
        return list(pairwise(accumulate((len(RATIOS) * side**2 for side in self.sides), initial=0)))

    def asked_of_levels(self, training: bool) -> list[int]:
        """How many candidates of each level."""
        most = self.train_candidates if training else self.candidates
        return [min(most, end - first) for first, end in self.level_bounds]

    @property
    def level_areas(self) -> list[float]:
        """From which areas on a box is seen on P3, on P4 and on P5 (suite.detection.roi_align.fpn_levels)."""
        return [(self.usual_side * 2.0 ** (level - USUAL_LEVEL)) ** 2 for level in LEVELS[1:]]

    @property
    def heads(self) -> dict[str, tuple[int, ...]]:
        """Shapes of the kernels of all but the backbone; each layer has a bias, too."""
        return weights.heads(self)

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return weights.shapes(self)

    def initial_weights(self, seed: int) -> Arrays:
        return weights.initial(self, seed)

    def proof_weights(self, seed: int) -> Arrays:
        return weights.of_the_proof(self, seed)

    def from_checkpoint(self, tensors: Arrays) -> Taken:
        """Its backbone, whose normalisation stays what it is, and what else of it there is."""
        frozen = dict(zip(NORM, FROZEN, strict=True))
        own = {f"{one.norm}/{word}": f"{one.norm}/{frozen[word]}" for one in self.backbone for word in NORM}
        backbone = [own.get(name, name) for one in self.backbone for name in one.names]
        return checkpoint.taken(tensors, self.depth, self.shapes, backbone, own)

    def decays(self, name: str) -> bool:
        """Biases do not, as in Detectron."""
        return name.endswith("/kernel")

    def rates(self, first: int, steps: int) -> np.ndarray:
        """Linear warm-up from a third."""
        done = np.minimum(np.arange(first, first + steps) / self.warmup_steps, 1.0)
        return self.learning_rate * (FIRST_RATE + (1 - FIRST_RATE) * done)

    def too_large(self, samples: int) -> str:
        """Of images as large as the data set's are."""
        stored = SIDES[self.dataset or self.datasets[0]]
        if self.side == stored:
            return ""
        return f"most_side is {self.most_side}, and the images in the data set are {stored} pixels wide: set it so"

    def inputs(self, raw: Arrays, dtype: str) -> Arrays:
        """As stored: a batch is made of it.

        Raises: SettingError for images of another side.
        """
        stored = raw["image"].shape[1:]
        if stored != (self.side, self.side, 3):
            raise SettingError(
                f"{self.name}: most_side must be {stored[0]}, the side of the images in the data set"
            )
        return raw

    def batch(self, data: Arrays, rows: np.ndarray) -> Arrays:
        """Images uint8, true masks bool [n, objects, 56, 56], and in training what decides who is drawn.

        Objects of the rarer classes that are left out are none, as padding is.
        """
        some = {name: array[rows] for name, array in data.items()}
        if "mask" not in some:
            return some
        known = some["class"].astype(np.int32)
        some |= {"mask": unpacked(some["mask"]), "class": np.where(known <= self.classes, known, 0)}
        generator, anchors = np.random.default_rng(rows), len(self.all_anchors)
        for name, count in (("anchor", anchors), ("roi", anchors + some["class"].shape[1])):
            drawn = generator.integers(0, MOST_PRIORITY, (len(rows), count), np.int32)
            some[f"{name}_priority"] = drawn
        return some

    def steady(self, outputs: Arrays) -> Arrays:
        """What the pyramid and the RPN tell on the mean, and how many objects of each class were found in an image."""
        classes = np.arange(1, self.classes + 1)
        found = (outputs["classes"][:, :, np.newaxis] == classes).sum(1)
        return {"pyramid": outputs["pyramid"], "told": outputs["told"], "found": found.astype(np.int32)}

    def for_judges(self, outputs: Arrays) -> Arrays:
        return answers(*(outputs[name] for name in ("boxes", "confidences", "classes", "masks")))

    def evaluate(self, data: Arrays, outputs: Arrays) -> dict[str, float]:
        """AP is the host's."""
        return {}

    def sample_flops(self, stage: str) -> int:
        return work_of_layers.flops(self, stage)

    def examples(self, count: int, seed: int) -> Arrays:
        return pictures.drawn(count, seed, self.side, self.classes)


SPEC = MaskRcnn()
