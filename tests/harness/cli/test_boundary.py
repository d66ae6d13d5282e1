"""--boundary, and the same key of a plan: told on the first screen, or refused before anything is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness import meters, paths
from harness.meters import configured, hwmon, rapl
from tests.campaigns import Recipe, build
from tests.emulators.plug import Plug
from tests.emulators.waveforms import constant
from tests.harness.cli.conftest import Answer
from tests.harness.planning.test_plan_files import SOUND

Suite, Refused = Callable[..., Answer], Callable[..., str]
RUN = (
    "run",
    "-w",
    "svm",
    "-f",
    "sklearn",
    "--profile",
    "quick",
    "--environment",
    "virtualenv",
    "--no-verify",
)


@pytest.fixture(autouse=True)
def bare_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """Without counters and sensors of its own."""
    monkeypatch.setattr(meters, "FINDERS", (rapl.find, hwmon.find))
    for variable in ("JOULEMARK_POWERCAP_ROOT", "JOULEMARK_HWMON_ROOT"):
        monkeypatch.setenv(variable, str(tmp_path / "nothing"))


@pytest.fixture
def plug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Plug]:
    with Plug(constant(60.0)) as one:
        (tmp_path / "meters.toml").write_text(
            f'[[http]]\nname = "plug"\npreset = "tasmota"\nurl = "{one.url}"\ntimeout_s = 0.5\nperiod_s = 0.1\n'
        )
        monkeypatch.setenv("JOULEMARK_METERS", str(tmp_path / "meters.toml"))
        yield one


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (
            "wall",
            "this machine has nothing that is wall; watts and joules are told by no meter; give the plug",
        ),
        ("psys", "this machine has nothing that is psys"),
        ("http/plug/power", "this machine has no http/plug/power"),
        ("a\nb", "--boundary 'a\\nb'"),
        ("", "--boundary ''"),
    ],
)
def test_what_this_machine_has_not_is_refused_before_anything_is_made(
    asked: str, line: str, refused: Refused, tmp_path: Path, home: Path
) -> None:
    assert line in refused(*RUN, "--boundary", asked, "-o", tmp_path / "campaign")
    assert not (tmp_path / "campaign").exists()
    assert not home.exists()  # no environment, no data


def test_a_plug_that_does_not_answer_is_named_not_replaced(
    plug: Plug, refused: Refused, tmp_path: Path
) -> None:
    plug.go_away()
    line = refused(*RUN, "--boundary", "http/plug/power", "-o", tmp_path / "campaign")
    assert "no http/plug/power (http plug: it cannot be asked: " in line


def test_channels_of_one_device_are_refused_together(plug: Plug, refused: Refused) -> None:
    both = "http/plug/power,http/plug/energy"
    assert "readings of one device; name one of them" in refused("plan", "show", "--boundary", both)


def test_a_plan_is_shown_with_the_energy_that_it_asks_for(plug: Plug, suite: Suite, tmp_path: Path) -> None:
    assert "energy: cpu_model (estimated)" in suite("plan", "show", "quick").out
    assert "energy: wall (measured)" in suite("plan", "show", "quick", "--boundary", "wall").out
    for written in ('"wall"', '["http/plug/power"]'):
        (tmp_path / "mine.toml").write_text(f"boundary = {written}\n{SOUND}")
        domain = "wall" if "wall" in written else "http:plug"
        assert f"energy: {domain} (measured)" in suite("plan", "show", tmp_path / "mine.toml").out
    told = suite(
        "plan", "show", tmp_path / "mine.toml", "--boundary", "default"
    ).out  # the user's word comes first
    assert "energy: cpu_model (estimated)" in told


def test_meters_are_listed_as_the_boundary_takes_them(plug: Plug, suite: Suite) -> None:
    def taken(*words: str) -> list[str]:
        return [
            line.split()[0]
            for line in suite("meters", *words).out.splitlines()
            if line.split()[-1:] == ["yes"]
        ]

    assert taken() == ["estimate/cpu"]
    assert taken("--boundary", "wall") == ["http/plug/power"]


def test_a_plan_that_asks_for_no_name_is_refused_with_its_line(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(f"boundary = []\n{SOUND}")
    assert "mine.toml, line 1: boundary: " in refused("plan", "show", tmp_path / "mine.toml")


def test_a_campaign_goes_on_with_its_own_boundary_only(refused: Refused, tmp_path: Path) -> None:
    folder = build(tmp_path / "c", Recipe(blocks=1)).folder
    assert "--boundary" in refused("run", "--resume", folder, "--boundary", "wall")


def test_the_file_of_meters_in_the_documents_is_one(tmp_path: Path) -> None:
    page = (paths.ROOT / "docs" / "meters.md").read_text()
    http, wall, command = (part.partition("```")[0] for part in page.split("```toml\n")[1:])
    (tmp_path / "meters.toml").write_text(wall + command + http)
    found = configured.read(str(tmp_path / "meters.toml"))
    assert [one.name for one in found.http] == ["plug", "strip"]
    assert [one.name for one in found.command] == ["plug"]
    assert found.wall == ("hwmon/psu/power1_input",)


def test_a_mistake_in_the_file_of_meters_names_its_key(
    refused: Refused, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_METERS", str(tmp_path / "meters.toml"))
    for text, line in {
        '[[http]]\nname = "plug"\n': "meters.toml: http.0.url: is missing",
        '[[http]]\nname = "a"\nurl = "http://b"\nperiod = 3\n': "meters.toml: http.0.period: ",
        'walls = ["a"]\n': "meters.toml: walls: ",
        "[[http]\n": "cannot be read",
    }.items():
        (tmp_path / "meters.toml").write_text(text)
        assert line in refused("meters")
