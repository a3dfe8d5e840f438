"""The repository that the tests of this folder serve: five small models and a pipeline.

types     one input and one output of each data type, passed through: `fp32` there is `float` here
mlp       four numbers to three classes, with labels; mlp.json has what numpy computes for it
optional  an input that may be left out
slow      takes as long as it is told, one request at a time
sleeper   the mlp again, which nobody loads at the start
triage    a pipeline: a record, and a second opinion, through the mlp
"""

import json
import pathlib
import shutil

ROOT = pathlib.Path(__file__).resolve().parents[2]
ONNX = ROOT / "tests/data/model/onnx"

LABELS = ["low", "middle", "high"]

MLP_CONFIG = """platform: "onnxruntime_onnx"
max_batch_size: 8
input [{ name: "x" data_type: TYPE_FP32 dims: [ 4 ] }]
output [
  { name: "logits" data_type: TYPE_FP32 dims: [ 3 ] },
  { name: "probabilities" data_type: TYPE_FP32 dims: [ 3 ] label_filename: "labels.txt" }
]
dynamic_batching { }
"""

SLOW_CONFIG = """platform: "onnxruntime_onnx"
max_batch_size: 0
input [{ name: "turns" data_type: TYPE_INT64 dims: [ 1 ] }]
output [{ name: "done" data_type: TYPE_INT64 dims: [ 1 ] }]
instance_group [{ kind: KIND_CPU count: 1 }]
"""

PIPELINE = """name: triage
decision: {classes: [low, middle, high]}
inputs:
  record: {modality: table, columns: [a, b, c, d]}
  second: {modality: table, columns: [a, b, c, d]}
branches:
  first:  {inputs: [record], variants: [mlp]}
  other:  {inputs: [second], variants: [mlp]}
fusion:
  decision: {op: mean, inputs: [first, other]}
"""


def golden():
    """`x` and what numpy made of it, five rows: x, logits, probabilities."""
    return json.loads((ONNX / "mlp.json").read_text())


def record(row):
    """One row of x as the pipeline's raw input."""
    return json.dumps(dict(zip("abcd", row))).encode()


def build(folder):
    """Writes the repository into `folder`."""
    def model(name, file, config=None):
        (folder / name / "1").mkdir(parents=True)
        shutil.copy(file, folder / name / "1" / "model.onnx")
        if config is not None:
            (folder / name / "config.pbtxt").write_text(config)
        return folder / name

    model("types", ONNX / "types.onnx")
    model("optional", ONNX / "optional.onnx")
    model("unlimited", ONNX / "mlp.onnx")  # no config states how many rows it takes
    model("slow", ROOT / "tests/data/e2e/slow.onnx", SLOW_CONFIG)
    for name in ("mlp", "sleeper"):
        (model(name, ONNX / "mlp.onnx", MLP_CONFIG) / "labels.txt").write_text("\n".join(LABELS) + "\n")
    (folder / "triage").mkdir()
    (folder / "triage" / "pipeline.yaml").write_text(PIPELINE)
