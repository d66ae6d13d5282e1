"""A proof is void once what its framework runs has changed, and only then."""

from __future__ import annotations

import ast
import shutil
from collections import Counter
from pathlib import Path

import pytest

from harness import paths
from harness.conformance.code import ENTRANCES, Checkout, code_files, code_sha256
from harness.conformance.imports import nodes_of
from harness.environments.frameworks import frameworks

BOTH = ("torch", "jax")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what is hashed, whose files a test may change."""
    frameworks()  # whose locks stay where they are
    for name in ("suite", "harness/conformance", "images"):
        shutil.copytree(paths.ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "SUITE", tmp_path / "suite")
    monkeypatch.setattr(
        "harness.conformance.code.framework", lambda name: _Framework(tmp_path / "images" / name)
    )
    return tmp_path


class _Framework:
    def __init__(self, folder: Path) -> None:
        self.folder = folder


def changed_by(checkout: Path, file: str, workload: str = "mnist_cnn") -> set[str]:
    """The frameworks whose code is another once this file is."""
    names = ("torch", "jax", "tensorflow", "keras", "keras-jax", "keras-torch")
    before = {name: code_sha256(workload, name) for name in names}
    (checkout / file).write_text((checkout / file).read_text() + "\n# changed\n")
    return {name for name in names if code_sha256(workload, name) != before[name]}


@pytest.mark.parametrize(
    ("file", "frameworks_changed"),
    [
        ("suite/trainers/torch_trainer.py", {"torch"}),
        ("suite/trainers/torch_layout.py", {"torch"}),
        ("suite/trainers/jax_layers.py", {"jax"}),
        ("suite/trainers/optimizers.py", {"jax", "tensorflow"}),
        ("suite/trainers/keras_trainer.py", {"keras", "keras-jax", "keras-torch"}),
        ("suite/keras_backends.py", {"keras", "keras-jax", "keras-torch"}),
        ("suite/runtimes/jax_runtime.py", {"jax", "keras-jax"}),
        ("suite/runtimes/torch_runtime.py", {"torch", "keras-torch"}),
        ("suite/mnist_cnn/tensorflow_impl.py", {"tensorflow"}),
        ("suite/mnist_mlp/spec.py", set()),
        ("suite/trainers/sklearn_trainer.py", set()),
        ("suite/classical.py", set()),
    ],
)
def test_a_file_voids_the_proofs_of_those_who_run_it(
    checkout: Path, file: str, frameworks_changed: set[str]
) -> None:
    assert changed_by(checkout, file) == frameworks_changed


@pytest.mark.parametrize(
    "file",
    [
        "suite/mnist_cnn/spec.py", "suite/image_classifier.py", "suite/neural.py", "suite/spec.py", "suite/run.py",
        "suite/verify.py", "suite/kept.py", "suite/metrics.py", "suite/runtimes/waiting.py", "suite/__init__.py",
        "harness/conformance/tolerances.py",
    ],
)  # fmt: skip
def test_what_all_run_voids_every_proof(checkout: Path, file: str) -> None:
    assert len(changed_by(checkout, file)) == 6


def test_what_an_implementation_has_beside_it_is_its_code_too() -> None:
    names = {
        str(path.relative_to(paths.SUITE))
        for path in code_files("random_forest", "sklearn")
        if paths.SUITE in path.parents
    }
    assert {"random_forest/trees.py", "random_forest/sklearn_impl.py", "classical.py"} <= names


@pytest.mark.parametrize(
    "line",
    [
        "from . import layers_of_mine",
        "from .layers_of_mine import conv",
        "from ..mnist_cnn.layers_of_mine import conv",
        "def late():\n    from suite.mnist_cnn.layers_of_mine import conv",
        'mine = importlib.import_module("suite.mnist_cnn.layers_of_mine")',
        'import importlib; mine = importlib.import_module("suite.mnist_cnn.layers_of_mine")',
        'mine = importlib.import_module("suite" ".mnist_cnn.layers_of_mine")',
        'mine = importlib.import_module("\\x73uite.mnist_cnn.layers_of_mine")',
    ],
)
def test_a_module_is_code_however_it_is_imported(checkout: Path, line: str) -> None:
    (checkout / "suite/mnist_cnn/layers_of_mine.py").write_text("conv = 1\n")
    with (checkout / "suite/mnist_cnn/torch_impl.py").open("a") as file:
        file.write(f"\n{line}\n")
    assert changed_by(checkout, "suite/mnist_cnn/layers_of_mine.py") == {"torch"}


@pytest.mark.parametrize("file", ["suite/mnist_cnn/vocabulary.txt", "suite/mnist_cnn/tables/merges.json"])
def test_data_beside_the_code_is_code_too(checkout: Path, file: str) -> None:
    (checkout / file).parent.mkdir(exist_ok=True)
    (checkout / file).write_text("a b\n")
    assert len(changed_by(checkout, file)) == 6
    assert changed_by(checkout, file, "mnist_mlp") == set()


def test_modules_whose_names_are_computed_are_imported_by_the_entrances_alone() -> None:
    """And by the profilers' room: what looks at a run computes nothing of it, and such a run is in no figure."""
    computed = {
        ".".join(path.relative_to(paths.ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in paths.SUITE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).endswith(("import_module", "__import__"))
        and not isinstance(node.args[0], ast.Constant)
    }
    assert computed == {*ENTRANCES, "suite.profilers"}


def test_no_import_and_no_text_is_passed_over() -> None:
    kinds = ast.Import, ast.ImportFrom, ast.Constant
    for path in paths.SUITE.rglob("*.py"):
        tree = ast.parse(path.read_bytes())
        seen, all_of_them = (
            Counter(ast.dump(node, include_attributes=True) for node in nodes if isinstance(node, kinds))
            for nodes in (nodes_of(tree), ast.walk(tree))
        )
        assert seen == all_of_them, path


def test_one_look_tells_the_same_of_each_and_reads_no_file_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [(workload, name) for workload in ("mnist_cnn", "mnist_mlp") for name in BOTH]
    apart = [code_sha256(*pair) for pair in pairs]
    read, read_bytes = [], Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: (read.append(path), read_bytes(path))[1])
    checkout = Checkout()
    read.clear()  # what it knows of looks before, and their reader
    assert [checkout.sha256(*pair) for pair in pairs] == apart
    assert len(read) == len(set(read))
    assert set(read) == {file for pair in pairs for file in code_files(*pair)}
