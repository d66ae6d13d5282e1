"""What XLA's instructions compute, by the names that the framework gave: `ynn_fusion.3` tells nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from suite.profilers.operators import FORWARD, GRADIENT, OPTIMISER, UNKNOWN, UPDATES

# A line of a module as XLA prints it: where a computation begins, or an instruction of it.
BEGINS = re.compile(
    r"(?:ENTRY )?%?(?P<computation>[\w.-]+) \(.*\{$"
    r"|\s+(?:ROOT )?%?(?P<name>[\w.-]+) = (?:\([^=]*?\)|\S+) (?P<opcode>[\w-]+)\(",
    re.ASCII,
)
OP_NAME = re.compile(r'op_name="(?P<name>(?:[^"\\]|\\.)*)"')
CALLED = re.compile(r"calls=%?(?P<name>[\w.-]+)")
WRAPPED = re.compile(r"\w+\((?P<inner>.*)\)")  # jit(relu), jvp(...)
ENTRY = re.compile(r"p?jit\([^()]*\)")  # the function that is compiled
# Of loops and calls, which stand around what is computed.
AROUND = {
    "while",
    "body",
    "cond",
    "closed_call",
    "core_call",
    "remat",
    "checkpoint",
    "shard_map",
    "eval_jaxpr",
}
BRANCH = re.compile(r"branch_\d+_fun")
CALLERS = {"while", "call", "conditional"}
COSTLY = {"convolution": re.compile("conv"), "dot": re.compile("dot|gemm|mat_?mul", re.IGNORECASE)}
LAST = 3  # parts of a name
FUSED = 3  # opcodes by which a fusion is known that has no name
FUSION = "fusion"


@dataclass(frozen=True)
class Computed:
    """By which name and in which scope; `opcode` is XLA's."""

    name: str
    scope: str
    opcode: str

    @property
    def calls_others(self) -> bool:
        """Whose times are their own."""
        return self.opcode in CALLERS


@dataclass(frozen=True)
class Instruction:
    """`op_name` and `op_type` are the framework's words, empty where it has none; `called` is a computation."""

    name: str
    opcode: str
    op_name: str = ""
    op_type: str = ""
    called: str = ""


def of_module(computations: Mapping[str, Sequence[Instruction]]) -> Iterator[tuple[str, Computed]]:
    """Every instruction, by its name."""
    for several in computations.values():
        for one in several:
            yield one.name, _fused(one, computations) if one.opcode == FUSION else of(one)


def of_text(module: str) -> dict[str, list[Instruction]]:
    """The computations of a module as XLA prints it."""
    found: dict[str, list[Instruction]] = {}
    here: list[Instruction] = []
    for line in module.splitlines():
        match = BEGINS.match(line)
        if match and match["computation"]:
            here = found.setdefault(match["computation"], [])
        elif match:
            told, called = OP_NAME.search(line), CALLED.search(line)
            names = told["name"] if told else "", "", called["name"] if called else ""
            here.append(Instruction(match["name"], match["opcode"], *names))
    return found


def _fused(fusion: Instruction, computations: Mapping[str, Sequence[Instruction]]) -> Computed:
    """A fusion takes its time for the costly one among its instructions, whatever it is named for."""
    within = computations.get(fusion.called, ())
    if costly := next((one for one in within if one.opcode in COSTLY), None):
        return of(costly)
    named = [fusion, *(one for one in reversed(within) if one.opcode != "parameter")]
    if found := next((what for one in named if (what := of(one)).name != one.opcode), None):
        return found
    opcodes = dict.fromkeys(
        one.opcode for one in reversed(within) if one.opcode not in ("parameter", "constant")
    )
    return Computed("+".join([*opcodes][:FUSED]) or FUSION, of(fusion).scope, FUSION)


def of(one: Instruction) -> Computed:
    """JAX tells the path of calls, "jit(f)/transpose(jvp(relu))/max", TensorFlow a type beside the path."""
    path = one.op_name.split("/")
    parts = [part for part in map(_plain, path[1:] if ENTRY.fullmatch(path[0]) else path) if part]
    costly = COSTLY.get(one.opcode)
    if costly and parts and not one.op_type and not costly.search(parts[-1]):
        parts[-1] = one.opcode  # which XLA names for a transposition before it
    name = one.op_type or "/".join(parts[-LAST:]) or one.opcode
    return Computed(name, _scope(one.op_name, parts), one.opcode)


def _scope(path: str, parts: Sequence[str]) -> str:
    if not path:
        return UNKNOWN
    if UPDATES & set(parts):
        return OPTIMISER
    return GRADIENT if "transpose(jvp(" in path or "gradient_tape" in parts else FORWARD


def _plain(part: str) -> str:
    """Without what JAX wraps around it; empty for what stands around all, and for functions without a public name."""
    while match := WRAPPED.fullmatch(part):
        part = match["inner"]
    return "" if part in AROUND or part.startswith("_") or BRANCH.fullmatch(part) else part
