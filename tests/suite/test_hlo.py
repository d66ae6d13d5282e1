"""XLA's instructions are known by what the framework called them; what it did not name is not guessed."""

import pytest

from suite.profilers import hlo, xla_spans
from suite.profilers.hlo import Instruction
from suite.profilers.xla_spans import Traced

# As XLA prints a module, cut to what stands for its kinds.
MODULE = """\
HloModule jit__epoch, is_scheduled=true

FileNames
1 "/x/jax_trainer.py"

%fused_computation.3 (param_0.3: f32[8,4], param_1.3: f32[2,4]) -> f32[8,2] {
  %param_0.3 = f32[8,4]{1,0} parameter(0)
  ROOT %dot_general.34 = f32[8,2]{1,0} dot(%param_0.3, %param_1.3), metadata={op_name="jit(_epoch)/while/body/closed_call/jit(_step)/transpose(jvp(convolution))/dot_general" stack_frame_id=1}
}

%fused.nameless (p: f32[8]) -> f32[8] {
  %iota.1 = s32[8]{0} iota(), iota_dimension=0
  ROOT %copy.9 = f32[8]{0} copy(%iota.1)
}

%fused.within (p: f32[8]) -> f32[8] {
  %p = f32[8]{0} parameter(0), metadata={op_name="args[0]"}
  ROOT %max.1 = f32[8]{0} maximum(%p, %p), metadata={op_name="jit(_epoch)/jvp(jit(relu))/max"}
}

ENTRY %main (a: f32[8,4]) -> (f32[8,2], f32[8]) {
  %ynn_fusion.3 = f32[8,2]{1,0} fusion(%a, %b), kind=kCustom, calls=%fused_computation.3, metadata={op_name="jit(_epoch)/elsewhere/transpose"}
  %fusion.1 = f32[8]{0} fusion(%a), kind=kLoop, calls=%fused.nameless
  %fusion.2 = f32[8]{0} fusion(%a), kind=kLoop, calls=%fused.within
  %dot.6 = f32[9,64]{1,0} dot(%c, %d), metadata={op_name="jit(_epoch)/while/body/transpose(jvp(convolution))/transpose" stack_frame_id=113}
  %fusion.3 = f32[8]{0} fusion(%a), kind=kLoop, calls=%fused.within, metadata={op_name="jit(_epoch)/transpose(jvp())/while/body/closed_call"}
  %fusion.4 = f32[8]{0} fusion(%a), kind=kLoop, calls=%fused.nameless, metadata={op_name="jit(_epoch)/transpose(jvp())/while/body"}
  %copy.1 = f32[8]{0} copy(%a)
  %sub.1 = f32[8]{0} subtract(%a, %b), metadata={op_name="jit(_epoch)/while/body/optimiser/sub"}
  %while.1 = (s32[], f32[8]{0}) while(%tuple), condition=%c, body=%b, metadata={op_name="jit(_epoch)/while"}
}
"""  # noqa: E501


@pytest.fixture(scope="module")
def known():
    return dict(hlo.of_module(hlo.of_text(MODULE)))


@pytest.mark.parametrize(
    ("name", "told", "scope"),
    [
        (
            "ynn_fusion.3",
            "convolution/dot_general",
            "gradient",
        ),  # what is costly within, not what it is named for
        ("fusion.1", "copy+iota", "unknown"),
        ("fusion.2", "relu/max", ""),
        ("fusion.3", "relu/max", ""),
        ("fusion.4", "copy+iota", "gradient"),
        ("dot.6", "convolution/dot", "gradient"),
        ("copy.1", "copy", "unknown"),
        ("sub.1", "optimiser/sub", "optimiser"),
    ],
)
def test_an_instruction_has_the_frameworks_name(known, name, told, scope):
    assert (known[name].name, known[name].scope) == (told, scope)


def test_a_loop_has_no_time_of_its_own(known):
    assert known["while.1"].calls_others
    assert not known["ynn_fusion.3"].calls_others


@pytest.mark.parametrize(
    ("path", "kind", "told", "scope"),
    [
        ("jit(train_step)/conv2/conv_general_dilated", "", "conv2/conv_general_dilated", ""),
        ("jit(train_step)/transpose(jvp(loss))/log_softmax/div", "", "loss/log_softmax/div", "gradient"),
        ("jit(train_step)/sgd/add", "", "sgd/add", "optimiser"),
        ("gradient_tape/Conv2DBackpropFilter", "Conv2DBackpropFilter", "Conv2DBackpropFilter", "gradient"),
        ("while/body/optimiser/mul_4", "Mul", "Mul", "optimiser"),
        ("jit(f)/eval_jaxpr/while/body/eval_jaxpr/pooling/eq", "", "pooling/eq", ""),  # since JAX 0.11
        ("jit(f)/cond/branch_1_fun/jit(_where)/select_n", "", "select_n", ""),
    ],
)
def test_names_of_jax_keras_and_tensorflow(path, kind, told, scope):
    found = hlo.of(Instruction("x.1", "fusion", path, kind))
    assert (found.name, found.scope) == (told, scope)


def event(name, begin, end, **stats):
    return Traced(name, begin, end, stats)


def test_what_another_thread_ended_lasts_until_then(known):
    events = [
        event("ynn_fusion.3", 0, 10, hlo_op="ynn_fusion.3", hlo_module="m", _p=7),
        event("copy.1", 10, 30, hlo_op="copy.1", hlo_module="m", _p=8),
        event("end: ynn_fusion.3", 90, 100, _c=7),
        event("while.1", 0, 500, hlo_op="while.1", hlo_module="m", _p=9),
        event("ThreadpoolListener::Record", 0, 500),
        event("wrapped_add.4", 0, 2, hlo_op="wrapped_add.4", hlo_module="other"),
    ]
    calls = list(xla_spans.calls(events, lambda module, op: known.get(op) if module == "m" else None))
    assert [(one.name, round(one.seconds * 1e9)) for one in calls] == [
        ("convolution/dot_general", 100), ("copy", 20), ("wrapped_add", 2),
    ]  # fmt: skip
    assert calls[2].scope == "unknown"


def test_unknown_bytes_and_flops_are_not_zero():
    from suite.profilers.nesting import Span
    from suite.profilers.operators import Call, RecordedWindow, table

    one = Span(0, 1)
    calls = [Call("a", "", 0.5, one), Call("a", "", 0.5, one, flops=2.0), Call("b", "", 2.0, one)]
    rows = table("x", RecordedWindow(), calls)["operators"]
    assert rows == [["b", "", 1, 2.0, None, None], ["a", "", 2, 1.0, None, 2.0]]


def test_copies_of_a_gpu_tell_their_bytes():
    events = [
        event(
            "MemcpyH2D", 0, 1e9, memcpy_details="kind_src:pageable kind_dst:device size:4096 dest:0 async:1"
        ),
        event("MemcpyD2D", 1e9, 3e9),
        event("MemcpyD2D", 1e9, 3e9, hlo_op="copy.1"),
        event("gemm_kernel", 0, 9e9),
    ]
    assert [(one.name, one.seconds, one.bytes) for one in xla_spans.copies(events)] == [
        ("MemcpyH2D", 1.0, 4096.0), ("MemcpyD2D", 2.0, None),
    ]  # fmt: skip
