"""suite compare and suite gate on stored campaigns."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from harness.analysis.summary import analyse
from harness.records import IMPORTED
from tests.campaigns import MACHINE, Recipe, build
from tests.harness.cli.conftest import Answer

Suite = Callable[..., Answer]
OLDER = "tensorflow@2.20.0"
VERSIONS = {"tensorflow@2.20.0": 1.0, "tensorflow@2.21.0": 1.1}


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(frameworks=VERSIONS, blocks=8, noise=0.005)
    return build(tmp_path_factory.mktemp("versions") / "c", recipe).folder


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of one framework in its default version, measured before, on the same machine."""
    recipe = Recipe(frameworks={"torch": 1.0, "jax": 1.0}, blocks=8, noise=0.005, control_s=2.0)
    return build(tmp_path_factory.mktemp("base") / "before", recipe).folder


def later(folder: Path, factor: float, **more: object) -> Path:
    usual = {
        "frameworks": {"torch": factor, "jax": 1.0},
        "blocks": 8,
        "noise": 0.005,
        "seed": 9,
        "control_s": 2.0,
    }
    return build(folder / "after", Recipe(**{**usual, **more})).folder  # type: ignore[arg-type]


def test_two_versions_are_compared_within_their_blocks(suite: Suite, versions: Path) -> None:
    answer = suite(
        "compare", versions, "--reference", "tensorflow@2.20.0", "--candidate", "tensorflow@2.21.0"
    )
    assert answer.code == 0
    assert "mnist_cnn train digits: tensorflow 2.21.0 against tensorflow 2.20.0" in answer.out
    (energy,) = [line for line in answer.out.splitlines() if line.startswith("  energy_j")]
    assert "worse" in energy and " to " in energy


def test_each_mode_has_ratios_of_its_own(suite: Suite, tmp_path: Path) -> None:
    modes = ({"mode": "a", "epochs": 3}, {"mode": "b", "epochs": 3})
    folder = build(tmp_path / "c", Recipe(frameworks=VERSIONS, settings=modes)).folder
    out = suite("compare", folder, "--reference", "tensorflow@2.20.0").out
    heads = [line for line in out.splitlines() if line.startswith("mnist_cnn")]
    pair = "tensorflow 2.21.0 against tensorflow 2.20.0"
    assert heads == [f"mnist_cnn train digits, mode {mode}: {pair}" for mode in "ab"]
    assert sum(line.startswith("  energy_j") for line in out.splitlines()) == 2


@pytest.mark.parametrize("form", ["csv", "json"])
def test_programs_read_the_same_numbers(suite: Suite, versions: Path, form: str) -> None:
    out = suite("compare", versions, "--format", form).out
    rows = pd.read_csv(io.StringIO(out)) if form == "csv" else pd.DataFrame(json.loads(out))
    energy = rows[rows["quantity"] == "energy_j"].iloc[0]
    assert energy["ratio"] == pytest.approx(1.1, rel=0.02)
    assert energy["low"] < energy["ratio"] < energy["high"]
    assert (energy["blocks"], energy["verdict"], energy["margin"]) == (8, "worse", 0.02)


COUNTS = ("blocks", "family")


