"""Settings that a language model cannot have: one line that names the setting, exit code 2, and nothing is begun."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.datasets import prepared, source

pytestmark = pytest.mark.unhurried
PLAN = """
repetitions = 1
sample_period_s = 0.1
baseline_s = 0.1
run_timeout_s = 60.0
expected_run_s = 10.0
power_model = {idle_w = 10, busy_cpu_w = 8}
[factors]
workload = ["llm"]
framework = ["torch"]
dataset = ["synthetic-wikitext"]
[settings]
"""
MISTAKES = {
    'size = ["2b"]': "llm: size must be one of tiny, 10m, 124m, 1b, 8b, not '2b'",
    "size = [124]": "llm: size must be of type str, not 124",
    'form = ["qwen"]': "llm: form must be one of llama, gpt2, not 'qwen'",
    "heads = [5]": "llm: heads must divide width, 768",
    "kv_heads = [5]": "llm: kv_heads must divide heads, 12",
    'size = ["1b"]\nheads = [64]\nkv_heads = [3]': "llm: kv_heads must divide heads, 64",
    'form = ["llama"]\nwidth = [36]': "llm: width / heads must be even, not 3",
    "accumulate = [3]": "llm: accumulate must divide batch_size, 32",
    "predict_batch_size = [24]": "llm: predict_batch_size must divide requests, 32",
    "prompt_tokens = [900]\nnew_tokens = [125]": "prompt_tokens + new_tokens must be at most context, which is 1024",
    'size = ["tiny"]\nprompt_tokens = [64]': "llm: prompt_tokens + new_tokens must be at most context, which is 96",
    "new_tokens = [1]": "llm: new_tokens must be at least 2: the first one is the prefill's",
    "layers = [0]": "llm: layers must be at least 1, not 0",
    "context = [-5]": "llm: context must be at least 1, not -5",
    "context = [1.5]": "llm: context must be of type int, not 1.5",
    "rotary_base = [0.5]": "llm: rotary_base must be at least 1, not 0.5",
    "learning_rate = [-0.1]": "llm: learning_rate must be at least 0, not -0.1",
    'checkpoint = ["yes"]': "llm: checkpoint must be of type bool, not 'yes'",
    "tied = [1]": "llm: tied must be of type bool, not 1",
    "evaluate_every = [300]": "llm: evaluate_every must divide iterations, 2000",
    'precision = ["fp8"]': "llm: precision must be one of fp32, tf32, bf16, fp16, not 'fp8'",
    'optimizer = ["lion"]': "llm: optimizer must be one of sgd, adam, not 'lion'",
    "parameters = [8]": "llm has no setting 'parameters'; it has ",
    'pretrained = ["gpt2"]': "no file is named for pretrained 'gpt2': add it to [weights] of the plan",
    "vocabulary = [10]": "nothing of the plan can run: vocabulary is 10, the data set has 1000 tokens",
    # Of the training text, and of the other one.
    "context = [70000]": "has 0 windows of 70000 tokens, it takes at least 32: set context or batch_size lower",
    "context = [20000]\nbatch_size = [1]": "the test text has 0 windows of 20000 tokens, it takes at least 1",
}  # fmt: skip


@pytest.fixture(scope="module")
def with_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the stand-in's text is prepared."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOULEMARK_HOME", str(home := tmp_path_factory.mktemp("home")))
        prepared.prepare(source("synthetic-wikitext"), Path())
    return home


@pytest.mark.parametrize("settings", MISTAKES)
def test_a_setting_that_it_cannot_have_is_one_line(
    refused: Callable[..., str],
    with_text: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: str,
) -> None:
    monkeypatch.setenv("JOULEMARK_HOME", str(with_text))
    plan, out = tmp_path / "own.toml", tmp_path / "campaign"
    plan.write_text(PLAN + settings)
    words = ("--all", "--profile", plan, "--environment", "virtualenv", "--no-verify", "-o", out)
    assert MISTAKES[settings] in refused("run", *words)
    assert not out.exists()
