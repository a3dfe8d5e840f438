"""Builds an ONNX graph node by node: just enough to write a known network down by hand."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17  # the newest that Debian 12's libonnx knows; it brings LayerNormalization
IR_VERSION = 8


class Graph:
    def __init__(self, name):
        self.name = name
        self.nodes, self.constants = [], {}
        self.inputs, self.outputs = [], []

    def input(self, name, dtype, shape):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name, shape):
        self.outputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def constant(self, name, value):
        """Adds an initializer, once a name; returns the name."""
        if name not in self.constants:
            self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def scalar(self, name, value):
        # Not through constant(): ascontiguousarray would make a vector of it.
        self.constants[name] = numpy_helper.from_array(np.array(value, np.float32), name)
        return name

    def ints(self, name, values):
        return self.constant(name, np.array(values, np.int64))

    def node(self, op, inputs, output, **attributes):
        """Adds a node named as its one output; returns that name."""
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def save(self, path):
        graph = helper.make_graph(
            self.nodes, self.name, self.inputs, self.outputs, list(self.constants.values())
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = IR_VERSION
        model.producer_name = "braid tools/demo"
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)
