"""Scripts that find something out in the frameworks' own environments, each in a process of one thread."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def found_by(framework_python, tmp_path_factory):
    """A function (script, framework, *words) -> what the script has written to the JSON file that it is given first."""
    folder, numbers = tmp_path_factory.mktemp("found"), count()

    def find(script, framework, *words):
        out = folder / f"{next(numbers)}.json"
        command = [framework_python(framework), "-c", script, out, *words]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert result.returncode == 0, result.stderr[-2000:]
        assert result.stdout == ""
        return json.loads(out.read_text())

    return find


@pytest.fixture(scope="module")
def found_in_each(request, found_by, framework_python):
    """A function (script, words_of, *frameworks) -> {framework: what the script found, once that is known}.

    At once for these and for every framework that the chosen tests of the file name: a CPU for each process.
    """
    tests = [
        item for item in request.session.items if item.path == request.path and hasattr(item, "callspec")
    ]
    named = {item.callspec.params.get("framework") for item in tests} - {None}

    with ThreadPoolExecutor(os.cpu_count()) as pool:

        def find(script, words_of, *frameworks):
            wanted = dict.fromkeys([*frameworks, *sorted(named)])  # these first: every test needs them
            for name in wanted:
                framework_python(name)  # made one after the other
            return {name: pool.submit(found_by, script, name, *words_of(name)) for name in wanted}

        yield find
