"""Writes the sentence encoder all-MiniLM-L6-v2 (a BERT of six layers) as ONNX from its weights.

    convert_minilm.py WHEEL_FOLDER OUT.onnx [--layers N]

Inputs `input_ids` and `attention_mask`: INT64 [n, t], t at most 512. Output `embedding`: FP32
[n, 384], the mean of the token vectors under the mask, of length one. With fewer layers the network
is cut after the N-th: cheaper, in another embedding space, with a head of its own to be fitted.
"""

import argparse
import math

from onnx import TensorProto

from onnx_graph import Graph
from weights import only_file, read_safetensors

HIDDEN, HEADS = 384, 12
HEAD_SIZE = HIDDEN // HEADS
LAYERS = 6
LAYER_NORM_EPSILON = 1e-12
# Added to the scores of padding before the softmax: far below any real score, safe in FP16 too.
MASKED = -1e4


class MiniLm:
    def __init__(self, weights):
        self.weights = weights
        self.graph = Graph("all_minilm_l6_v2")

    def constant(self, name):
        return self.graph.constant(name, self.weights[name])

    def linear(self, x, source, name):
        """x · Wᵀ + b; the weight is stored transposed, as MatMul wants it."""
        weight = self.graph.constant(source + ".weight", self.weights[source + ".weight"].T)
        product = self.graph.node("MatMul", [x, weight], name + ".matmul")
        return self.graph.node("Add", [product, self.constant(source + ".bias")], name)

    def layer_norm(self, x, source, name):
        return self.graph.node(
            "LayerNormalization",
            [x, self.constant(source + ".weight"), self.constant(source + ".bias")],
            name,
            axis=-1,
            epsilon=LAYER_NORM_EPSILON,
        )

    def embed(self, ids):
        """Word + position + the one token type that a single text has."""
        g, source = self.graph, "embeddings."
        words = g.node("Gather", [self.constant(source + "word_embeddings.weight"), ids], "words")
        shape = g.node("Shape", [ids], "ids.shape")
        length = g.node("Gather", [shape, g.ints("index_t", [1])], "ids.length")
        positions = g.node(
            "Slice",
            [
                self.constant(source + "position_embeddings.weight"),
                g.ints("zero", [0]),
                length,
                g.ints("axis_0", [0]),
            ],
            "positions",
        )
        token_type = g.constant(
            "token_type", self.weights[source + "token_type_embeddings.weight"][0]
        )
        x = g.node("Add", [words, token_type], "words.typed")
        x = g.node("Add", [x, positions], "words.placed")
        return self.layer_norm(x, source + "LayerNorm", "embeddings")

    def heads(self, x, source, name, permutation):
        """[n, t, hidden] -> one matrix a head, [n, heads, t, head] or its transpose."""
        g = self.graph
        x = self.linear(x, source, name)
        split = g.ints("shape_heads", [0, 0, HEADS, HEAD_SIZE])
        x = g.node("Reshape", [x, split], name + ".split")
        return g.node("Transpose", [x], name + ".heads", perm=permutation)

    def attention(self, x, bias, source, name):
        g = self.graph
        query = self.heads(x, source + "self.query", name + ".query", [0, 2, 1, 3])
        key = self.heads(x, source + "self.key", name + ".key", [0, 2, 3, 1])
        value = self.heads(x, source + "self.value", name + ".value", [0, 2, 1, 3])
        scores = g.node("MatMul", [query, key], name + ".scores")
        scale = g.scalar("sqrt_head_size", math.sqrt(HEAD_SIZE))
        scores = g.node("Div", [scores, scale], name + ".scaled")
        scores = g.node("Add", [scores, bias], name + ".masked")
        shares = g.node("Softmax", [scores], name + ".shares", axis=-1)
        mixed = g.node("MatMul", [shares, value], name + ".mixed")
        mixed = g.node("Transpose", [mixed], name + ".mixed.rows", perm=[0, 2, 1, 3])
        mixed = g.node("Reshape", [mixed, g.ints("shape_rows", [0, 0, HIDDEN])], name + ".joined")
        return self.linear(mixed, source + "output.dense", name + ".output")

    def gelu(self, x, name):
        """x/2 · (1 + erf(x/√2)): opset 17 has no node for it; runtimes know this pattern."""
        g = self.graph
        inner = g.node("Div", [x, g.scalar("sqrt_2", math.sqrt(2))], name + ".inner")
        inner = g.node("Erf", [inner], name + ".erf")
        inner = g.node("Add", [inner, g.scalar("one", 1)], name + ".plus_one")
        product = g.node("Mul", [x, inner], name + ".product")
        return g.node("Mul", [product, g.scalar("half", 0.5)], name)

    def layer(self, x, bias, index):
        g, source, name = self.graph, f"encoder.layer.{index}.", f"layer{index}"
        attended = self.attention(x, bias, source + "attention.", name + ".attention")
        x = g.node("Add", [attended, x], name + ".attention.sum")
        x = self.layer_norm(x, source + "attention.output.LayerNorm", name + ".attention.norm")
        wide = self.linear(x, source + "intermediate.dense", name + ".wide")
        wide = self.gelu(wide, name + ".gelu")
        narrow = self.linear(wide, source + "output.dense", name + ".narrow")
        x = g.node("Add", [narrow, x], name + ".sum")
        return self.layer_norm(x, source + "output.LayerNorm", name + ".norm")

    def pool(self, x, mask):
        """Mean over the real tokens, then length one, as sentence-transformers does."""
        g = self.graph
        weights = g.node("Unsqueeze", [mask, g.ints("axis_2", [2])], "pool.weights")
        axis_t = g.ints("axis_1", [1])
        weighted = g.node("Mul", [x, weights], "pool.weighted")
        total = g.node("ReduceSum", [weighted, axis_t], "pool.sum", keepdims=0)
        count = g.node("ReduceSum", [weights, axis_t], "pool.count", keepdims=0)
        count = g.node("Max", [count, g.scalar("tiny", 1e-9)], "pool.count.positive")
        mean = g.node("Div", [total, count], "pool.mean")
        g.node("LpNormalization", [mean], "embedding", axis=-1, p=2)

    def build(self, layers):
        g = self.graph
        ids = g.input("input_ids", TensorProto.INT64, ["n", "t"])
        mask = g.input("attention_mask", TensorProto.INT64, ["n", "t"])
        mask = g.node("Cast", [mask], "mask", to=TensorProto.FLOAT)
        absent = g.node("Sub", [g.scalar("one", 1), mask], "mask.absent")
        absent = g.node("Unsqueeze", [absent, g.ints("axes_1_2", [1, 2])], "mask.rows")
        bias = g.node("Mul", [absent, g.scalar("masked", MASKED)], "mask.bias")
        x = self.embed(ids)
        for index in range(layers):
            x = self.layer(x, bias, index)
        self.pool(x, mask)
        g.output("embedding", ["n", HIDDEN])
        return g


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel_folder")
    parser.add_argument("out")
    parser.add_argument("--layers", type=int, default=LAYERS, choices=range(1, LAYERS + 1))
    arguments = parser.parse_args()
    weights = read_safetensors(only_file(arguments.wheel_folder, "model.safetensors"))
    MiniLm(weights).build(arguments.layers).save(arguments.out)


if __name__ == "__main__":
    main()