@pytest.mark.parametrize("command", [("compare",), ("gate", "--max-increase", "5%")])
def test_counts_are_written_as_whole_numbers_also_where_some_are_unknown(
    suite: Suite, versions: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Without an energy channel its ratio has no blocks."""
    bare = build(tmp_path / "c", Recipe(frameworks=VERSIONS, blocks=4, meters={"tensorflow": None})).folder
    for folder, blocks in ((versions, "8"), (bare, "4")):
        words = (*command, folder, "--reference", OLDER)
        table = pd.read_csv(io.StringIO(suite(*words, "--format", "csv").out), dtype=str)
        assert set(table["blocks"].dropna()) == {blocks}
        assert all(one.isdigit() for name in COUNTS for one in table[name].dropna())
        told = json.loads(suite(*words, "--format", "json").out)
        assert {type(row[name]) for row in told for name in COUNTS} <= {int, type(None)}


def test_one_treatment_in_two_campaigns_is_told_with_the_name_of_each(
    suite: Suite, three: Path, tmp_path: Path
) -> None:
    """Those of one name, as of machines that are told the same -o, by their folders."""
    after = later(tmp_path, 0.8)
    against = f"torch 2.13.0 ({after}) against torch 2.13.0 ({three})"
    assert f"mnist_cnn train digits: {against}" in suite("compare", three, after).out
    assert f", {against}" in suite("gate", three, after, "--max-increase", "5%").out
    record = json.loads((after / "campaign.json").read_text())
    (after / "campaign.json").write_text(json.dumps({**record, "campaign_id": "after"}))
    against = "torch 2.13.0 (after) against torch 2.13.0 (2026-01-02-test)"
    assert f"mnist_cnn train digits: {against}" in suite("compare", three, after).out
    marked = suite("compare", three, after, "--format", "markdown").out
    assert "torch 2.13.0 (after) | torch 2.13.0 (2026-01-02-test)" in marked
    rows = pd.read_csv(io.StringIO(suite("compare", three, after, "--format", "csv").out))
    assert set(rows["campaign"]) == {"after"} and set(rows["reference_campaign"]) == {"2026-01-02-test"}


def test_whose_cost_is_least_is_told_of_each_setting_by_its_name(suite: Suite, tmp_path: Path) -> None:
    """Of two batch sizes the same work was named twice."""
    settings = ({"batch_size": 64}, {"batch_size": 32})
    made = build(tmp_path / "c", Recipe(frameworks={"torch": 1.0, "jax": 0.5}, blocks=4, settings=settings))
    told = suite("compare", made.folder).out
    for one in settings:
        assert f"energy_j of mnist_cnn train digits, batch_size {one['batch_size']}: jax 0.10.2 costs" in told


def test_two_campaigns_are_compared_treatment_by_treatment(suite: Suite, three: Path, tmp_path: Path) -> None:
    out = suite("compare", three, later(tmp_path, 0.8), "--format", "csv").out
    rows = pd.read_csv(io.StringIO(out)).set_index(["treatment", "quantity"])
    assert rows.loc[("torch 2.13.0", "duration_s"), "verdict"] == "better"
    assert rows.loc[("jax 0.10.2", "duration_s"), "verdict"] in ("equivalent", "inconclusive")
    assert (rows.index.get_level_values(0) == rows["reference"]).all()


def test_without_anything_unchanged_two_campaigns_have_ratios_and_no_verdict(
    suite: Suite, three: Path, tmp_path: Path
) -> None:
    """In one version alone, and without control work: their sessions may be all that differs."""
    out = suite("compare", three, later(tmp_path, 0.8, control_s=None)).out
    assert "no verdict: one-session: each campaign is one session" in out
    assert not {"better", "worse", "equivalent"} & set(out.split())


def test_several_sessions_of_each_side_are_its_replicates(suite: Suite, three: Path, tmp_path: Path) -> None:
    bare = {"control_s": None, "session": 1.01}
    first, second, third = (
        later(tmp_path / str(n), f, seed=n, **bare) for n, f in ((1, 0.8), (2, 0.8), (3, 1.0))
    )
    words = ("compare", three, first, "--new-session", second, "--old-session", third, "--format", "csv")
    rows = pd.read_csv(io.StringIO(suite(*words).out)).set_index(["treatment", "quantity"])
    torch = rows.loc[("torch 2.13.0", "duration_s")]
    assert (torch["verdict"], torch["method"], torch["blocks"]) == ("better", "sessions: 2 against 2", 2)


def test_the_same_campaign_is_no_second_session(
    refused: Callable[..., str], three: Path, tmp_path: Path
) -> None:
    after = later(tmp_path, 0.8)
    assert "hold the same runs" in refused("compare", three, after, "--old-session", three)
    assert "hold the same runs" in refused("compare", three, three)
    assert "name OTHER, too" in refused("compare", three, "--old-session", after)


def test_other_machines_are_compared_only_where_the_user_insists(
    suite: Suite, refused: Callable[..., str], three: Path, tmp_path: Path
) -> None:
    elsewhere = later(tmp_path, 1.0, machine={**MACHINE, "cpu_model": "Another CPU"})
    assert "different machines (cpu_model)" in refused("compare", three, elsewhere)
    assert suite("compare", three, elsewhere, "--across-machines").code == 0


@pytest.mark.parametrize(
    ("allowed", "code", "word"), [("15%", 0, "pass"), ("5%", 1, "regression"), ("10%", 3, "inconclusive")]
)
def test_the_gate_answers_by_its_exit_code(
    suite: Suite, versions: Path, allowed: str, code: int, word: str
) -> None:
    answer = suite("gate", versions, "--reference", "tensorflow@2.20.0", "--max-increase", allowed)
    assert answer.code == code
    assert answer.out.splitlines()[-1].startswith(f"{word}: energy may rise by")


def test_the_gate_takes_several_quantities_and_one_regression_is_one(suite: Suite, versions: Path) -> None:
    words = ("gate", versions, "--reference", OLDER, "--max-increase", "5%", "--quantity", "memory")
    assert suite(*words).code == 0
    assert suite(*words, "--quantity", "time").code == 1


def test_one_block_cannot_pass(suite: Suite, tmp_path: Path) -> None:
    folder = build(tmp_path / "c", Recipe(frameworks=VERSIONS, blocks=1)).folder
    answer = suite("gate", folder, "--reference", OLDER, "--max-increase", "50%")
    assert answer.code == 3
    assert "too few blocks" in answer.out


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--candidate", "keras"), "keras"),
        (("--reference", "tensorflow"), "name the version too"),
        (("--margin", "200%"), "no share between 0 and 1"),
    ],
)
def test_bad_names_are_one_line(
    refused: Callable[..., str], versions: Path, words: tuple[str, ...], part: str
) -> None:
    assert part in refused("compare", versions, *words)


def test_a_single_treatment_has_nothing_to_be_compared_with(
    refused: Callable[..., str], tmp_path: Path
) -> None:
    folder = build(tmp_path / "c", Recipe(frameworks={"torch": 1.0})).folder
    assert "nothing to compare" in refused("compare", folder)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = Recipe(frameworks={"torch": 1.0, "tensorflow": 1.2, "jax": 1.03}, blocks=6, noise=0.02)
    return build(tmp_path_factory.mktemp("many") / "c", recipe).folder


def test_it_says_how_errors_are_held_and_who_may_cost_least(suite: Suite, many: Path) -> None:
    lines = suite("compare", many).out.splitlines()
    assert "all intervals of a table hold at once (Dunnett)" in lines
    (energy,) = [line for line in lines if line.startswith("energy_j of mnist_cnn train digits: ")]
    assert energy.endswith(
        "torch 2.13.0 and jax 0.10.2 may cost least (one-sided, against the best of the others, 95 %)"
    )
    (fragile,) = [line for line in lines if line.startswith("  no longer equivalent in stage_energy_j, ")]
    assert fragile.endswith(" if block 4 is left out")


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_what_is_open_is_told_with_the_blocks_that_would_settle_it(
    suite: Suite, tmp_path: Path, form: str
) -> None:
    open_ones = build(tmp_path / "c", Recipe(frameworks={"torch": 1.0, "jax": 1.03}, noise=0.04, blocks=5))
    told = suite("compare", open_ones.folder, "--format", form).out
    outlook = analyse(open_ones).outlook
    blocks = [one.blocks for one in outlook.needs.values() if one.blocks]
    whole = (analyse(open_ones).costs["verdict"] == "inconclusive") & analyse(open_ones).costs[
        "quantity"
    ].isin(["energy_j", "duration_s"])
    words = (
        f"about {max(blocks)} blocks of a new campaign would settle {len(blocks)} of {whole.sum()} open ratio"
    )
    assert words in told
    command = (
        f"suite run -w mnist_cnn -f torch@2.13.0 -f jax@0.10.2 -s train --profile quick -r {max(blocks)}"
    )
    assert command in told.replace("\\", "")  # which Markdown takes away


def test_work_of_another_tool_is_settled_by_no_command_of_ours(suite: Suite, tmp_path: Path) -> None:
    recipe = Recipe(frameworks={"torch": 1.0, "jax": 1.03}, noise=0.04, blocks=5, isolation=IMPORTED)
    told = suite("compare", build(tmp_path / "c", recipe).folder).out
    assert "would settle" in told and "suite run" not in told


@pytest.mark.parametrize(
    ("errors", "words"),
    [("holm", "corrected by Holm"), ("per-ratio", "one in twenty"), ("bonferroni", "Bonferroni")],
)
def test_how_errors_are_held_is_chosen_by_name_and_changes_intervals(
    suite: Suite, many: Path, errors: str, words: str
) -> None:
    answer, usual = suite("compare", many, "--errors", errors), suite("compare", many)
    assert answer.code == 0 and words in answer.out and answer.out != usual.out


def test_between_campaigns_how_errors_are_held_is_no_choice(suite: Suite, many: Path) -> None:
    answer = suite("compare", many, many, "--errors", "holm")
    assert answer.code == 2 and "--errors is of one campaign" in answer.err


def test_programs_read_what_stands_beside_each_interval(suite: Suite, many: Path) -> None:
    table = pd.read_csv(io.StringIO(suite("compare", many, "--format", "csv").out))
    row = table[(table["quantity"] == "energy_j") & table["treatment"].str.startswith("jax")].iloc[0]
    assert (row["errors"], row["family"]) == ("simultaneous", 2)
    assert 0 < row["measured"] < row["scatter"]
    assert row["without_low"] < row["ratio"] < row["without_high"]


WORDS = {
    "estimate": "Energy is ESTIMATED from CPU time (10 W idle + 8 W per busy CPU), not measured.",
    "simulated": "Energy is SIMULATED: readings of an emulated RAPL meter (cpu_package + dram), not of this machine.",
}
COMMANDS = {
    "compare": ("compare",),
    "gate": ("gate", "--reference", "torch", "--max-increase", "50%"),
    "statistics": ("statistics",),
}


@pytest.mark.parametrize("meter", WORDS)
@pytest.mark.parametrize("command", COMMANDS)
def test_every_screen_says_what_the_joules_are(
    suite: Suite, tmp_path: Path, command: str, meter: str
) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=8, meter=meter)).folder
    name, *more = COMMANDS[command]
    assert suite(name, folder, *more).out.splitlines().count(WORDS[meter]) == 1


@pytest.mark.parametrize("command", ["compare", "statistics"])
def test_programs_read_what_the_joules_are(suite: Suite, tmp_path: Path, command: str) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=8, meter="estimate")).folder
    rows = pd.read_csv(io.StringIO(suite(command, folder, "--format", "csv").out))
    of_energy = rows["quantity"] == "energy_j"
    assert set(rows.loc[of_energy, "provenance"]) == {"estimated"}
    assert rows.loc[rows["quantity"] == "duration_s", "provenance"].isna().all()


def test_between_two_campaigns_programs_read_it_too(suite: Suite, tmp_path: Path) -> None:
    more = {"blocks": 4, "meter": "estimate", "control_s": 2.0}
    folders = [build(tmp_path / str(seed), Recipe(seed=seed, **more)).folder for seed in (1, 2)]  # type: ignore[arg-type]
    rows = pd.DataFrame(json.loads(suite("compare", *folders, "--format", "json").out))
    assert set(rows.loc[rows["quantity"] == "energy_j", "provenance"]) == {"estimated"}
    assert rows.loc[rows["quantity"] == "duration_s", "provenance"].isna().all()
    out = suite("compare", *folders).out
    assert out.splitlines().count(WORDS["estimate"]) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_imported_work_is_told_to_be_unproven(suite: Suite, tmp_path: Path, command: str) -> None:
    line = "That imported runs did the same work is their authors' word: nobody can prove it here."
    name, *more = COMMANDS[command]
    for isolation, times in (("imported", 1), ("virtualenv", 0)):
        folder = build(tmp_path / isolation, Recipe(blocks=4, isolation=isolation)).folder
        assert suite(name, folder, *more).out.splitlines().count(line) == times
