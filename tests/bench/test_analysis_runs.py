"""The benchmark of many runs goes on running as the tables that it makes up change."""

import pytest

from tests.bench.analysis_runs import FACTORS, analysed


@pytest.mark.parametrize("nodes", [1, 4])
def test_few_made_up_runs_are_analysed_as_many_are(nodes: int) -> None:
    analysed(40 * len(FACTORS), nodes)
