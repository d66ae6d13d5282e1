"""The stacks that a run keeps, and those that a stranger made."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness.errors import UnsafeFile, UsageError
from harness.profiling import stacks_file
from harness.profiling.trace import SeenStacks

SEEN = SeenStacks([1, 5, 5, 9], ["a (x.py)", "a (x.py);b (y.py)", "", "a (x.py)"])


def written(folder, **columns):
    table = pa.table({"t_ns": [1, 2], "stack": ["a (x.py)", "b (x.py)"], **columns})
    pq.write_table(table, folder / stacks_file.STACKS_FILE)


def test_what_was_written_is_read(tmp_path):
    stacks_file.write(tmp_path, SEEN)
    assert stacks_file.read(tmp_path) == SEEN


def test_no_looks_are_none(tmp_path):
    stacks_file.write(tmp_path, SeenStacks([], []))
    assert stacks_file.read(tmp_path) == SeenStacks([], [])


def test_names_are_shown_and_never_obeyed_however_long(tmp_path):
    written(tmp_path, stack=["x" * 100_000 + ";b\x1b[2J\u202e (x.py)", "a\n (x.py)"])
    first, second = stacks_file.read(tmp_path).stacks
    assert first == "x" * stacks_file.LONGEST_FRAME + r";b\x1b[2J\u202e (x.py)"
    assert second == r"a\n (x.py)"


@pytest.mark.parametrize(
    ("columns", "reason"),
    [
        ({"t_ns": [2, 1]}, "time runs backwards"),
        ({"t_ns": [1, None]}, "without its time or stack"),
        ({"stack": ["a", None]}, "without its time or stack"),
        ({"t_ns": ["1", "2"]}, "no column t_ns of type INT64"),
        ({"stack": [1, 2]}, "no column stack of type BYTE_ARRAY"),
    ],
)
def test_what_is_no_table_of_stacks_is_one_line(tmp_path, columns, reason):
    written(tmp_path, **columns)
    with pytest.raises(UsageError, match=f"cannot be read as stacks .*{reason}"):
        stacks_file.read(tmp_path)


def test_endless_stacks_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(stacks_file, "MOST_CHARACTERS", 15)
    written(tmp_path)
    with pytest.raises(UsageError, match="more than the 15 characters"):
        stacks_file.read(tmp_path)


def test_a_link_is_not_followed(tmp_path):
    written(tmp_path)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / stacks_file.STACKS_FILE).symlink_to(tmp_path / stacks_file.STACKS_FILE)
    with pytest.raises(UnsafeFile):
        stacks_file.read(linked)


def test_a_run_without_stacks_says_so(tmp_path):
    with pytest.raises(UsageError, match="has no stacks"):
        stacks_file.read(tmp_path)
