"""One name for the same operator of every framework, as their profilers name it in the pinned versions."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.analysis.operators import by_operator, normalised, operator
from harness.profiling.operator_files import OPERATOR_COLUMNS
from suite.profilers.operators import SCOPES

KNOWN = {
    "convolution": ["aten::conv2d", "aten::convolution", "_MklNativeFusedConv2D", "Conv2D", "convolution/dot_general",
                    "convolution/concatenate", "conv2/conv_general_dilated"],
    "matrix product": ["aten::linear", "aten::addmm", "aten::mm", "aten::bmm", "aten::matmul", "_MklMatMul", "MatMul",
                       "BatchMatMulV2", "Einsum", "dot_general", "dense/dot"],
    "normalisation": ["aten::batch_norm", "aten::native_layer_norm", "FusedBatchNormV3", "normalisation/mul",
                      "batch_normalization/add"],
    "pooling": ["aten::max_pool2d", "_MklNativeMaxPool", "AvgPool", "pooling/reduce_max", "reduce-window",
                "max_pooling2d/reduce_window_max"],
    "activation": ["aten::relu", "Relu", "relu/max", "aten::gelu", "Tanh", "conv1/relu/max"],
    "softmax and loss": ["aten::cross_entropy_loss", "aten::_softmax", "SparseSoftmaxCrossEntropyWithLogits",
                         "log_softmax/exp"],
    "recurrent layer": ["aten::lstm", "CudnnRNNV3"],
    "attention": ["aten::scaled_dot_product_attention"],
    "embedding and indexing": ["aten::embedding", "aten::index_select", "GatherV2", "gather", "ResourceGather",
                               "take_along_axis/scatter-add", "UnsortedSegmentSum"],
    "data movement": ["aten::copy_", "aten::contiguous", "Transpose", "ConcatV2", "copy", "convert_element_type",
                      "Cast", "ReadVariableOp", "copy+transpose", "TensorListPushBack"],
    "reduction": ["aten::sum", "Mean", "reduce_sum", "aten::argmax"],
    "element-wise": ["aten::add", "aten::mul_", "AddV2", "Mul", "sub", "BiasAdd", "iota"],
    "random numbers": ["aten::dropout", "StatelessRandomUniformV2", "random_bits"],
    "sorting": ["aten::sort", "TopKV2", "top_k"],
    "input pipeline": ["IteratorGetNext", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"],
    "other": ["something nobody knows"],
}  # fmt: skip
GRADIENTS = {
    "convolution": ["ConvolutionBackward0", "_MklNativeConv2DBackpropFilterWithBias", "Conv2DBackpropInput",
                    "convolution/dot"],
    "matrix product": ["AddmmBackward0", "MmBackward0", "_MklMatMul"],
    "pooling": ["MaxPool2DWithIndicesBackward0", "_MklNativeMaxPoolGrad", "max_pooling2d/select_and_scatter"],
    "activation": ["ReluBackward0", "ReluGrad", "GeluBackward0"],
    "normalisation": ["NativeBatchNormBackward0", "NativeLayerNormBackward0", "FusedBatchNormGradV3"],
    "softmax and loss": ["NllLossBackward0", "LogSoftmaxBackward0"],
    "data movement": ["TBackward0", "ViewBackward0", "PermuteBackward0"],
    "element-wise": ["torch::autograd::AccumulateGrad", "AddBackward0", "BiasAddGrad"],
}  # fmt: skip


def pairs(known):
    return [(name, expected) for expected, names in known.items() for name in names]


@pytest.mark.parametrize(("name", "expected"), pairs(KNOWN))
def test_the_same_operator_has_one_name(name, expected):
    assert operator(name, "") == expected
    assert operator(name, "unknown") == f"{expected}, pass not told"


@pytest.mark.parametrize(("name", "expected"), pairs(GRADIENTS))
def test_its_gradient_is_told_apart(name, expected):
    assert operator(name, "gradient") == f"{expected}, gradient"


def test_what_updates_weights_is_one_whatever_it_is_made_of():
    for name in ("SGD.step", "Mul", "optimiser/sub", "AssignSubVariableOp"):
        assert operator(name, "optimiser") == "optimiser update"


@given(st.text(), st.sampled_from(SCOPES))
def test_any_name_is_some_operator(name, scope):
    assert operator(name, scope)


def told(*rows):
    return pd.DataFrame([(*row, 9.0, "jax.profiler", None, None) for row in rows], columns=OPERATOR_COLUMNS)


def test_the_parts_of_an_operator_make_one_row_and_unknown_stays_unknown():
    found = normalised(told(
        ("convolution/slice", "", 800, 1.0, None, None),
        ("convolution/dot_general", "", 88, 3.0, None, 7.0),
        ("add", "", 5, 4.0, None, None),
        ("add", "optimiser", 5, 2.0, 6.0, None),
    ))  # fmt: skip
    assert found["share"].tolist() == [0.4, 0.3, 0.2, 0.1]
    rows = {row.pop("operator"): row for row in by_operator(found).to_dict("records")}
    assert sorted(rows) == ["convolution", "element-wise", "optimiser update"]
    first = rows["convolution"]
    assert (first["name"], first["calls"], first["seconds"], first["flops"]) == (
        "convolution/dot_general",
        88,
        4.0,
        7.0,
    )
    assert pd.isna(first["bytes"]) and pd.isna(rows["element-wise"]["flops"])
    assert rows["optimiser update"]["bytes"] == 6.0


def test_of_nothing_there_is_nothing():
    empty = normalised(told())
    assert empty.empty
    assert by_operator(empty).empty
