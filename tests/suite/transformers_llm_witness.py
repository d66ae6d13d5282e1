"""Our weights in `transformers`' Llama and GPT-2, run by an interpreter that has it: likelihoods and greedy tokens.

python transformers_llm_witness.py FOLDER   reads settings.json, weights.npz and data.npz in each folder of it, and
writes witness.npz there: logits and nll of all windows, and the tokens that are likeliest after each prompt; and
public.npz, all that such a model's checkpoint holds.
Written for 4.35.2, where Llama's norm, softmax, waves and logits are in 32 bits whatever its weights are: not here.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

Weights = dict[str, np.ndarray]
NO_TOKENS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": 0}  # none ends a text
OF_LLAMA = {
    "attention_norm/gamma": "input_layernorm",
    "queries/kernel": "self_attn.q_proj",
    "keys/kernel": "self_attn.k_proj",
    "values/kernel": "self_attn.v_proj",
    "attention/kernel": "self_attn.o_proj",
    "inner_norm/gamma": "post_attention_layernorm",
    "gate/kernel": "mlp.gate_proj",
    "up/kernel": "mlp.up_proj",
    "down/kernel": "mlp.down_proj",
}
OF_GPT2 = {"attention_norm": "ln_1", "attention": "attn.c_proj", "inner_norm": "ln_2", "up": "mlp.c_fc"} | {
    "down": "mlp.c_proj"
}
ITS_WORDS = {"gamma": "weight", "kernel": "weight", "beta": "bias", "bias": "bias"}


def main(folder: Path) -> None:
    torch.set_default_dtype(torch.float64)
    torch.float32, torch.Tensor.float = torch.float64, torch.Tensor.double
    for place in sorted(folder.iterdir()):
        settings = json.loads((place / "settings.json").read_text())
        with np.load(place / "weights.npz") as weights, np.load(place / "data.npz") as data:
            net, x = filled(settings, dict(weights)), torch.from_numpy(data["x"].astype(np.int64))
        np.savez(place / "witness.npz", **told(net, x, settings["prompt_tokens"], settings["new_tokens"]))
        np.savez(place / "public.npz", **{name: one.numpy() for name, one in net.state_dict().items()})


def told(net: torch.nn.Module, x: torch.Tensor, prompt_tokens: int, new_tokens: int) -> Weights:
    prompts = x[:, :prompt_tokens]
    with torch.no_grad():
        logits = net(x[:, :-1]).logits
        written = net.generate(
            prompts, attention_mask=torch.ones_like(prompts), max_new_tokens=new_tokens, do_sample=False
        )
    nll = torch.nn.functional.cross_entropy(logits.transpose(1, 2), x[:, 1:], reduction="none")
    return {"logits": logits.numpy(), "nll": nll.numpy(), "tokens": written[:, prompt_tokens:].numpy()}


def filled(settings: dict, weights: Weights) -> torch.nn.Module:
    is_llama = settings["form"] == "llama"
    net = LlamaForCausalLM(llama(settings)) if is_llama else GPT2LMHeadModel(gpt2(settings))
    state = (of_llama if is_llama else of_gpt2)(weights, settings["layers"])
    table = weights["tokens/embeddings"]
    state["lm_head.weight"] = table if settings["tied"] else weights["likely/kernel"].T
    net.load_state_dict({name: torch.tensor(np.ascontiguousarray(one)) for name, one in state.items()})
    return net.eval()


def llama(settings: dict) -> LlamaConfig:
    return LlamaConfig(
        vocab_size=settings["vocabulary"],
        hidden_size=settings["width"],
        intermediate_size=settings["inner"],
        num_hidden_layers=settings["layers"],
        num_attention_heads=settings["heads"],
        num_key_value_heads=settings["kv_heads"],
        max_position_embeddings=settings["context"],
        rope_theta=settings["rotary_base"],
        rms_norm_eps=1e-5,
        tie_word_embeddings=settings["tied"],
        **NO_TOKENS,
    )


def gpt2(settings: dict) -> GPT2Config:
    return GPT2Config(
        vocab_size=settings["vocabulary"],
        n_embd=settings["width"],
        n_inner=settings["inner"],
        n_layer=settings["layers"],
        n_head=settings["heads"],
        n_positions=settings["context"],
        layer_norm_epsilon=1e-5,
        tie_word_embeddings=settings["tied"],
        **NO_TOKENS,
    )


def of_llama(weights: Weights, layers: int) -> Weights:
    """Its names; its kernels are [out, in]."""
    state = {
        f"model.layers.{number}.{its}.weight": weights[f"layer{number}_{ours}"].T
        for number in range(layers)
        for ours, its in OF_LLAMA.items()
    }
    table, norm = weights["tokens/embeddings"], weights["last_norm/gamma"]
    return {"model.embed_tokens.weight": table, "model.norm.weight": norm, **state}


def of_gpt2(weights: Weights, layers: int) -> Weights:
    """Its names; its kernels are [in, out], those of queries, keys and values side by side.

    We have no bias of keys: whatever it is, its softmax does not see it.
    """
    any_bias = np.random.default_rng(3).normal(0, 0.3, weights["layer0_keys/kernel"].shape[1:])
    weights = {**{f"layer{number}_keys/bias": any_bias for number in range(layers)}, **weights}
    state = {"transformer.wte.weight": weights["tokens/embeddings"]}
    state["transformer.wpe.weight"] = weights["positions/embeddings"]
    for number in range(layers):
        for word in ("kernel", "bias"):
            parts = [weights[f"layer{number}_{name}/{word}"] for name in ("queries", "keys", "values")]
            state[f"transformer.h.{number}.attn.c_attn.{ITS_WORDS[word]}"] = np.concatenate(parts, axis=-1)
    its = {
        f"layer{number}_{ours}": f"h.{number}.{one}"
        for number in range(layers)
        for ours, one in OF_GPT2.items()
    }
    for name, array in weights.items():
        layer, word = name.split("/")
        if layer in (its := {**its, "last_norm": "ln_f"}):
            state[f"transformer.{its[layer]}.{ITS_WORDS[word]}"] = array
    return state


if __name__ == "__main__":
    main(Path(sys.argv[1]))
