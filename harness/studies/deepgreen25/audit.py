"""What the rows of Deep Green AI say that its tables do not: what was measured, what assumed, and how often."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from harness.studies.base import Remark
from harness.studies.deepgreen25.rows import CELL

CONSTANT = 0.05  # of a power: what varies less while the GPU's varies more was not measured
MOST = 0.9  # of the rows
TRAIN = "train"
RUN = "experiment_id"


def audit(rows: pd.DataFrame) -> Iterator[Remark]:
    yield from _constant_cpu(rows)
    yield from _constant_memory(rows)
    yield from _zeros(rows)
    training = rows[rows["stage"] == TRAIN]
    if len(training):
        yield _shares(training)
        yield from _ranks(training)
    yield from _replicates(rows)
    yield from _two_instruments(rows)


def _constant_cpu(rows: pd.DataFrame) -> Iterator[Remark]:
    """Under load and at rest alike: CodeCarbon's fallback where it cannot read the CPU."""
    constant = _constants(rows, ["codecarbon_version"], "cpu_power")
    low, high = rows[rows["gpu_power"] > 0]["gpu_power"].quantile([0.05, 0.95])
    if constant:
        yield Remark(
            "cpu-power-constant",
            f"cpu_power does not vary: {'; '.join(constant)}. Nine in ten of the GPU's powers range from {low:.0f} to "
            f"{high:.0f} W meanwhile: the CPU was not measured, a constant was assumed for it",
        )


def _constant_memory(rows: pd.DataFrame) -> Iterator[Remark]:
    constant = _constants(rows, ["codecarbon_version", "tracking_mode"], "ram_power")
    if constant:
        yield Remark(
            "ram-power-constant",
            f"ram_power is a constant of the version and the tracking mode, not of the work: {'; '.join(constant)}",
        )


def _constants(rows: pd.DataFrame, by: list[str], power: str) -> list[str]:
    """Groups in which nine in ten powers are one number but for CONSTANT of it, in words; a 0 is no power."""
    found = []
    for key, group in rows[rows[power] > 0].groupby(by):
        middle = group[power].median()
        same = (group[power] / middle - 1).abs() < CONSTANT
        if same.mean() >= MOST:
            name = ", ".join(map(str, key))
            found.append(f"{middle:.3g} W in {same.sum()} of {len(group)} rows ({name})")
    return found


def _zeros(rows: pd.DataFrame) -> Iterator[Remark]:
    """A power of 0 W beside an energy that is not 0."""
    named = []
    for part in ("cpu", "gpu"):
        zero = rows[(rows[f"{part}_power"] == 0) & (rows[f"{part}_energy"] > 0)]
        if len(zero):
            named.append(f"{part}_power in {len(zero)} rows ({', '.join(sorted(set(zero['language'])))})")
    if named:
        yield Remark("power-zero", f"0 W is written where the energy is not 0: {'; '.join(named)}")


def _shares(training: pd.DataFrame) -> Remark:
    """Of what is assumed in what is called the energy."""
    sums = training.groupby("language")[["ram_energy", "cpu_energy", "energy_consumed"]].sum()
    memory = (sums["ram_energy"] / sums["energy_consumed"]).sort_values(ascending=False)
    assumed = (sums["ram_energy"] + sums["cpu_energy"]) / sums["energy_consumed"]
    named = ", ".join(f"{language} {share:.0%}" for language, share in memory.items())
    return Remark(
        "assumed-share",
        f"the assumed memory power makes this share of the training energy: {named}; with the assumed CPU, "
        f"{assumed.min():.0%} to {assumed.max():.0%} of it was not measured",
    )


def _ranks(training: pd.DataFrame) -> Iterator[Remark]:
    """By the measured joules alone, the GPU's, other languages come first."""
    means = training.groupby("language")[["energy_consumed", "gpu_energy"]].mean().rank().astype(int)
    moved = means[means["energy_consumed"] != means["gpu_energy"]].sort_values("energy_consumed")
    if len(moved):
        named = ", ".join(
            f"{row.Index} from {row.energy_consumed} to {row.gpu_energy}" for row in moved.itertuples()
        )
        yield Remark(
            "ranks-change",
            f"of {len(means)} languages in training, {len(moved)} change their rank when only the GPU's energy, which "
            f"was measured, is counted: {named}",
        )


def _replicates(rows: pd.DataFrame) -> Iterator[Remark]:
    cells = rows.groupby(CELL).agg(epochs=("epoch", "size"), runs=(RUN, "nunique"))
    once = cells[cells["runs"] == 1]
    if len(once) and once["epochs"].max() > 1:
        yield Remark(
            "epochs-as-replicates",
            f"{len(once)} of {len(cells)} cells are up to {once['epochs'].max()} epochs of one run "
            "(one tracker's experiment_id): n = 1 each. Their standard deviations are those of epochs within a run, "
            "pooled over networks, data sets and stages; nothing tells how runs differ, and no test could",
        )


def _two_instruments(rows: pd.DataFrame) -> Iterator[Remark]:
    ways = rows.groupby("language")[["codecarbon_version", "tracking_mode"]].first()
    kinds: dict[str, list[str]] = {}
    for row in ways.itertuples():
        kinds.setdefault(f"{row.codecarbon_version}, {row.tracking_mode}", []).append(str(row.Index))
    if len(kinds) > 1:
        named = "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items())
        yield Remark(
            "instruments-differ",
            f"languages were tracked in {len(kinds)} ways and are ranked together ({named})",
        )
