"""Writes EfficientNet-Lite0 (Tan and Le 2019, Lite variant) as ONNX from its PyTorch weights.

    convert_efficientnet.py WHEEL_FOLDER OUT.onnx

Input `image`: FP32 [n, 3, h, w], RGB, (x - 127) / 128; h and w are multiples of 32, at least 32, so
one file serves the network at 224 pixels and at cheaper sizes. Output `embedding`: FP32 [n, 1280],
the pooled features below the classifier, which is left out.
"""

import argparse

import numpy as np
from onnx import TensorProto

from onnx_graph import Graph
from weights import only_file, read_legacy_pth

# repeats, stride of the first, expansion, channels in, channels out (paper, table 1); the size of
# a kernel is read off its weights
STAGES = [
    (1, 1, 1, 32, 16),
    (2, 2, 6, 16, 24),
    (2, 2, 6, 24, 40),
    (3, 2, 6, 40, 80),
    (3, 1, 6, 80, 112),
    (4, 2, 6, 112, 192),
    (1, 1, 6, 192, 320),
]
BATCH_NORM_EPSILON = 1e-3


class EfficientNet:
    def __init__(self, weights):
        self.weights = weights
        self.graph = Graph("efficientnet_lite0")
        self.low = self.graph.scalar("relu6.low", 0)
        self.high = self.graph.scalar("relu6.high", 6)

    def conv(self, x, name, conv, norm, stride=1, groups=1, activate=True):
        """Convolution with its batch normalisation folded in, then ReLU6."""
        kernel = self.weights[conv + ".weight"]
        scale = self.weights[norm + ".weight"] / np.sqrt(
            self.weights[norm + ".running_var"] + BATCH_NORM_EPSILON
        )
        bias = self.weights[norm + ".bias"] - self.weights[norm + ".running_mean"] * scale
        size = kernel.shape[2]
        # TensorFlow's SAME padding, which the weights were trained with: on an even input a stride
        # of two pads one pixel less, and what is odd goes to the bottom right.
        total = size - stride
        before, after = total // 2, total - total // 2
        x = self.graph.node(
            "Conv",
            [
                x,
                self.graph.constant(name + ".weight", kernel * scale[:, None, None, None]),
                self.graph.constant(name + ".bias", bias),
            ],
            name,
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=[before, before, after, after],
            group=groups,
        )
        if not activate:
            return x
        return self.graph.node("Clip", [x, self.low, self.high], name + ".relu6")

    def block(self, x, index, stride, expansion, channels_in, channels_out):
        """Inverted residual: widen, filter each channel alone, narrow, add what came in."""
        name, source = f"block{index}", f"_blocks.{index}."
        y = x
        if expansion != 1:
            y = self.conv(y, name + ".expand", source + "_expand_conv", source + "_bn0")
        y = self.conv(
            y, name + ".depthwise", source + "_depthwise_conv", source + "_bn1",
            stride, groups=channels_in * expansion,
        )
        y = self.conv(
            y, name + ".project", source + "_project_conv", source + "_bn2", activate=False
        )
        if stride == 1 and channels_in == channels_out:
            y = self.graph.node("Add", [x, y], name + ".add")
        return y

    def build(self):
        x = self.graph.input("image", TensorProto.FLOAT, ["n", 3, "h", "w"])
        x = self.conv(x, "stem", "_conv_stem", "_bn0", stride=2)
        index = 0
        for repeats, stage_stride, expansion, channels_in, channels_out in STAGES:
            for repeat in range(repeats):
                stride = stage_stride if repeat == 0 else 1
                entering = channels_in if repeat == 0 else channels_out
                x = self.block(x, index, stride, expansion, entering, channels_out)
                index += 1
        x = self.conv(x, "head", "_conv_head", "_bn1")
        x = self.graph.node("GlobalAveragePool", [x], "pool")
        self.graph.node("Flatten", [x], "embedding")
        self.graph.output("embedding", ["n", 1280])
        return self.graph


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel_folder")
    parser.add_argument("out")
    arguments = parser.parse_args()
    weights = read_legacy_pth(only_file(arguments.wheel_folder, "efficientnet-lite0-*.pth"))
    EfficientNet(weights).build().save(arguments.out)


if __name__ == "__main__":
    main()
