"""Resolving a lock anew: from the manifest alone, whole or not at all, and the difference is shown."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.environments import locks
from harness.environments.frameworks import Framework
from harness.environments.locks import relock
from harness.errors import MissingPrerequisite, UsageError

# A stand-in for uv: keeps its command line and its project, writes what the test wants resolved.
UV = """#!{python}
import os, pathlib, sys
here = pathlib.Path({here!r})
with (here / "calls").open("a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
if (here / "fails").exists():
    sys.exit("  x No solution found:\\n  because of this")
if sys.argv[-1] == "pyproject.toml":
    (here / "project").write_text(pathlib.Path("pyproject.toml").read_text())
(here / "links").write_text(os.environ.get("UV_FIND_LINKS", ""))
pathlib.Path(sys.argv[sys.argv.index("--output-file") + 1]).write_text((here / "answer").read_text())
"""
EVERYWHERE = f"tiny==1.0 ; {locks.MARKER} \\\n    --hash=sha256:{'a' * 64}\n"
OLDER_ONLY = f"old==1.0 ; python_full_version < '3.12' and {locks.LINUX} \\\n    --hash=sha256:{'b' * 64}\n"


@pytest.fixture
def uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a stand-in on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "uv").write_text(UV.format(python=sys.executable, here=str(folder)))
    (folder / "uv").chmod(0o755)
    (folder / "answer").write_text(EVERYWHERE + OLDER_ONLY)
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def tiny(tmp_path: Path) -> Framework:
    folder = tmp_path / "tiny"
    folder.mkdir()
    wanted = {"1.0": {"cpu": ("tiny==1.0", "other>=2; python_version < '3.12'")}}
    return Framework("tiny", "Tiny", "tiny", ("1.0",), "tiny", "", folder, requirements=wanted)


def test_a_new_lock_keeps_only_the_markers_that_tell_pythons_apart(uv: Path, tiny: Framework) -> None:
    diff = relock(tiny, "1.0", "cpu")
    text = tiny.lock("1.0").read_text()
    assert [line for line in text.splitlines() if "==" in line] == [
        "tiny==1.0 \\",
        "old==1.0 ; python_full_version < '3.12' \\",
    ]
    assert "+tiny==1.0 \\\n" in diff


def test_an_unchanged_lock_is_not_written_and_shows_no_difference(uv: Path, tiny: Framework) -> None:
    relock(tiny, "1.0", "cpu")
    before = tiny.lock("1.0").stat().st_mtime_ns
    assert relock(tiny, "1.0", "cpu") == ""
    assert tiny.lock("1.0").stat().st_mtime_ns == before


def test_a_change_shows_as_a_difference(uv: Path, tiny: Framework) -> None:
    relock(tiny, "1.0", "cpu")
    (uv / "answer").write_text(EVERYWHERE.replace("1.0", "1.1"))
    diff = relock(tiny, "1.0", "cpu").splitlines()
    assert "-tiny==1.0 \\" in diff
    assert "+tiny==1.1 \\" in diff


def test_wheels_are_asked_for_on_every_python(uv: Path, tiny: Framework) -> None:
    relock(tiny, "1.0", "cpu")
    resolved, *checked = (uv / "calls").read_text().splitlines()
    assert "--universal" in resolved
    assert "--generate-hashes" in resolved
    assert [call.partition("--python-version ")[2].split()[0] for call in checked] == ["3.11", "3.12", "3.13"]
    assert all("--only-binary :all:" in call for call in (resolved, *checked))


def test_uv_gets_the_manifest_s_requirements_and_looks_where_pip_does(
    uv: Path, tiny: Framework, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("UV_FIND_LINKS", raising=False)
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels/here")
    relock(tiny, "1.0", "cpu")
    assert (
        """dependencies = ["tiny==1.0", "other>=2; python_version < '3.12'"]"""
        in (uv / "project").read_text()
    )
    assert (uv / "links").read_text() == "/wheels/here"


def test_what_uv_cannot_resolve_is_one_line_and_leaves_the_lock(uv: Path, tiny: Framework) -> None:
    relock(tiny, "1.0", "cpu")
    before = tiny.lock("1.0").read_text()
    (uv / "fails").touch()
    with pytest.raises(
        MissingPrerequisite, match=r"the lock of tiny-1\.0-cpu cannot be resolved: x No solution"
    ) as caught:
        relock(tiny, "1.0", "cpu")
    assert "\n" not in str(caught.value)
    assert tiny.lock("1.0").read_text() == before
    assert [path.name for path in tiny.folder.iterdir()] == ["1.0-cpu.lock"]


def test_without_uv_the_remedy_is_named(
    tiny: Framework, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(locks.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingPrerequisite, match="pip install uv"):
        relock(tiny, "1.0", "cpu")
    assert list(tiny.folder.iterdir()) == []


def test_a_device_that_is_not_offered_is_named(uv: Path, tiny: Framework) -> None:
    with pytest.raises(UsageError, match=r"tiny 1\.0 is not offered for cuda; offered: cpu"):
        relock(tiny, "1.0", "cuda")
    with pytest.raises(UsageError, match=r"tiny 2\.0 is not offered"):
        relock(tiny, "2.0", "cpu")
