"""Plans in TOML: a protocol and, where a study needs them, its factors' levels and what it leaves out."""

from __future__ import annotations

import re
import tomllib
from itertools import product
from pathlib import Path

from pydantic import Field, ValidationError

from harness.errors import UsageError
from harness.records import CoolDown, PowerModel, Record
from harness.suggest import unknown

PLANS = Path(__file__).parent / "plans"

Value = int | float | str


class Protocol(Record):
    """How a plan is carried out. `idle_s` is a pause before every run, for studies that had one."""

    repetitions: int = Field(ge=1)
    sample_period_s: float = Field(gt=0)
    baseline_s: float = Field(ge=0)
    run_timeout_s: float = Field(gt=0)
    expected_run_s: float = Field(gt=0)
    power_model: PowerModel
    cool_down: CoolDown = CoolDown()
    retries: int = Field(0, ge=0)
    warm_up_s: float = Field(0.0, ge=0)
    idle_s: float = Field(0.0, ge=0)
    rehearse: bool = False
    control_rounds: int = Field(0, ge=0)


class Factors(Record):
    """Levels; none means every one that there is. Frameworks as on the command line, torch@2.13.0."""

    workload: tuple[str, ...] = ()
    framework: tuple[str, ...] = ()
    stage: tuple[str, ...] = ()
    dataset: tuple[str, ...] = ()


class PlanFile(Protocol):
    """The content of a plan's file; `settings` are factors of the workloads, `exclude` holds predicates."""

    title: str = ""
    source: str = ""
    factors: Factors = Factors()
    settings: dict[str, tuple[Value, ...]] = Field(default_factory=dict)
    exclude: tuple[dict[str, Value], ...] = ()

    @property
    def protocol(self) -> Protocol:
        return Protocol(**{name: getattr(self, name) for name in Protocol.model_fields})

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
    try:
        text = path.read_text()
        return PlanFile.model_validate(tomllib.loads(text))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{_place(path, text, first['loc'])}: {first['msg']}") from error


def _place(path: Path, text: str, keys: tuple[int | str, ...]) -> str:
    """file, line N: key. The parser keeps no lines, so the innermost key that is written is looked for."""
    dotted = ".".join(map(str, keys))
    for key in reversed([str(key) for key in keys if isinstance(key, str)]):
        lines = text.splitlines()
        written = re.compile(rf"\s*(\[+\s*[\w.]*\b)?{re.escape(key)}\b")
        if found := next((number for number, line in enumerate(lines, 1) if written.match(line)), None):
            return f"{path}, line {found}: {dotted}"
    return f"{path}: {dotted}"
