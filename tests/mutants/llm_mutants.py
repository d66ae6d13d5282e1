"""Faults in the language model, each in one framework; where a form is named, the other one has no such place."""

from __future__ import annotations

from tests.mutants.planted import Mutant

TORCH, TORCH_WRITER, TORCH_TRAINER = "llm/torch_impl.py", "llm/torch_writer.py", "trainers/torch_trainer.py"
TORCH_IN_PLACE = "llm/torch_in_place.py"
JAX, JAX_WRITER, JAX_TRAINER = "llm/jax_impl.py", "llm/jax_writer.py", "trainers/jax_trainer.py"
TORCH_SERVER, JAX_SERVER = "llm/torch_server.py", "llm/jax_server.py"
SEEN = "            seen,\n            is_causal=queries.shape[2] > 1,\n"
GROUPED = "            enable_gqa=self.spec.kv_heads != self.spec.heads,\n"


def _torch(name: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"torch-llm-{name}", "torch", "llm", file, old, new)


def _jax(name: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"jax-llm-{name}", "jax", "llm", file, old, new)


ATTENTION = [
    _torch("positions-one-off-in-decoding", TORCH, "queries, keys = (turned(one, turns) for one in (queries, keys))", """if len(x[0]) == 1:
                is_slice = isinstance(places, slice)
                turns = self._turns(slice(places.start + 1, places.stop + 1) if is_slice else places + 1)
            queries, keys = (turned(one, turns) for one in (queries, keys))"""),
    _torch("sees-the-next-token", TORCH, SEEN, """            torch.ones(queries.shape[2], keys.shape[2], dtype=torch.bool).tril(1)
            if queries.shape[2] > 1
            else seen,
"""),
    _torch("does-not-see-its-own-token", TORCH, SEEN, """            torch.ones(queries.shape[2], keys.shape[2], dtype=torch.bool).tril(-1).index_fill(
                1, torch.zeros(1, dtype=torch.long), True
            )
            if queries.shape[2] > 1
            else seen,
"""),
    _torch("keys-repeated-in-another-order", TORCH, """            keys,
            values,
            seen,
            is_causal=queries.shape[2] > 1,
""" + GROUPED, """            keys.repeat(1, self.spec.heads // self.spec.kv_heads, 1, 1),
            values.repeat(1, self.spec.heads // self.spec.kv_heads, 1, 1),
            seen,
            is_causal=queries.shape[2] > 1,
"""),
    _torch("neighbours-turned-for-halves", TORCH_IN_PLACE, "one, other = x.chunk(2, -1)\n", "one, other = x[..., ::2], x[..., 1::2]\n"),
    _jax("keys-repeated-in-another-order", JAX, "queries.reshape(n, kv_heads, -1, x.shape[1], head_width)", "queries.reshape(n, -1, kv_heads, x.shape[1], head_width).swapaxes(1, 2)"),
    _jax("softmax-in-32-bits", JAX, "jnp.where(seen, scores, -jnp.inf)).astype", "jnp.where(seen, scores, -jnp.inf).astype(jnp.float32)).astype"),
]  # fmt: skip

CACHES = [
    _torch("cache-one-token-stale", TORCH_WRITER, "        return self.keys[:, :, : places.stop], self.values[:, :, : places.stop], None\n", """        if keys.shape[2] > 1:
            return keys, values, None
        before = slice(places.stop - 1)
        return self.keys[:, :, before], self.values[:, :, before], None
"""),
    _torch("cache-written-a-place-too-early", TORCH_WRITER, "        self.keys[:, :, places], self.values", """        if keys.shape[2] == 1:
            places = slice(places.start - 1, places.stop - 1)
        self.keys[:, :, places], self.values"""),
    _torch("second-token-from-the-last-prompt-token", TORCH_WRITER, "range(first, first + self.spec.new_tokens - 1)", "range(first - 1, first + self.spec.new_tokens - 2)"),
    _jax("cache-one-token-stale", JAX_WRITER, "else (self.keys, self.values)", "else (self.keys.at[:, :, first].set(0), self.values.at[:, :, first].set(0))"),
    _jax("positions-one-off-in-decoding", JAX_WRITER, "places = first + lax.iota", "places = first - 1 + lax.iota"),
]  # fmt: skip

