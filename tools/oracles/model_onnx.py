"""Small ONNX models for the tests of src/model, written with the onnx package, into
tests/data/model/onnx/. mlp.json holds what numpy computes for mlp.onnx in double precision.

Run: ~/.cache/braid/oracles-venv/bin/python tools/oracles/model_onnx.py
"""

import json
import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path("tests/data/model/onnx")


def save(name, nodes, inputs, outputs, constants=(), metadata=(), opset=17, domains=()):
    graph = helper.make_graph(
        nodes, name, inputs, outputs,
        [numpy_helper.from_array(value, key) for key, value in constants])
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    model = helper.make_model(graph, opset_imports=imports, ir_version=8, producer_name="braid")
    helper.set_model_props(model, dict(metadata))
    (HERE / f"{name}.onnx").write_bytes(model.SerializeToString())


def tensor(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def mlp(random):
    """x · W1 + b1, ReLU, · W2 + b2 → logits; Softmax → probabilities."""
    w1, b1 = random.normal(size=(4, 8)), random.normal(size=8)
    w2, b2 = random.normal(size=(8, 3)), random.normal(size=3)
    constants = [(k, v.astype(np.float32)) for k, v in
                 [("w1", w1), ("b1", b1), ("w2", w2), ("b2", b2)]]
    node = helper.make_node
    save("mlp",
         [node("MatMul", ["x", "w1"], ["m1"]), node("Add", ["m1", "b1"], ["a1"]),
          node("Relu", ["a1"], ["r1"]), node("MatMul", ["r1", "w2"], ["m2"]),
          node("Add", ["m2", "b2"], ["logits"]),
          node("Softmax", ["logits"], ["probabilities"], axis=1)],
         [tensor("x", TensorProto.FLOAT, ["rows", 4])],
         [tensor("logits", TensorProto.FLOAT, ["rows", 3]),
          tensor("probabilities", TensorProto.FLOAT, ["rows", 3])],
         constants, [("braid.space.image", "efficientnet_lite0"), ("author", "a test")])
    x = random.normal(size=(5, 4)).astype(np.float32)
    w1, b1, w2, b2 = (v.astype(np.float64) for _, v in constants)
    logits = np.maximum(x.astype(np.float64) @ w1 + b1, 0) @ w2 + b2
    power = np.exp(logits - logits.max(axis=1, keepdims=True))
    golden = {"x": x.tolist(), "logits": logits.tolist(),
              "probabilities": (power / power.sum(axis=1, keepdims=True)).tolist()}
    (HERE / "mlp.json").write_text(json.dumps(golden, indent=1) + "\n")


def types():
    """One input and output of each type that the protocol carries: passes all through."""
    names = ["BOOL", "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16", "INT32", "INT64",
             "FLOAT16", "BFLOAT16", "FLOAT", "DOUBLE", "STRING"]
    save("types", [helper.make_node("Identity", [n.lower()], [n.lower() + "_out"]) for n in names],
         [tensor(n.lower(), getattr(TensorProto, n), ["rows", 2]) for n in names],
         [tensor(n.lower() + "_out", getattr(TensorProto, n), ["rows", 2]) for n in names])


def odd_ones():
    node, fp32, int64 = helper.make_node, TensorProto.FLOAT, TensorProto.INT64
    x = tensor("x", fp32, ["rows", 2])
    y = tensor("y", fp32, ["rows", 2])
    save("fixed_batch", [node("Neg", ["x"], ["y"])],
         [tensor("x", fp32, [1, 2])], [tensor("y", fp32, [1, 2])])
    save("scalar", [node("Mul", ["x", "factor"], ["y"])],
         [x, tensor("factor", fp32, [])], [y])
    save("optional", [node("Add", ["x", "shift"], ["y"])],
         [x, tensor("shift", fp32, [1, 2])], [y],
         [("shift", np.array([[10, 20]], np.float32))])
    save("first_row", [node("Compress", ["x", "first"], ["y"], axis=0)], [x],
         [tensor("y", fp32, ["other", 2])], [("first", np.array([True]))])
    save("empties", [node("NonZero", ["x"], ["y"])], [x], [tensor("y", int64, [2, "count"])])
    save("sequence", [node("SequenceConstruct", ["x", "x"], ["y"])], [x],
         [helper.make_tensor_sequence_value_info("y", fp32, None)])
    save("unknown_operator", [node("Frobnicate", ["x"], ["y"], domain="acme")], [x], [y],
         domains=["acme"])
    save("future_opset", [node("Neg", ["x"], ["y"])], [x], [y], opset=999)


HERE.mkdir(parents=True, exist_ok=True)
mlp(np.random.default_rng(3))
types()
odd_ones()
