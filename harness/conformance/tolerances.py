"""How far an implementation may be from the reference, by kind of proof and precision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from harness.devices import HOST, is_gpu

EARLY = 8  # steps, before rounding has grown
EXACT, LONG, OWN, ANSWERS = "exact", "long", "own", "answers"
KINDS = {
    EXACT: "in float64",
    LONG: "many steps in float32",
    OWN: "as it is measured",
    ANSWERS: "its answers alone",  # of a framework, or weights, with which nobody trains
}  # in a reader's words


@dataclass(frozen=True)
class Tolerance:
    """Largest differences: losses relative, the others relative to the array's largest magnitude.

    `first_loss` is that of step 0, `early_losses` those of the first EARLY steps; `moved` of what training changed in
    the weights, `answers` of those after it, `epoch_loss` of the mean losses of all epochs, relative to `small_loss`
    of the first loss at least; `again` of whole numbers that are asked for again, a few at once, and `items` the share
    of them that may differ where that is more than of other outputs. `train_loss` and `train_moved`: of `train` from
    its own `step`. Gradients are recorded in float64 alone.
    """

    outputs: float
    first_loss: float
    early_losses: float
    losses: float
    moved: float
    answers: float
    epoch_loss: float
    small_loss: float
    train_loss: float
    train_moved: float
    gradients: float = 1e-10
    again: float = 0.0
    items: float = 0.0


# Measured in float64: outputs 4e-15, gradients 2e-14, losses 7e-16, what moved 7e-13. In float32 training amplifies
# rounding, in every framework alike, and a value within rounding of 0 passes a ReLU in one and not in another: tenfold
# every ten steps, of ResNet from the first ones on (1e-5 after 8, 1e-2 after 70), of the others 1e-6 after 8, and 3e-3,
# once 1.5e-2, after 70. Means of later epochs: of kind long up to 5e-2 of the first loss, of kind own, which learns few
# samples by heart, 1e-4 of themselves. A framework's own steps do not part: `train` moved exactly what they did.
DEFAULTS = {
    EXACT: Tolerance(
        outputs=1e-12, first_loss=1e-12, early_losses=1e-12, losses=1e-12, moved=1e-8, answers=1e-9, epoch_loss=1e-12,
        small_loss=1e-2, train_loss=1e-12, train_moved=1e-10,
    ),
    LONG: Tolerance(
        outputs=1e-5, first_loss=2e-6, early_losses=1e-5, losses=0.1, moved=0.2, answers=0.1, epoch_loss=0.15,
        small_loss=1.0, train_loss=1e-5, train_moved=1e-4,
    ),
    OWN: Tolerance(
        outputs=1e-5, first_loss=2e-6, early_losses=1e-4, losses=1e-4, moved=2e-2, answers=2e-3, epoch_loss=0.1,
        small_loss=1e-2, train_loss=1e-5, train_moved=1e-4,
    ),
}  # fmt: skip
DEFAULTS[ANSWERS] = DEFAULTS[OWN]
# Keras on TensorFlow passes its hyper-parameters and its momentum through float32: measured 7e-8.
KERAS = replace(
    DEFAULTS[EXACT],
    early_losses=1e-7,
    losses=1e-7,
    moved=1e-6,
    answers=1e-6,
    epoch_loss=1e-7,
    train_loss=1e-7,
)
# Of what computes in 16 bits, or on a GPU with 10 bits of the factors: a unit in the last place is 4e-3 of a bfloat16.
NARROW = {"bf16": 5e-2, "fp16": 1e-2, "tf32": 1e-2}
# Times as much of what training moved, where Adam makes whole steps of gradients that are nothing but rounding, and of
# answers after it: measured in bf16 0.47 of an LSTM's kernel, and 4.5e-2.
MOVED, ANSWERED = 20, 4


def tolerance(
    framework: str,
    kind: str,
    wider: Mapping[tuple[str, str], Mapping[str, float]],
    precision: str = "fp32",
    device: str = HOST,
) -> Tolerance:
    """`wider`: what the workload's spec allows a framework besides, a precision or a device, with its reason there.

    `train` takes the same steps as `step` in every precision; a GPU alone may add them up in no fixed order.
    """
    found = KERAS if (framework, kind) == ("keras", EXACT) else DEFAULTS[kind]
    found = replace(found, **wider.get((framework, kind), {}))
    if is_gpu(device):
        found = replace(found, **wider.get((device, kind), {}))
    if (least := NARROW.get(precision)) is None:
        return found
    wide = replace(found, **{name: max(value, least) for name, value in vars(found).items()})
    wide = replace(wide, moved=MOVED * least, answers=ANSWERED * least, epoch_loss=1.0, again=found.again)
    wide = replace(wide, **{"items": found.items, **wider.get((precision, kind), {})})
    return (
        wide if is_gpu(device) else replace(wide, train_loss=found.train_loss, train_moved=found.train_moved)
    )
