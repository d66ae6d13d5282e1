"""The benchmark of a data set's questions goes on running as the tables that it makes up change."""

from pathlib import Path

from tests.bench.dataset_query import asked, lay_down


def test_few_made_up_runs_are_asked_as_many_are(tmp_path: Path) -> None:
    assert lay_down(tmp_path, 1_000) > 0
    asked(str(tmp_path))
