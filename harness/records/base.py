"""What all records share: they are immutable and validated, and their names and numbers are bounded."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

FORMAT_VERSION = 1

Count = Annotated[int, Field(ge=0, lt=2**31)]
TimeNs = Annotated[int, Field(gt=-(2**63), lt=2**63)]
Boundary = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f\x7f]+$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 _.@/+-]{0,63}$")]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
COUNTED_ANYWAY = {"step", "parameter", "epoch", "data_byte"}  # what a run tells beside its units of work


def _plain_unit(name: str) -> str:
    if name in COUNTED_ANYWAY or "_per_" in name:
        raise ValueError(
            f"'{name}' is no unit of work: it would be taken for something else that a run counts"
        )
    return name


UnitOfWork = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$"), AfterValidator(_plain_unit)]
Identity = Annotated[str, Field(pattern=r"^([0-9a-f]{32})?$")]  # of a campaign; empty of those of before
FolderName = Annotated[str, Field(pattern=r"^[^./\x00-\x1f\x7f][^/\x00-\x1f\x7f]*$", max_length=200)]


class Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
