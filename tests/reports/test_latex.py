"""LaTeX tables: what the page says, escaped, in the shape that a paper takes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.stated import Factor
from harness.analysis.summary import analyse
from reports.contents import sections_of
from reports.latex import escaped, latex
from reports.parts import Table
from tests.campaigns import Recipe, build

HOSTILE = r"\input{/etc/passwd} % $x_1^2$ & #~{}"


def tables(folder: Path, recipe: Recipe, stated: tuple[Factor, ...] = ()) -> list[Table]:
    campaign = build(folder / "c", recipe)
    found = sections_of(replace(analyse(campaign), stated=stated), campaign)
    return [table for one in found if one.name == "costs" for _, table in one.tables]


def body(text: str) -> list[list[str]]:
    """The cells of each row of the first table."""
    rows = text.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    return [row.removesuffix(r" \\").split(" & ") for row in rows]


def test_the_costs_stand_in_it_with_units_in_the_heads_and_ratios_with_intervals(tmp_path: Path) -> None:
    recipe = Recipe(frameworks={"torch": 1.0, "tensorflow": 1.3}, blocks=6)
    found = tables(tmp_path, recipe)
    text = latex(found, "Energy is measured by RAPL.")
    heads = text.split(r"\toprule")[1].split(r"\\")[0].split("&")
    assert [head.strip() for head in heads[:6]] == [
        "Framework", "Runs", "Energy (J)", "Ratio", "Time (s)", "Ratio",
    ]  # fmt: skip
    first, second = body(text)
    assert (first[0], second[0]) == ("torch 2.13.0", "tensorflow 2.21.0")
    exact = float(str(found[0].rows[1].cells[2].value))
    assert float(second[2]) == pytest.approx(exact, rel=0.005)
    assert re.fullmatch(r"1\.\d\d\$\\times\$ \(1\.\d\d--1\.\d\d\)", second[3])
    assert "Energy is measured by RAPL.}" in text
    assert text.count(r"\begin{table}") == text.count(r"\end{table}") == 2
    assert all(len(row) == len(heads) for row in body(text))


def test_unknown_is_a_dash_with_its_reason_below(tmp_path: Path) -> None:
    text = latex(tables(tmp_path, Recipe(meter=None)), "No energy was measured.")
    assert "--$^{1}$" in text
    assert r"\par\footnotesize $^{1}$ no energy channel on this machine" in text


def test_names_are_printed_and_never_obeyed(tmp_path: Path) -> None:
    text = latex(tables(tmp_path, Recipe(frameworks={HOSTILE: 1.0}, workload=HOSTILE)), HOSTILE)
    assert r"\input" not in text and "passwd" in text
    assert all(row.count(" & ") == 11 for row in re.findall(r"^.*passwd.*\\\\$", text, re.M)[:1])


@given(st.text())
def test_no_character_keeps_its_power(text: str) -> None:
    plain = re.sub(r"\\[A-Za-z]+\{\}|\\[&%$#_{},]|\$-\$|\$\\[a-z]+\$", "", escaped(text))
    assert not set(plain) & set("\\&%$#_{}~^\n")
