"""Plans in TOML: a protocol and, where a study needs them, its factors' levels and what it leaves out."""

from __future__ import annotations

import re
import tomllib
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from harness import shape_errors
from harness.devices import DEVICES
from harness.errors import UnsafeFile, UsageError, cause
from harness.files.untrusted import read_beneath
from harness.planning.plan_limits import require_few_treatments
from harness.records import DEFAULT_BOUNDARY, Boundary, CoolDown, Limits, PowerModel, Record
from harness.records.base import Sha256
from harness.suggest import unknown
from suite.neural import PRECISIONS

PLANS = Path(__file__).parent / "plans"

MOST_BYTES = 1 << 20
MOST_PREDICATES = 1000
MOST_DOTS = 16  # of a key

Name = Annotated[str, Field(pattern=r"^[\w.@+-]*$", max_length=100)]
Whole = Annotated[int, Field(gt=-(2**63), lt=2**63)]
Value = bool | Whole | float | Name
Channels = Annotated[
    Boundary, BeforeValidator(lambda given: ",".join(map(str, given)) if isinstance(given, list) else given)
]
FileName = Annotated[str, Field(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=4096)]
# A device and a precision: cuda-bf16.
Peak = Annotated[str, Field(pattern=f"^({'|'.join(DEVICES)})-({'|'.join(PRECISIONS)})$")]
Seconds = Annotated[float, Field(ge=0, le=1e9)]


class Protocol(Record):
    """How a plan is carried out. `idle_s` is a pause before every run, for studies that had one."""

    model_config = ConfigDict(allow_inf_nan=False)

    repetitions: int = Field(ge=1, lt=2**31)
    sample_period_s: Seconds = Field(gt=0)
    baseline_s: Seconds
    run_timeout_s: Seconds = Field(gt=0)
    expected_run_s: Seconds = Field(gt=0)
    power_model: PowerModel
    cool_down: CoolDown = CoolDown()
    retries: int = Field(0, ge=0, le=1000)
    warm_up_s: Seconds = 0.0
    idle_s: Seconds = 0.0
    rehearse: bool = False
    control_rounds: int = Field(0, ge=0, lt=2**31)
    limits: Limits = Limits()
    peak_flops_per_s: dict[Peak, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    boundary: Channels = DEFAULT_BOUNDARY


class Factors(Record):
    """Levels; none means every one that there is. Frameworks as on the command line, torch@2.13.0."""

    workload: tuple[Name, ...] = ()
    framework: tuple[Name, ...] = ()
    stage: tuple[Name, ...] = ()
    dataset: tuple[Name, ...] = ()


class PlanFile(Protocol):
    """The content of a plan's file; `settings` are factors of the workloads, `exclude` holds predicates.

    `weights`: where the files lie whose checksums are levels of the setting `pretrained`, as seen from the plan.
    """

    title: str = ""
    source: str = ""
    factors: Factors = Factors()
    settings: dict[str, tuple[Value, ...]] = Field(default_factory=dict)
    exclude: tuple[dict[str, Value], ...] = Field((), max_length=MOST_PREDICATES)
    weights: dict[Sha256, FileName] = Field(default_factory=dict)

    @property
    def protocol(self) -> Protocol:
        return Protocol(**{name: getattr(self, name) for name in Protocol.model_fields})

    @property
    def most_treatments(self) -> int:
        """As many as the levels that are named can make, counted and not made."""
        levels = (*dict(self.factors).values(), *self.settings.values())
        return prod(max(1, len(one)) for one in levels)

    @property
    def combinations(self) -> list[dict[str, Value]]:
        """Every combination of the settings' levels, a single empty one without any."""
        return [dict(zip(self.settings, levels, strict=True)) for levels in product(*self.settings.values())]


def names() -> list[str]:
    return sorted(path.stem for path in PLANS.glob("*.toml"))


def read(name: str) -> PlanFile:
    """A shipped plan by its name, or any by its path, which ends in .toml.

    Raises: UsageError naming file, line and key.
    """
    if not name.endswith(".toml") and name not in names():
        raise UsageError(unknown("profile", name, names()))
    path = Path(name) if name.endswith(".toml") else PLANS / f"{name}.toml"
    text = _text(path)
    _require_shallow(path, text)
    try:
        found = PlanFile.model_validate(tomllib.loads(text))
    except ValidationError as error:
        where = _place(path, text, shape_errors.first(error)["loc"])
        raise UsageError(f"{where}: {shape_errors.message(error, PlanFile)}") from error
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError, too
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise UsageError(f"{path} is not TOML: {reason}") from error
    require_few_treatments(found.most_treatments, f"{path}: its factors and settings make ")
    beside = {sha256: str(path.parent / file) for sha256, file in found.weights.items()}
    return found.model_copy(update={"weights": beside})


def _require_shallow(path: Path, text: str) -> None:
    """A parser takes minutes for many keys below a name of many dots. Raises: UsageError with the line."""
    for number, line in enumerate(text.split("\n"), 1):
        key = line if line.lstrip().startswith("[") else line.partition("=")[0]
        if key.count(".") > MOST_DOTS:
            raise UsageError(f"{path}, line {number}: a name of more than {MOST_DOTS} dots")


def _text(path: Path) -> str:
    """Of a regular file, to which the user's own link may lead."""
    try:
        place = path.resolve()
        return read_beneath(place.parent, place.name, MOST_BYTES).decode()
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist; shipped plans are {', '.join(names())}") from error
    except (OSError, ValueError, RuntimeError, UnsafeFile) as error:  # a name with NUL, a circle of links
        raise UsageError(f"{path} cannot be read: {cause(error)}") from error


def _place(path: Path, text: str, keys: tuple[int | str, ...]) -> str:
    """file, line N: key. The parser keeps no lines, so the innermost key that is written is looked for."""
    dotted = ".".join(map(str, keys))
    for key in reversed([str(key) for key in keys if isinstance(key, str)]):
        lines = text.splitlines()
        written = re.compile(rf"\s*(\[+\s*[\w.]*\b)?{re.escape(key)}\b")
        if found := next((number for number, line in enumerate(lines, 1) if written.match(line)), None):
            return f"{path}, line {found}: {dotted}"
    return f"{path}: {dotted}"
