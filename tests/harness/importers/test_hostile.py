"""Files that somebody made to do harm end an import in one line, soon, with nothing written."""

from __future__ import annotations

import marshal
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from harness import importers
from harness.errors import SuiteError
from harness.importers.files import text
from harness.store import load_campaign
from tests.foreign import SMI_HEADER, codecarbon, energibridge, perf, powers, smi_rows, write
from tests.foreign_mlperf import training

pytestmark = pytest.mark.timeout(120)
SECRET = "root:x:0:0"


def refused(name: str, folder: Path) -> str:
    """The one line in which an import ends; nothing may lie beside the folder then."""
    before = set(folder.parent.iterdir())
    with pytest.raises(SuiteError) as caught:
        importers.import_campaign(name, folder, folder.parent / "out")
    assert set(folder.parent.iterdir()) == before
    line = str(caught.value)
    assert "\n" not in line and SECRET not in line
    return line


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


def link(path: Path) -> None:
    (path.parent.parent / "secret").write_text(f"{SECRET}\n")
    path.symlink_to(path.parent.parent / "secret")


@pytest.mark.parametrize("plant", [link, os.mkfifo, Path.mkdir])
@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("perf-stat", "a_torch_1.txt"), ("nvidia-smi", "a_torch_1.csv"), ("energibridge", "a_torch_1.csv"),
        ("codecarbon", "emissions.csv"), ("sotillos", "run1-gpu-epoch1-batchsize8-torch-mnist-resnet18-ENERGY.csv"),
        ("prengdl", "rn50_pytorch_train.prof"), ("mlperf-tiny", "trace1-energy.bin"),
        ("mlperf-inference", "mlperf_log_detail.txt"),
    ],
)  # fmt: skip
def test_only_regular_files_are_imported(
    folder: Path, form: str, name: str, plant: Callable[[Path], None]
) -> None:
    if form == "mlperf-inference":
        (folder / "spl.txt").write_text("Time\n")
    plant(folder / name)
    assert "is not read" in refused(form, folder)


@pytest.mark.parametrize("name", ["power", "power/result_1"])
def test_a_power_folder_that_is_a_link_is_not_entered(folder: Path, name: str) -> None:
    training(folder)
    (folder / name).rename(folder.parent / "secret")
    (folder / name).symlink_to(folder.parent / "secret")
    assert "a link in the place of a folder" in refused("mlperf-training", folder)


def test_a_folder_that_is_a_link_is_not_entered(folder: Path) -> None:
    (folder.parent / "secret").mkdir()
    perf(folder.parent / "secret" / "rn50_pytorch_perf_1.txt")
    (folder / "measurements_train").symlink_to(folder.parent / "secret")
    assert "a link in the place of a folder" in refused("prengdl", folder)


@pytest.mark.parametrize("project", ["../../../evil", "/etc/evil", "a\x1b[31mb", "a\u202eb", "x" * 300, ".."])
def test_what_a_cell_names_is_no_path_and_no_command(folder: Path, project: str) -> None:
    text_ = codecarbon(folder / "emissions.csv").read_text()
    (old,) = {line.split(",")[1] for line in text_.splitlines()[1:]}
    (folder / "emissions.csv").write_text(text_.replace(f",{old},", f",{project},"))
    out = folder.parent / "out"
    try:
        importers.import_campaign("codecarbon", folder, out)
    except SuiteError as error:
        assert "no plain text" in str(error) or "a name of 300 characters" in str(error)
    else:
        found = load_campaign(out)
        assert all(run.folder.parent == out / "runs" for run in found.runs)
    assert not list(folder.parent.parent.glob("evil*"))


@pytest.mark.parametrize(
    "name", ["a\x1b[31m_torch_1.txt", "a\n_torch_1.txt", os.fsdecode(b"a\xff_torch_1.txt")]
)
def test_a_file_of_an_odd_name_is_one_line(folder: Path, name: str) -> None:
    perf(folder / name)
    assert "no plain text" in refused("perf-stat", folder)


def test_a_repetition_beyond_all_counting_is_one_line(folder: Path) -> None:
    perf(folder / f"a_torch_{10**30}.txt")
    assert "repetition 1000000" in refused("perf-stat", folder)


def test_runs_that_together_last_longer_than_time_are_one_line(folder: Path) -> None:
    for number in range(1, 13):
        path = perf(folder / f"a_torch_{number}.txt")
        words = path.read_text().split()
        seconds = words[words.index("seconds") - 1]
        path.write_text(path.read_text().replace(seconds, "999999999.0", 1))
    assert "cannot write the campaign" in refused("perf-stat", folder)


@pytest.mark.parametrize("digits", ["9" * 400, "9" * 30])
def test_a_reading_beyond_every_number_is_one_line(folder: Path, digits: str) -> None:
    powers(folder / "a_torch_1.txt", [5.0, 50.0])
    with (folder / "a_torch_1.txt").open("a") as file:
        file.write(f"{digits}.0 W\n")
    assert "no finite number" in refused("nvidia-smi", folder)


def test_a_cell_beyond_every_number_is_no_absent_reading(folder: Path) -> None:
    rows = smi_rows(4)
    cell = rows[1].split(", ")[1]
    rows[1] = rows[1].replace(cell, "9" * 400 + " W")
    write(folder / "a_torch_1.csv", "\n".join([SMI_HEADER, *rows]) + "\n")
    assert "no number" in refused("nvidia-smi", folder)


def test_large_files_long_lines_and_many_columns_are_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    energibridge(folder / "keras_1.csv")
    wide = ",".join(["Delta", "Time", *(f"CPU_USAGE_{n}" for n in range(10_000))])
    write(folder / "keras_2.csv", f"{wide}\n{','.join(['1'] * 10_002)}\n")
    assert "10002 columns" in refused("energibridge", folder)
    write(folder / "a_torch_1.txt", " " * 1_000_000 + "x\n")
    assert "a line of 1000001 characters" in refused("perf-stat", folder)
    monkeypatch.setattr(text, "MOST_BYTES", 1000)
    assert "larger than the 1000 bytes" in refused("perf-stat", folder)


def test_folders_without_end_are_one_line(folder: Path) -> None:
    at = os.open(folder, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    try:
        line = refused("perf-stat", folder)
    finally:
        subprocess.run(["rm", "-rf", folder / "d"], check=True)  # deeper than Python removes
    assert any(words in line for words in ("no file of format", "nested too deeply", "cannot be read"))


def statistics(own_s: object, name: object = "f") -> bytes:
    return marshal.dumps({("a.py", 1, name): (1, 1, own_s, 1.0, {})})


@pytest.mark.parametrize(
    "content",
    [
        statistics(float("nan")), statistics(float("inf")), statistics(1e300), statistics(-1.0), statistics("x"),
        marshal.dumps({number: number for number in range(10)}), marshal.dumps([]), b"\xff" * 100,
        marshal.dumps({("a.py", number, "f"): (1, 1, 1.0, 1.0, {}) for number in range(100_001)}),
    ],
)  # fmt: skip
def test_a_hostile_profile_is_one_line(folder: Path, content: bytes) -> None:
    (folder / "rn50_pytorch_train.prof").write_bytes(content)
    refused("prengdl", folder)


def test_a_name_that_no_file_can_hold_is_written_with_a_mark_in_its_place(folder: Path) -> None:
    (folder / "rn50_pytorch_train.prof").write_bytes(statistics(1.0, "a\ud800b"))
    out = importers.import_campaign("prengdl", folder, folder.parent / "out")
    assert "a?b" in next(out.rglob("functions.csv")).read_text()