SLOTS = [
    _torch("slots-do-not-see-their-last-token", TORCH_SERVER, "(all_places <= places)", "(all_places < places)"),
    _torch("slots-see-as-far-as-the-furthest", TORCH_SERVER, "(all_places <= places)", "(all_places <= places.max() + 0 * places)"),
    _torch("first-token-in-another-slot", TORCH_SERVER, "self.tokens[slot] =", "self.tokens[slot - 1] ="),
    _jax("slots-one-place-behind", JAX_SERVER, "(*slots, places)", "(*slots, places - 1)"),
    _jax("prompt-in-another-slot-s-cache", JAX_SERVER, "dynamic_update_slice_in_dim(of_all, of_one, slot, 0)", "dynamic_update_slice_in_dim(of_all, of_one, slot - (of_all.ndim > 2), 0)"),
]  # fmt: skip

LAYERS = [
    _torch("exact-gelu", TORCH_IN_PLACE, 'functional.gelu(x, approximate="tanh")', "functional.gelu(x)"),
    _torch("exact-gelu-in-place", TORCH_IN_PLACE, 'aten.gelu_(x, approximate="tanh")', "aten.gelu_(x)"),
    _torch("gate-and-up-exchanged", TORCH_IN_PLACE, "functional.silu(gate) * up", "functional.silu(up) * gate"),
    _torch("gate-and-up-exchanged-in-place", TORCH_IN_PLACE, "functional.silu(gate, inplace=True).mul_(up)", "functional.silu(up, inplace=True).mul_(gate)"),
    _torch("residual-left-out-in-place", TORCH_IN_PLACE, "else x.add_(more)", "else x"),
    _torch("epsilon-of-the-norm-outside-the-root", TORCH, "        return self.last_norm(x)\n", """        if self.spec.form == LLAMA:
            return x / (x.square().mean(-1, keepdim=True).sqrt() + self.spec.norm_epsilon) * self.last_norm.weight
        return self.last_norm(x)
"""),
    _jax("exact-gelu", JAX, "gelu(up, approximate=True)", "gelu(up, approximate=False)"),
]  # fmt: skip

LEARNING = [
    _torch("loss-on-the-token-itself", TORCH, "self.logits(self.states(x[:, :-1])), x[:, 1:]", "self.logits(self.states(x[:, :-1])), x[:, :-1]"),
    _torch("loss-without-the-last-token", TORCH, 'return outputs["nll"].mean()', 'return outputs["nll"][:, :-1].mean()'),
    _torch("decay-of-norms", TORCH_TRAINER, '{"params": plain, "weight_decay": 0.0}', '{"params": plain}'),
    _torch("schedule-a-step-ahead", TORCH_TRAINER, "self.spec.rates(self._steps, 1)", "self.spec.rates(self._steps + 1, 1)"),
    _torch("gradients-summed-for-their-mean", TORCH_TRAINER, "        (loss * scale).backward() if scale != 1.0 else loss.backward()\n", "        (loss * self.spec.micro_batches).backward()\n"),
    _torch("last-part-of-a-batch-left-out", TORCH_TRAINER, "for number in range(parts)]", "for number in [*range(parts - 1), 0]]"),
    _jax("gradients-summed-for-their-mean", JAX_TRAINER, "lambda one: one / parts, sums)", "lambda one: one / parts, sums)\n        gradients = sums[1]"),
]  # fmt: skip

MUTANTS = [*ATTENTION, *CACHES, *SLOTS, *LAYERS, *LEARNING]
