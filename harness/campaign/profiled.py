"""What a run that was profiled within its environment left: taken in, checked, and kept with the run as tables."""

from __future__ import annotations

from pathlib import Path

from harness.exports.csv_text import as_text
from harness.files import whole_files
from harness.files.untrusted import read_beneath
from harness.profiling import told
from harness.profiling.function_files import CALLS_FILE, FUNCTIONS_FILE
from harness.profiling.operator_files import OPERATORS_FILE
from harness.profiling.told import MOST_BYTES, ProfileRefused
from harness.records import PlannedRun, Profiler, Purpose
from harness.worker.run_folder import OUTPUT_FILE

WITHIN = (Profiler.CPROFILE, Profiler.OPERATORS)


def within(planned: PlannedRun) -> str:
    """The profiler that its worker is asked for; empty for none."""
    return str(planned.profiler) if planned.purpose == Purpose.PROFILE and planned.profiler in WITHIN else ""


def keep(profiler: str, folder: Path) -> None:
    """Raises: ProfileRefused where it left none, or what is none; nothing is kept of that."""
    try:
        content = read_beneath(folder, OUTPUT_FILE, MOST_BYTES)
    except FileNotFoundError:
        raise ProfileRefused("it left no profile") from None
    finally:
        (folder / OUTPUT_FILE).unlink(missing_ok=True)
    if profiler == Profiler.OPERATORS:
        whole_files.write_text(folder / OPERATORS_FILE, as_text(told.operators(content)))
        return
    found = told.functions(content)
    whole_files.write_text(folder / FUNCTIONS_FILE, as_text(found.functions))
    whole_files.write_text(folder / CALLS_FILE, as_text(found.calls))
