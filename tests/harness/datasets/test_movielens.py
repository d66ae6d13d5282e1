"""MovieLens: fetched, read in both of its layouts, the last rating of each user apart; or refused in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from harness.datasets import member_streams, ml_1m, ml_20m, ml_latest_small, official, prepared
from harness.errors import DataError
from suite.data import load
from tests.harness.datasets.conftest import Serve
from tests.harness.datasets.official_layout import zipped
from tests.real_sets import as_official, movielens_small

HEADER = b"userId,movieId,rating,timestamp\n"
# Two users, who have rated 2 and 3 of 244 films; two more rated half of the rest each, and so make them known.
REST = b"".join(b"%d,%d,3.0,5\n" % (8 + (film >= 320), film) for film in range(200, 440))
LINES = b"7,101,4.0,30\n4,102,3.5,20\n7,103,1.0,10\n4,101,2.0,20\n4,104,5.0,10\n"


def small(folder: Path, content: bytes) -> Path:
    zipped(folder / "ml-latest-small.zip", {"ml-latest-small/ratings.csv": content})
    return folder


def arrays(folder: Path, content: bytes) -> dict[str, np.ndarray]:
    return replace(ml_latest_small.SOURCE, expected={}).arrays(small(folder, content))


def test_the_official_layout_is_fetched_and_prepared_with_its_published_sizes(
    real: Callable[[str], Path], home: Path, tmp_path: Path, serve: Serve
) -> None:
    small(tmp_path, (real("ml-latest-small") / "ratings.csv").read_bytes())
    source = as_official(ml_latest_small.SOURCE, tmp_path)
    data = load(prepared.prepare(source, official.download(source, serve(tmp_path))))
    assert {name: array.shape for name, array in data.train.items()} == {
        "user": (100_226,),
        "item": (100_226,),
    }
    assert data.test["negatives"].shape == (610, 99) and data.test["user"].tolist() == list(range(610))
    assert data.train["item"].max() == 9_723 and data.train["item"].dtype == np.int32


def test_pandas_finds_the_same_order_and_the_same_last_ratings(
    real: Callable[[str], Path], home: Path, tmp_path: Path
) -> None:
    data = load(movielens_small(tmp_path))
    table = pd.read_csv(real("ml-latest-small") / "ratings.csv").sort_values(
        ["userId", "timestamp"], kind="stable"
    )
    numbers = {film: number for number, film in enumerate(sorted(table.movieId.unique()))}
    last = table.groupby("userId").tail(1)
    assert data.test["item"].tolist() == last.movieId.map(numbers).tolist()
    assert data.train["item"].tolist() == table.drop(last.index).movieId.map(numbers).tolist()


def test_no_negative_of_the_real_set_was_rated_by_its_user(home: Path, tmp_path: Path) -> None:
    data = load(movielens_small(tmp_path))
    rated = np.zeros((610, 9_724), bool)
    for split in (data.train, data.test):
        rated[split["user"], split["item"]] = True
    assert rated.sum() == 100_836
    assert not np.take_along_axis(rated, data.test["negatives"], axis=1).any()
    assert all(len(set(row)) == 99 for row in data.test["negatives"].tolist())


def test_users_and_films_are_numbered_anew_and_of_one_time_the_later_line_is_the_last(tmp_path: Path) -> None:
    found = arrays(tmp_path, HEADER + LINES + REST)
    assert found["train_user"][:3].tolist() == [0, 0, 1]
    assert found["train_item"][:3].tolist() == [3, 1, 2]  # 104 at 10, 102 at 20; 103 at 10
    assert found["test_item"].tolist() == [0, 0, 123, 243]  # 101 at 20, in a later line than 102; 101 at 30


def test_ratings_between_double_colons_are_the_same_ratings(tmp_path: Path) -> None:
    content = (LINES + REST).replace(b",", b"::").replace(b".0", b"").replace(b".5", b"")
    zipped(tmp_path / "ml-1m.zip", {"ml-1m/ratings.dat": content})
    colons = replace(ml_1m.SOURCE, expected={}, name="ml-latest-small").arrays(tmp_path)
    for name, array in arrays(tmp_path, HEADER + LINES + REST).items():
        assert np.array_equal(array, colons[name])


def test_where_a_piece_ends_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = arrays(tmp_path, HEADER + LINES + REST)
    for piece in (7, 64, 1000):
        monkeypatch.setattr(member_streams, "PIECE_BYTES", piece)
        for name, array in arrays(tmp_path, HEADER + LINES + REST).items():
            assert np.array_equal(array, whole[name])


@pytest.mark.parametrize("piece", [1 << 22, 9])
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HEADER + LINES + b"4,105,1.0,NaN\n", "line 7.*NaN"),
        (HEADER + LINES + b"4,105,1.0,\n", "line 7"),
        (HEADER + LINES + b"4,105,1.0\n" + LINES, "line 7: Expected 4 columns, got 3"),
        (HEADER + LINES + b"4,105,1.0,10,6\n", "line 7: Expected 4 columns, got 5"),
        (HEADER + LINES + b"\n" + LINES, "line 7"),
        (HEADER + LINES + b"4,10\xff,1.0,10\n", "line 7"),
        (HEADER + LINES + b"4,99999999999,1.0,10\n", "line 7"),
        (b"user,item,rating,time\n" + LINES, "does not begin with userId,movieId,rating,timestamp"),
        (LINES, "does not begin with userId"),
        (HEADER, "has no ratings"),
        (b"", "has no ratings"),
        (HEADER + LINES + LINES + REST, "user number 0 has rated item number 0 twice"),
        (HEADER + LINES, "user number 0 leaves 1 items unrated, the test needs 99"),
    ],
)
def test_ratings_that_are_none_are_named_by_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, words: str, piece: int
) -> None:
    monkeypatch.setattr(member_streams, "PIECE_BYTES", piece)
    with pytest.raises(DataError, match=f"ml-latest-small.*{words}"):
        arrays(tmp_path, content)


@pytest.mark.parametrize("line", [b"4,105,1.0,10\n", b"4::105::1\n", b"4::105::1::x\n"])
def test_a_line_without_its_double_colons_is_named(tmp_path: Path, line: bytes) -> None:
    zipped(tmp_path / "ml-1m.zip", {"ml-1m/ratings.dat": b"1::2::3::4\n" + line})
    with pytest.raises(DataError, match=r"ml-1m\.zip: ml-1m/ratings\.dat: .*line 2"):
        ml_1m.SOURCE.arrays(tmp_path)


def test_other_sizes_than_the_published_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="ml-latest-small: read 4 users, not 610 and 244 items, not 9724"):
        ml_latest_small.SOURCE.arrays(small(tmp_path, HEADER + LINES + REST))


def test_twenty_million_are_read_as_the_small_set_is(tmp_path: Path) -> None:
    zipped(tmp_path / "ml-20m.zip", {"ml-20m/ratings.csv": HEADER + LINES + REST})
    found = replace(ml_20m.SOURCE, expected={}).arrays(tmp_path)
    assert found["test_item"].tolist() == [0, 0, 123, 243]
