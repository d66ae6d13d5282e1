"""PRENGDL, "Green AI: Do Deep Learning Frameworks Have Different Costs?" (ICSE 2022): its folders of raw files.

`measurements_train` and `measurements_inference` hold, per model, framework and repetition, a text of `perf stat` and
one of `nvidia-smi`; `.prof` files hold one profiled run each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from harness.devices import CUDA
from harness.energy.series import NS_PER_S
from harness.exports.csv_text import as_text
from harness.findings.codes import Code, Severity
from harness.importers.base import UNKNOWN, Imported, ImportedRun, SourceError
from harness.importers.files import cprofile, perf_text, smi_text
from harness.importers.labels import FRAMEWORKS
from harness.profiling.function_files import CALLS_FILE, FUNCTIONS_FILE
from harness.records import Finding, Purpose, Treatment

NAME = "prengdl"
SUMMARY = "measurements_*/MODEL_FRAMEWORK_(perf|nvidia_smi)_N.txt and MODEL_FRAMEWORK_STAGE.prof"
TEXT = re.compile(
    r"(?P<model>\w+?)_(?P<framework>[A-Za-z]+)_(?P<kind>perf|nvidia_smi)_(?P<repetition>\d+)\.txt"
)
PROFILE = re.compile(r"(?P<model>\w+?)_(?P<framework>pytorch|tensorflow)_(?P<stage>train|inference)\.prof")
STAGES = {"measurements_train": "train", "measurements_inference": "infer"}
MODELS = {
    "rn50": "resnet50",
    "maskrcnn": "mask_rcnn",
    "transformer": "transformer_xl",
}  # in the profiles' names
LEAST_SHARE = 0.001  # of the own time: what is kept of a profile, beside what calls what takes time
SHORT_BY = 0.01  # of the run's time, without a reading: a warning


def read(path: Path) -> Imported:
    root = path.absolute()
    folders = [root] if root.name.startswith("measurements") else sorted(root.rglob("measurements*"))
    if linked := [folder for folder in folders if folder.is_symlink() and folder != root]:
        raise SourceError(linked[0], "a link in the place of a folder")
    runs = [run for folder in folders if folder.is_dir() for run in _measurements(folder)]
    profiles = [_profile(one) for one in sorted(root.rglob("*.prof"))]
    return Imported(root, (*runs, *profiles))


def _measurements(folder: Path) -> Iterator[ImportedRun]:
    """In the order of models, frameworks and repetitions: the files do not say in which they ran."""
    found = {_key(path) for path in folder.iterdir() if not path.name.startswith(".")}
    for model, framework in sorted({key[:2] for key in found}):
        last = max(repetition for *names, repetition in found if names == [model, framework])
        for repetition in range(1, last + 1):
            yield _run(folder, model, framework, repetition)


def _key(path: Path) -> tuple[str, str, int]:
    match = TEXT.fullmatch(path.name)
    if match is None:
        raise SourceError(
            path, "its name is not MODEL_FRAMEWORK_perf_N.txt or MODEL_FRAMEWORK_nvidia_smi_N.txt"
        )
    return match["model"], match["framework"], int(match["repetition"])


def _run(folder: Path, model: str, framework: str, repetition: int) -> ImportedRun:
    perf, smi = (folder / f"{model}_{framework}_{kind}_{repetition}.txt" for kind in ("perf", "nvidia_smi"))
    totals, powers_w = perf_text.read(perf), smi_text.read(smi)
    stage = STAGES.get(folder.name, UNKNOWN)
    return ImportedRun(
        treatment=_treatment(model, framework, stage),
        repetition=repetition,
        duration_ns=totals.duration_ns,
        series=(*totals.series(), *smi_text.series(powers_w, 0, totals.duration_ns)),
        sources=(perf, smi),
        findings=tuple(_missing_readings(len(powers_w), totals.elapsed_s)),
    )


def _treatment(model: str, framework: str, stage: str) -> Treatment:
    name = FRAMEWORKS.get(framework.lower(), framework.lower())
    return Treatment(
        workload=MODELS.get(model, model), framework=name, version=UNKNOWN, stage=stage, dataset=UNKNOWN, device=CUDA
    )  # fmt: skip


def _missing_readings(readings: int, elapsed_s: float) -> Iterator[Finding]:
    """One a second was asked for: what is missing is missing in the energy, too."""
    missing_s = elapsed_s - readings
    if missing_s > 1:
        yield Finding.of(
            Code.GPU_READINGS_MISSING,
            f"{readings} readings, one a second, in {elapsed_s:.0f} s",
            severity=Severity.WARNING if missing_s > SHORT_BY * elapsed_s else Severity.INFO,
        )


def _profile(path: Path) -> ImportedRun:
    """One run under cProfile: which functions took the time. It has no energy, and its own time is not a run's."""
    match = PROFILE.fullmatch(path.name)
    if match is None:
        raise SourceError(path, "its name is not MODEL_(pytorch|tensorflow)_(train|inference).prof")
    found = cprofile.read(path)
    kept = found.kept(LEAST_SHARE)
    return ImportedRun(
        treatment=_treatment(match["model"], match["framework"], STAGES[f"measurements_{match['stage']}"]),
        repetition=1,
        duration_ns=round(found.functions["own_s"].sum() * NS_PER_S),
        series=(),
        sources=(path,),
        purpose=Purpose.PROFILE,
        attachments={FUNCTIONS_FILE: as_text(kept.functions), CALLS_FILE: as_text(kept.calls)},
    )
