"""A profile's functions with their share of the time; bytes that are none are refused, in a process apart."""

from __future__ import annotations

import cProfile
import marshal
import pstats
from pathlib import Path

import pytest

from harness.importers.base import SourceError
from harness.importers.files import cprofile
from tests.conftest import SHARED

NCF = SHARED / "published/icse22/profiles/ncf_pytorch_train.prof"


def falling(steps: int) -> int:
    """Calls itself: its calls are more than its primitive ones."""
    return falling(steps - 1) if steps else len(sorted(range(50_000), key=str))


def profiled(path: Path) -> Path:
    profile = cProfile.Profile()
    profile.runcall(falling, 10)
    profile.dump_stats(path)
    return path


def test_it_says_what_pstats_says(tmp_path: Path) -> None:
    path = profiled(tmp_path / "a.prof")
    ours, theirs = cprofile.read(path).functions, pstats.Stats(str(path))
    assert ours["own_s"].sum() == pytest.approx(theirs.total_tt)  # type: ignore[attr-defined]
    assert ours["calls"].sum() == theirs.total_calls  # type: ignore[attr-defined]
    assert ours["primitive_calls"].sum() == theirs.prim_calls  # type: ignore[attr-defined]
    assert ours["own_s"].is_monotonic_decreasing
    assert ours["share"].sum() == pytest.approx(1)


@pytest.mark.skipif(not NCF.exists(), reason="the raw files of the study are not beside the checkout")
def test_a_profile_of_the_study_gives_calls_seconds_and_share() -> None:
    first = cprofile.read(NCF).functions.iloc[0]
    assert first["function"] == "<method 'run_backward' of 'torch._C._EngineBase' objects>"
    assert (first["calls"], round(first["own_s"], 3), round(100 * first["share"], 2)) == (
        1551700,
        2347.985,
        39.07,
    )


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no profile",
        b"\xe9" + b"\xff" * 100,
        marshal.dumps({}),
        marshal.dumps([1, 2, 3]),
        marshal.dumps({("f", 1, "g"): "not a tuple of five"}),
        marshal.dumps({("f", 1, "g"): (1, 1, 0.0, 0.0, {})}),  # no time at all
        b"[" + b"\xff\xff\xff\x7f" + b"N",  # a list of two thousand million elements
    ],
)
def test_bytes_that_are_no_profile_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.prof").write_bytes(content)
    with pytest.raises(SourceError, match=r"a\.prof: "):
        cprofile.read(tmp_path / "a.prof")


def test_a_profile_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    path = profiled(tmp_path / "a.prof")
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(SourceError, match="cut short"):
        cprofile.read(path)


def test_a_program_in_the_bytes_does_not_run(tmp_path: Path) -> None:
    """marshal can hold code; nothing calls it, and the process that loads it cannot write a file."""
    mark = tmp_path / "ran"
    code = compile(f"open({str(mark)!r}, 'w').write('x')", "x", "exec")
    (tmp_path / "a.prof").write_bytes(marshal.dumps({("f", 1, "g"): code}))
    with pytest.raises(SourceError):
        cprofile.read(tmp_path / "a.prof")
    assert not mark.exists()
