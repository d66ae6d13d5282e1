"""The public Llama and GPT-2 of `transformers`, with our weights, tell what we tell, and write what we write."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from harness import paths
from tests.suite.llm_by_hand import ByHand
from tests.suite.test_llm import FORMS, SCRIPT, drawn

WITNESS = paths.ROOT / ".venv-witness/bin/python"
PUBLIC = [name for name, changed in FORMS.items() if "fewer keys" not in name]  # GPT-2 has keys for each head


@pytest.fixture(scope="module")
def told_of(tmp_path_factory):
    """A folder of cases with what the library tells of them."""
    assert WITNESS.exists(), "`make test-slow` makes its environment"
    folder = tmp_path_factory.mktemp("cases")
    cases = {name: drawn(FORMS[name], folder / name) for name in PUBLIC}
    subprocess.run([WITNESS, Path(__file__).with_name("transformers_llm_witness.py"), folder], check=True)
    return folder, cases


@pytest.mark.frameworks
@pytest.mark.slow
def test_the_transformers_library_tells_the_same_likelihoods_and_writes_the_same_tokens(told_of, found_by):
    folder, cases = told_of
    found = found_by(SCRIPT, "torch", "torch", folder, *cases)
    for name in cases:
        with np.load(folder / name / "witness.npz") as told:
            assert np.array_equal(found[name]["tokens"], told["tokens"]), name
            assert np.array(found[name]["nll"]) == pytest.approx(told["nll"], rel=1e-10), name


@pytest.mark.slow
def test_the_transformers_library_gives_the_logits_of_the_formulas(told_of):
    folder, cases = told_of
    for name, (spec, weights, x) in cases.items():
        with np.load(folder / name / "witness.npz") as told:
            wanted = [ByHand(spec, weights).logits(tokens) for tokens in x[:, :-1].tolist()]
            assert np.array(wanted) == pytest.approx(told["logits"], rel=1e-10, abs=1e-10), name


@pytest.mark.slow
def test_a_checkpoint_of_the_transformers_library_is_taken_for_the_weights_that_it_was_given(told_of):
    folder, cases = told_of
    for name, (spec, weights, _) in cases.items():
        with np.load(folder / name / "public.npz") as public:
            taken = spec.from_checkpoint(dict(public)).weights
        assert taken.keys() == weights.keys(), name
        assert all(np.array_equal(taken[one], array) for one, array in weights.items()), name
