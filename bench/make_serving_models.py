#!/usr/bin/env python3
"""Writes the repositories that bench/serving.py measures, beside those of the peers' make_models.py.

    make_serving_models.py SOURCE OUT BACKEND SLOTS

SOURCE: a repository with identity_fp32, mlp and encoder. BACKEND: what `config.pbtxt` calls ONNX
Runtime (Triton's here is ortmini, Braid's onnxruntime). Written below OUT:

    plain/encoder       rows are never joined, SLOTS instances: what P2 and P15 compare with a bare loop
    plain/image_mean    3 x 224 x 224 floats to 3 means: P13's JSON
    queue/encoder       8 rows a run, 8 requests wait at most, each may say how long: P5
    d0/mlp              dynamic batching without a delay: P4
    copies/identity_NNN 200 of them: P11
    pipelines/          100 pipelines over mlp, and one alone in pipeline/: P11
    steps/steps_1, _4   pipelines of one and four branches; for Triton ensembles of as many steps: P6
"""

import pathlib
import re
import shutil
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

COLUMNS = 256  # of mlp
CLASSES = 10

PIPELINE = """name: {name}
decision: {{classes: [{classes}]}}
inputs:
  record: {{modality: table, columns: [{columns}]}}
branches:
{branches}
fusion:
  decision: {{op: mean, inputs: [{names}]}}
"""

QUEUE = """dynamic_batching {
  max_queue_delay_microseconds: 100
  default_queue_policy {
    timeout_action: REJECT default_timeout_microseconds: 60000000 allow_timeout_override: true max_queue_size: 8
  }
}
"""


def config(folder, name, backend, inputs, outputs, instances):
    def tensors(kind, specs):
        rows = ",\n".join(f'  {{ name: "{n}" data_type: TYPE_FP32 dims: [ {", ".join(map(str, d))} ] }}'
                          for n, d in specs)
        return f"{kind} [\n{rows}\n]\n"

    (folder / "config.pbtxt").write_text(
        f'name: "{name}"\nbackend: "{backend}"\nmax_batch_size: 64\n' + tensors("input", inputs) +
        tensors("output", outputs) + f"instance_group [ {{ kind: KIND_CPU count: {instances} }} ]\n")


def copy(source, target, change):
    """A model with its config changed by `change`."""
    shutil.copytree(source, target)
    file = target / "config.pbtxt"
    file.write_text(change(file.read_text()))


def image_mean(folder, backend, instances):
    info = helper.make_tensor_value_info
    node = helper.make_node("ReduceMean", ["x"], ["y"], axes=[2, 3], keepdims=0)
    graph = helper.make_graph([node], "image_mean", [info("x", TensorProto.FLOAT, ["n", 3, 224, 224])],
                              [info("y", TensorProto.FLOAT, ["n", 3])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    (folder / "1").mkdir(parents=True)
    onnx.save(model, folder / "1" / "model.onnx")
    config(folder, "image_mean", backend, [("x", [3, 224, 224])], [("y", [3])], instances)


def head(folder):
    """What a pipeline's branch runs: the record's columns to probabilities, one layer."""
    rng = np.random.default_rng(1)
    info = helper.make_tensor_value_info
    weights = numpy_helper.from_array(rng.standard_normal((COLUMNS, CLASSES)).astype(np.float32), "w")
    nodes = [helper.make_node("MatMul", ["features", "w"], ["logits"])]
    graph = helper.make_graph(nodes, "head", [info("features", TensorProto.FLOAT, ["n", COLUMNS])],
                              [info("logits", TensorProto.FLOAT, ["n", CLASSES])], [weights])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    (folder / "1").mkdir(parents=True)
    onnx.save(model, folder / "1" / "model.onnx")


def pipeline(folder, name, branch_count=1):
    names = [f"b{i}" for i in range(branch_count)]
    (folder / name).mkdir()
    (folder / name / "pipeline.yaml").write_text(PIPELINE.format(
        name=name, classes=", ".join(f"c{i}" for i in range(CLASSES)),
        columns=", ".join(f"f{i}" for i in range(COLUMNS)), names=", ".join(names),
        branches="\n".join(f"  {b}: {{inputs: [record], variants: [{{model: head, name: head_{b}}}]}}" for b in names)))


def pipelines(folder, count):
    head(folder / "head")
    for index in range(count):
        pipeline(folder, f"line_{index:03}")


def ensemble(folder, name, step_count):
    """identity_fp32, one after another."""
    tensors = ["INPUT0", *(f"step_{i}" for i in range(1, step_count)), "OUTPUT0"]
    steps = ",\n".join(
        '    { model_name: "identity_fp32" model_version: -1 '
        f'input_map {{ key: "INPUT0" value: "{a}" }} output_map {{ key: "OUTPUT0" value: "{b}" }} }}'
        for a, b in zip(tensors, tensors[1:]))
    (folder / name / "1").mkdir(parents=True)
    (folder / name / "config.pbtxt").write_text(
        f'name: "{name}"\nplatform: "ensemble"\nmax_batch_size: 64\n'
        'input [ { name: "INPUT0" data_type: TYPE_FP32 dims: [ 16 ] } ]\n'
        'output [ { name: "OUTPUT0" data_type: TYPE_FP32 dims: [ 16 ] } ]\n'
        f"ensemble_scheduling {{\n  step [\n{steps}\n  ]\n}}\n")


def steps(folder, source, is_braid):
    if is_braid:
        head(folder / "head")
    else:
        shutil.copytree(source / "identity_fp32", folder / "identity_fp32")
    for count in (1, 4):
        if is_braid:
            pipeline(folder, f"steps_{count}", count)
        else:
            ensemble(folder, f"steps_{count}", count)


def main():
    source, out, backend, slots = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    shutil.rmtree(out, ignore_errors=True)

    def unbatched(text):
        text = re.sub(r"dynamic_batching \{[^}]*\}\n", "", text)
        return re.sub(r"count: \d+", f"count: {slots}", text)

    copy(source / "encoder", out / "plain" / "encoder", unbatched)
    copy(source / "encoder", out / "queue" / "encoder",
         lambda text: re.sub(r"dynamic_batching \{[^}]*\}\n", QUEUE, text))
    image_mean(out / "plain" / "image_mean", backend, slots)
    copy(source / "mlp", out / "d0" / "mlp",
         lambda text: re.sub(r"microseconds: \d+", "microseconds: 0", text))
    for index in range(200):
        name = f"identity_{index:03}"
        copy(source / "identity_fp32", out / "copies" / name,
             lambda text, name=name: text.replace('"identity_fp32"', f'"{name}"'))
    shutil.copytree(out / "copies" / "identity_000", out / "copy" / "identity_000")
    is_braid = backend == "onnxruntime"
    steps(out / "steps", source, is_braid)
    if is_braid:  # Triton has no pipelines
        pipelines(out / "pipelines", 100)
        pipelines(out / "pipeline", 1)
    (out / "empty").mkdir()


if __name__ == "__main__":
    main()
