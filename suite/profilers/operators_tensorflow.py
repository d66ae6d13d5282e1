"""TensorFlow's operators by its own profiler: those of graphs, those called one by one, and XLA's instructions."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tensorflow as tf
from tensorflow.compiler.xla.service import hlo_pb2
from tensorflow.tsl.profiler.protobuf import xplane_pb2

from suite.profilers import hlo, xla_spans
from suite.profilers.nesting import Span, own_ns
from suite.profilers.operators import (
    FORWARD,
    GRADIENT,
    NS_PER_S,
    OPTIMISER,
    UPDATES,
    Call,
    RecordedWindow,
    table,
)
from suite.profilers.xla_spans import Traced

IN_GRAPH = re.compile(r"(?P<node>[^:]+):(?P<op>[A-Za-z_]\w*)")
BY_ITSELF = re.compile(r"EagerLocalExecute: (?P<op>\w+)")
FUNCTION = "__inference"  # of a graph: a function of Python, whose operators tell for themselves
GRADIENTS = re.compile(r"Grad|Backprop")
METADATA, HLO_PROTO = "/host:metadata", "Hlo Proto"
HOST, DEVICE = "/host:CPU", "/device:"
PS_PER_NS = 1000


def recorder(device: str) -> TensorFlowOperators:
    return TensorFlowOperators(device)


class TensorFlowOperators:
    EVERY = False

    def __init__(self, device: str) -> None:
        self._window = RecordedWindow()
        self._planes = HOST if device == "cpu" else DEVICE
        self._space = xplane_pb2.XSpace()

    @contextmanager
    def recording(self) -> Iterator[None]:
        options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0)
        with tempfile.TemporaryDirectory() as folder:
            with tf.profiler.experimental.Profile(folder, options=options), self._window.open():
                yield
            (trace,) = Path(folder).rglob("*.xplane.pb")
            self._space.ParseFromString(trace.read_bytes())

    def told(self) -> dict[str, Any]:
        """It tells bytes of copies to and from a GPU alone, and no FLOPs."""
        return table(f"tensorflow.profiler {tf.__version__}", self._window, self._calls())

    def _calls(self) -> Iterator[Call]:
        computed = _instructions(self._space)
        planes = [one for one in self._space.planes if one.name.startswith(self._planes)]
        lines = [_events(plane, line) for plane in planes for line in plane.lines]
        yield from xla_spans.calls(
            (one for line in lines for one in line), lambda module, op: computed.get((module, op))
        )
        for line in lines:
            yield from _of_line(line)
            yield from xla_spans.copies(line)


def _of_line(events: list[Traced]) -> Iterator[Call]:
    """Of one thread: an operator that calls others has its own time."""
    spans = ((Span(one.begin_ns, one.end_ns), found) for one in events if (found := _named(one)))
    for (name, scope, span), own in own_ns((span, (*found, span)) for span, found in spans):
        yield Call(name, scope, own / NS_PER_S, span)


def _named(event: Traced) -> tuple[str, str] | None:
    """Name and scope; None for what is no operator, or an instruction of XLA. A kernel of a GPU says whose it is."""
    told = event.name if xla_spans.is_instruction(event) else str(event.stats.get("tf_op") or event.name)
    match = BY_ITSELF.fullmatch(told) or IN_GRAPH.fullmatch(told)
    if match and not xla_spans.is_instruction(event):
        path = match.groupdict().get("node") or ""
        return None if match["op"].startswith(FUNCTION) else (match["op"], _scope(path, match["op"]))
    return None


def _scope(path: str, op: str) -> str:
    parts = path.split("/")
    if UPDATES & set(parts):
        return OPTIMISER
    return GRADIENT if "gradient_tape" in parts or GRADIENTS.search(op) else FORWARD


def _events(plane: Any, line: Any) -> list[Traced]:
    names, keys = plane.event_metadata, plane.stat_metadata
    begin_ns = line.timestamp_ns
    return [
        Traced(
            names[one.metadata_id].name,
            begin_ns + one.offset_ps / PS_PER_NS,
            begin_ns + (one.offset_ps + one.duration_ps) / PS_PER_NS,
            {keys[stat.metadata_id].name: _value(stat, keys) for stat in one.stats},
        )
        for one in line.events
    ]


def _value(stat: Any, keys: Any) -> Any:
    kind = stat.WhichOneof("value")
    return keys[stat.ref_value].name if kind == "ref_value" else getattr(stat, kind) if kind else None


def _instructions(space: Any) -> dict[tuple[str, str], hlo.Computed]:
    """What XLA computed, by module and name; its modules lie beside the trace."""
    found: dict[tuple[str, str], hlo.Computed] = {}
    for plane in (one for one in space.planes if one.name == METADATA):
        for metadata in plane.event_metadata.values():
            for stat in metadata.stats:
                if plane.stat_metadata[stat.metadata_id].name == HLO_PROTO:
                    found.update(_of_module(stat.bytes_value))
    return found


def _of_module(content: bytes) -> Iterator[tuple[tuple[str, str], hlo.Computed]]:
    module = hlo_pb2.HloProto.FromString(content).hlo_module
    computations = {
        str(one.id): [_instruction(each) for each in one.instructions] for one in module.computations
    }
    for name, what in hlo.of_module(computations):
        yield (module.name, name), what


def _instruction(one: Any) -> hlo.Instruction:
    called = str(one.called_computation_ids[0]) if one.called_computation_ids else ""
    return hlo.Instruction(one.name, one.opcode, one.metadata.op_name, one.metadata.op_type, called)
