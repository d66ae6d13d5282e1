"""Functions by the names under which users of a framework know them, as cProfile sees them in the pinned versions."""

import pandas as pd
import pytest

from harness.analysis import function_times
from harness.analysis.api_names import api
from harness.profiling.function_files import FUNCTION_COLUMNS


@pytest.mark.parametrize(
    ("framework", "function", "name"),
    [
        ("torch", "<method 'run_backward' of 'torch._C._EngineBase' objects>", "torch.autograd.backward"),
        ("torch", "<built-in method torch.max_pool2d>", "torch.max_pool2d"),
        ("torch", "<built-in method addmm>", "torch.addmm"),  # before its names had a module
        ("torch", "<built-in method torch._C._nn.linear>", "torch.nn.functional.linear"),
        ("torch", "<method 'add_' of 'torch._C.TensorBase' objects>", "torch.Tensor.add_"),
        ("torch", "<method 'add_' of 'torch._C._TensorBase' objects>", "torch.Tensor.add_"),
        ("keras-torch", "<method 'add_' of 'torch._C.TensorBase' objects>", "torch.Tensor.add_"),
        ("keras", "<built-in method tensorflow.python._pywrap_tfe.TFE_Py_Execute>", "tensorflow.function"),
        ("sklearn", "<method 'copy' of 'numpy.ndarray' objects>", "numpy.ndarray.copy"),
        ("sklearn", "<built-in method time.sleep>", "joblib.Parallel"),  # it waits for trees on other threads
        ("torch", "<built-in method time.sleep>", ""),
        ("torch", "<built-in method builtins.sum>", ""),
        ("torch", "<method 'append' of 'list' objects>", ""),
    ],
)
def test_functions_in_c(framework, function, name):
    assert api("~", function, framework) == name


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("torch/optim/sgd.py", "torch.optim.sgd.step"),
        ("/opt/conda/lib/python3.6/site-packages/torch/optim/sgd.py", "torch.optim.sgd.step"),
        ("json/__init__.py", "json.step"),
        ("suite/trainers/torch_trainer.py", ""),  # no API
        ("/workspace/gnmt/train.py", ""),
        ("<frozen importlib._bootstrap>", ""),
    ],
)
def test_functions_in_python_are_known_by_their_module(file, name):
    assert api(file, "step", "torch") == name


def test_what_waits_for_a_result_is_known_by_its_public_name():
    assert api("jax/_src/array.py", "_value", "keras-jax") == "jax.device_get"


def test_functions_below_one_percent_are_not_listed():
    shares = (0.2, 0.7, 0.01, 0.009)
    rows = [("torch/a.py", 7, f"f{n}", 1, 1, one, one, one) for n, one in enumerate(shares)]
    found = function_times.costliest(pd.DataFrame(rows, columns=FUNCTION_COLUMNS), "torch")
    assert found["api"].tolist() == ["torch.a.f1", "torch.a.f0", "torch.a.f2"]


def test_no_more_are_listed_than_can_hold_a_hundredth_each():
    rows = [("torch/a.py", 7, "f", 1, 1, 1.0, 1.0, 1.0)] * 5000
    assert len(function_times.costliest(pd.DataFrame(rows, columns=FUNCTION_COLUMNS), "torch")) == 100


def test_a_function_without_a_public_name_is_told_with_its_place():
    row = pd.Series({"api": "", "function": "main", "file": "/x/train.py", "line": 7})
    assert function_times.shown(row) == "main (/x/train.py:7)"
    assert function_times.shown(row.replace({7: 0, "/x/train.py": "~"})) == "main"
