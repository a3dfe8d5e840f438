#!/usr/bin/env python3
"""Writes REPOSITORY/mlp/1/model.onnx: 256 → 512 → 512 → 10 with seeded random weights.

    make_mlp.py REPOSITORY
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTHS = [256, 512, 512, 10]


def main():
    rng = np.random.default_rng(1)
    nodes, weights, last = [], [], "x"
    for layer, (rows, columns) in enumerate(zip(WIDTHS, WIDTHS[1:])):
        w = (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)
        weights += [numpy_helper.from_array(w, f"w{layer}"),
                    numpy_helper.from_array(np.zeros(columns, np.float32), f"b{layer}")]
        final = layer == len(WIDTHS) - 2
        out = "y" if final else f"sum{layer}"
        nodes.append(helper.make_node("Gemm", [last, f"w{layer}", f"b{layer}"], [out]))
        if not final:
            nodes.append(helper.make_node("Relu", [out], [f"relu{layer}"]))
            last = f"relu{layer}"
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "mlp", [info("x", TensorProto.FLOAT, ["n", WIDTHS[0]])],
                              [info("y", TensorProto.FLOAT, ["n", WIDTHS[-1]])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    file = pathlib.Path(sys.argv[1], "mlp", "1", "model.onnx")
    file.parent.mkdir(parents=True)
    onnx.save(model, file)


if __name__ == "__main__":
    main()
