"""Writes the network that joins the voices of an item: it only lays their numbers side by side.

    make_voices.py WIDTH OUT.onnx LANGUAGE...

Inputs `voice_LANGUAGE`: FP32 [n, WIDTH], what `modality: audio` makes of a recording. Output
`embedding`: FP32 [n, WIDTH · languages]. What the numbers mean is found out by `braid fit`.
"""

import argparse

from onnx import TensorProto

from onnx_graph import Graph


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("width", type=int)
    parser.add_argument("out")
    parser.add_argument("languages", nargs="+")
    arguments = parser.parse_args()

    graph = Graph("voices")
    voices = [graph.input(f"voice_{language}", TensorProto.FLOAT, ["n", arguments.width])
              for language in arguments.languages]
    graph.node("Concat", voices, "embedding", axis=1)
    graph.output("embedding", ["n", arguments.width * len(voices)])
    graph.save(arguments.out)


if __name__ == "__main__":
    main()
