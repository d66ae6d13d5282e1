"""Our weights in `transformers`' Transformer-XL, run by an interpreter that has it: weights and data -> likelihoods.

python transformers_witness.py FOLDER   reads sizes.json, weights.npz and data.npz there, writes nll.npy
Releases before 4.36 have it; written for 4.35.2. Three things of it are mended, since they round to 32 bits.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
from transformers import TransfoXLConfig, TransfoXLLMHeadModel


def main(folder: Path) -> None:
    sizes = json.loads((folder / "sizes.json").read_text())
    columns = sizes.pop("columns")
    config = TransfoXLConfig(
        **sizes, clamp_len=-1, same_length=False, untie_r=False, dropout=0.0, dropatt=0.0
    )
    with np.load(folder / "weights.npz") as weights:
        net = filled(TransfoXLLMHeadModel(config).double().eval(), dict(weights))
    with np.load(folder / "data.npz") as data:
        x = torch.from_numpy(data["x"].astype(np.int64))
    found, mems = [], None
    with torch.no_grad():
        for words in x.split(columns):
            told = net.transformer(words[:, :-1], mems=mems)
            scores, mems = net.crit(told.last_hidden_state.flatten(0, 1)), told.mems
            found.append(-scores.gather(1, words[:, 1:].reshape(-1, 1)).view(columns, -1))
    np.save(folder / "nll.npy", torch.cat(found).numpy())


def filled(net: TransfoXLLMHeadModel, weights: dict[str, np.ndarray]) -> TransfoXLLMHeadModel:
    inside, likely = net.transformer, net.crit
    torch.Tensor.float = lambda self: self  # of scores, before they are masked
    width = inside.pos_emb.demb
    inside.pos_emb.inv_freq = 10_000 ** -(torch.arange(0, width, 2, dtype=torch.float64) / width)
    for number, layer in enumerate(inside.word_emb.emb_layers):
        put(layer.weight, weights[f"words{number}/embeddings"])
        put(inside.word_emb.emb_projs[number], weights[f"wide{number}/kernel"].T)
        likely.out_projs[number] = inside.word_emb.emb_projs[number]
        likely.out_layers[number].weight = layer.weight
        put(likely.out_layers[number].bias, weights[f"likely{number}/bias"])
    put(likely.cluster_weight, weights["clusters/kernel"].T)
    put(likely.cluster_bias, weights["clusters/bias"])
    put(inside.r_w_bias, weights["content/bias"])
    put(inside.r_r_bias, weights["position/bias"])
    for number, layer in enumerate(inside.layers):
        own = {
            name.partition("_")[2]: one for name, one in weights.items() if name.startswith(f"layer{number}_")
        }
        fill(layer.dec_attn, layer.pos_ff, own)
    return net


def fill(attention: torch.nn.Module, forward: torch.nn.Module, own: dict[str, np.ndarray]) -> None:
    put(attention.qkv_net.weight, np.concatenate([own["queries/kernel"], own["memory/kernel"]], 1).T)
    put(attention.r_net.weight, own["positions/kernel"].T)
    put(attention.o_net.weight, own["attention/kernel"].T)
    for place, name in ((0, "inner"), (3, "outer")):
        put(forward.CoreNet[place].weight, own[f"{name}/kernel"].T)
        put(forward.CoreNet[place].bias, own[f"{name}/bias"])
    for norm, name in ((attention.layer_norm, "attention_norm"), (forward.layer_norm, "outer_norm")):
        put(norm.weight, own[f"{name}/gamma"])
        put(norm.bias, own[f"{name}/beta"])


def put(parameter: torch.nn.Parameter, array: np.ndarray) -> None:
    if parameter.shape != array.shape:
        raise ValueError(f"an array of {array.shape} for a parameter of {tuple(parameter.shape)}")
    parameter.data = torch.tensor(array, dtype=torch.float64)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
