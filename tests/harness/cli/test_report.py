"""suite report and suite export as a user calls them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.cli import comparing
from harness.store import load_campaign
from tests.campaigns import MACHINE, Recipe, build
from tests.harness.cli.conftest import Answer
from tests.reports.scrape import Page

pytestmark = pytest.mark.unhurried

Suite = Callable[..., Answer]
Refused = Callable[..., str]


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(frameworks={"torch": 1.0, "jax": 1.0}, blocks=8, noise=0.005, control_s=2.0)
    return build(tmp_path_factory.mktemp("before") / "before", recipe).folder


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(frameworks={"torch": 0.8, "jax": 1.0}, blocks=8, noise=0.005, seed=9, control_s=2.0)
    return build(tmp_path_factory.mktemp("after") / "after", recipe).folder


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("csv", {"runs.csv", "phases.csv", "epochs.csv", "costs.csv"}),
        ("parquet", {"runs.parquet", "phases.parquet", "epochs.parquet", "costs.parquet"}),
        ("json", {"tables.json"}),
        ("latex", {"costs.tex"}),
        ("bundle", {"after.tar.gz"}),
    ],
)
def test_each_format_names_the_files_it_wrote(
    suite: Suite, after: Path, tmp_path: Path, form: str, files: set[str]
) -> None:
    answer = suite("export", after, "--format", form, "-o", tmp_path / "out")
    assert answer.code == 0
    assert {Path(line).name for line in answer.out.splitlines()} == files
    assert {path.name for path in (tmp_path / "out").iterdir()} == files


def test_figures_have_a_folder_of_their_own(suite: Suite, tmp_path: Path) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=2)).folder
    assert suite("export", folder, "--format", "svg").code == 0
    assert len(list((folder / "figures").glob("*.svg"))) >= 8


def test_a_campaign_without_figures_is_one_line(refused: Refused, tmp_path: Path) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=0)).folder
    assert "nothing to draw" in refused("export", folder, "--format", "pdf")
    assert not (folder / "figures").exists()


@pytest.mark.parametrize("options", [(), ("--reference", "torch", "--margin", "5%")])
def test_a_bundle_gives_its_report_again_bit_for_bit(
    suite: Suite, before: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert suite("report", before, *options, "-o", tmp_path / "first.html").code == 0
    assert suite("export", before, "--format", "bundle", *options, "-o", tmp_path).code == 0
    answer = suite("report", tmp_path / "before.tar.gz")
    assert answer.code == 0 and "the same bytes as the report within the bundle" in answer.out
    assert (tmp_path / "before.html").read_bytes() == (tmp_path / "first.html").read_bytes()


def test_a_bundle_of_something_else_is_one_line(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "c.tar.gz").write_text("nothing")
    assert "is not a whole bundle" in refused("report", tmp_path / "c.tar.gz")
    assert not (tmp_path / "c.html").exists()


def test_another_campaign_is_compared_on_the_page(
    suite: Suite, before: Path, after: Path, tmp_path: Path
) -> None:
    assert suite("report", after, "--compare", before, "-o", tmp_path / "r.html").code == 0
    page = Page((tmp_path / "r.html").read_text())
    assert page.headings[1:4] == ["How far to trust it", "All ratios", "Comparison"]
    assert "Verdict" in page.headings
    rows = comparing.between(load_campaign(after), load_campaign(before))
    shown = 0
    for row in rows.itertuples():
        if row.quantity in page.cells["comparison-table-1"][row.treatment]:
            assert page.value("comparison-table-1", row.treatment, row.quantity) == row.ratio
            shown += 1
    assert shown == 8
    cell = page.cells["comparison-table-1"]["torch 2.13.0"]["energy_j"]
    assert re.fullmatch(r"better 0\.80×\(0\.79–0\.8\d\)", cell.text)


def test_a_campaign_is_not_compared_with_itself(refused: Refused, before: Path, tmp_path: Path) -> None:
    assert "hold the same runs" in refused("report", before, "--compare", before, "-o", tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_what_is_asked_for_alone_is_compared_with_the_other_campaign_and_judged_by_the_whole(
    suite: Suite, refused: Refused, before: Path, after: Path, tmp_path: Path
) -> None:
    whole, part = tmp_path / "whole.html", tmp_path / "part.html"
    assert suite("report", after, "--compare", before, "-o", whole).code == 0
    assert suite("report", after, "--compare", before, "-f", "jax", "-o", part).code == 0
    every, some = (Page(one.read_text()).cells["comparison-table-1"] for one in (whole, part))
    assert set(every) == {"torch 2.13.0", "jax 0.10.2"} and some == {"jax 0.10.2": every["jax 0.10.2"]}
    part.unlink()
    said = refused("report", after, "--compare", before, "-f", "jaxx", "-o", part)
    assert "did you mean 'jax'?" in said and not part.exists()


def test_other_machines_are_compared_when_asked_and_the_page_says_so(
    suite: Suite, refused: Refused, before: Path, tmp_path: Path
) -> None:
    machine = {**MACHINE, "cpu_model": "Another CPU", "machine_id": "f" * 32}
    recipe = Recipe(frameworks={"torch": 1.0, "jax": 1.0}, blocks=2, machine=machine)
    other = build(tmp_path / "other", recipe).folder
    page = tmp_path / "r.html"
    assert "different machines (machine_id, cpu_model)" in refused(
        "report", before, "--compare", other, "-o", page
    )
    assert not page.exists()
    assert suite("report", before, "--compare", other, "--across-machines", "-o", page).code == 0
    assert "The campaigns ran on different machines," in Page(page.read_text()).text


def test_without_work_in_common_there_is_no_page(refused: Refused, before: Path, tmp_path: Path) -> None:
    other = build(tmp_path / "other", Recipe(workload="lenet5")).folder
    assert "no work in common" in refused("report", before, "--compare", other, "-o", tmp_path / "r.html")
    assert not (tmp_path / "r.html").exists()


def test_serving_shows_the_page_until_it_is_interrupted(after: Path, tmp_path: Path) -> None:
    words = ["report", str(after), "--serve", "--port", "0", "-o", str(tmp_path / "r.html")]
    command = [sys.executable, "-m", "harness.cli", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = next(line for line in process.stdout if line.startswith("serving: ")).split()[1]
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address, timeout=30) as answer:
            assert answer.read() == (tmp_path / "r.html").read_bytes()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0


def test_the_tables_hold_what_the_page_shows(suite: Suite, after: Path, tmp_path: Path) -> None:
    suite("export", after, "-o", tmp_path, "--reference", "jax")
    suite("report", after, "-o", tmp_path / "r.html", "--reference", "jax")
    costs = pd.read_csv(tmp_path / "costs.csv").set_index(["treatment", "quantity"])
    page = Page((tmp_path / "r.html").read_text())
    for name in ("torch 2.13.0", "jax 0.10.2"):
        assert page.value("costs-whole-1", name, "energy_j") == costs.loc[name, "energy_j"]["mean"]
        assert page.value("costs-whole-1", name, "energy_j-ratio") == costs.loc[name, "energy_j"]["ratio"]
