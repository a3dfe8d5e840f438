"""Models for tests/e2e and bench/k8_start.py, into tests/data/e2e/.

slow.onnx takes as long as it is told, so that a test can have requests that wait. `turns` INT64 [1] →
`done` INT64 [1], the same number after so many products of two 256 x 256 matrices, about a millisecond
each on one core. clip.onnx and scan.onnx make three probabilities of a video's frames, of a volume.

Run: ~/.cache/braid/oracles-venv/bin/python tools/oracles/e2e_models.py
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path("tests/data/e2e")


def slow():
    node, tensor = helper.make_node, helper.make_tensor_value_info
    fp32, int64, flag = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
    turn = helper.make_graph(
        [node("MatMul", ["m", "m"], ["m_next"]), node("Identity", ["going"], ["going_next"])], "turn",
        [tensor("turn", int64, []), tensor("going", flag, []), tensor("m", fp32, [256, 256])],
        [tensor("going_next", flag, []), tensor("m_next", fp32, [256, 256])])
    constants = {"side": np.array([256, 256], np.int64),
                 "yes": np.array(True), "axes": np.array([0], np.int64)}
    graph = helper.make_graph(
        [node("Squeeze", ["turns", "axes"], ["count"]), node("ConstantOfShape", ["side"], ["zeros"]),
         node("Loop", ["count", "yes", "zeros"], ["product"], body=turn),
         node("ReduceSum", ["product"], ["sum"], keepdims=0), node("Cast", ["sum"], ["zero"], to=int64),
         node("Add", ["turns", "zero"], ["done"])], "slow",
        [tensor("turns", int64, [1])], [tensor("done", int64, [1])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()])
    save("slow", graph)


def first_three(name, tensor_name, shape):
    node, tensor = helper.make_node, helper.make_tensor_value_info
    bounds = {"begin": np.array([0], np.int64), "end": np.array([3], np.int64), "axis": np.array([1], np.int64)}
    save(name, helper.make_graph(
        [node("Flatten", [tensor_name], ["flat"]), node("Slice", ["flat", *bounds], ["three"]),
         node("Softmax", ["three"], ["probabilities"])], name,
        [tensor(tensor_name, TensorProto.FLOAT, ["n", *shape])],
        [tensor("probabilities", TensorProto.FLOAT, ["n", 3])],
        [numpy_helper.from_array(value, each) for each, value in bounds.items()]))


def save(name, graph):
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="braid")
    onnx.checker.check_model(model)
    HERE.mkdir(parents=True, exist_ok=True)
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())


slow()
first_three("clip", "video", [4, 3, 16, 16])
first_three("scan", "volume", [1, 8, 8, 8])
