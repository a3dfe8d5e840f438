"""tritonclient.grpc and the health protocol of gRPC itself."""

import queue
import unittest

import grpc as grpc_io
import numpy as np
import tritonclient.grpc as grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from tritonclient.grpc import service_pb2, service_pb2_grpc
from tritonclient.utils import InferenceServerException

import clients
import repository
import tensors


class Grpc(unittest.TestCase):
    def setUp(self):
        self.client = grpc.InferenceServerClient(clients.server.grpc)
        self.addCleanup(self.client.close)
        self.golden = repository.golden()

    def infer(self, rows, model="mlp", **more):
        return self.client.infer(model, [tensors.numbers(grpc, rows)], **more)

    def refusal(self, code, text, model, *inputs, **more):
        with self.assertRaises(InferenceServerException) as caught:
            self.client.infer(model, list(inputs), **more)
        self.assertEqual(caught.exception.status(), f"StatusCode.{code}")
        self.assertRegex(caught.exception.message(), text)

    def test_health_and_metadata(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("mlp", "1"))
        self.assertFalse(self.client.is_model_ready("zebra"))
        self.assertEqual(self.client.get_server_metadata().name, "braid")
        model = self.client.get_model_metadata("mlp", as_json=True)
        self.assertEqual(model["inputs"], [{"name": "x", "datatype": "FP32", "shape": ["-1", "4"]}])
        config = self.client.get_model_config("mlp").config
        self.assertEqual(config.max_batch_size, 8)
        self.assertEqual(config.output[1].label_filename, "labels.txt")

    def test_health_protocol_of_grpc(self):
        with grpc_io.insecure_channel(clients.server.grpc) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            answer = health.Check(health_pb2.HealthCheckRequest(service=""))
            self.assertEqual(answer.status, health_pb2.HealthCheckResponse.SERVING)
            first = next(health.Watch(health_pb2.HealthCheckRequest(service="")))
            self.assertEqual(first.status, health_pb2.HealthCheckResponse.SERVING)
            with self.assertRaises(grpc_io.RpcError) as caught:
                health.Check(health_pb2.HealthCheckRequest(service="zebra"))
            self.assertEqual(caught.exception.code(), grpc_io.StatusCode.NOT_FOUND)

    def test_all_types_raw(self):
        tensors.check_types(self, self.client.infer("types", tensors.typed_inputs(grpc)))

    def test_typed_contents(self):
        """The official client always sends raw, so its stub is asked."""
        request = service_pb2.ModelInferRequest(model_name="mlp", id="7")
        tensor = request.inputs.add(name="x", datatype="FP32", shape=[1, 4])
        tensor.contents.fp32_contents.extend(self.golden["x"][0])
        with grpc_io.insecure_channel(clients.server.grpc) as channel:
            answer = service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer(request)
        self.assertEqual(answer.id, "7")
        np.testing.assert_allclose(np.frombuffer(answer.raw_output_contents[0], np.float32),
                                   self.golden["logits"][0], rtol=1e-5, atol=1e-6)

    def test_numbers_order_and_classes(self):
        result = self.infer(self.golden["x"], request_id="7", outputs=[
            grpc.InferRequestedOutput("probabilities", class_count=1), grpc.InferRequestedOutput("logits")])
        self.assertEqual([each.name for each in result.get_response().outputs], ["probabilities", "logits"])
        self.assertEqual(result.get_response().id, "7")
        np.testing.assert_allclose(result.as_numpy("logits"), self.golden["logits"], rtol=1e-5, atol=1e-6)
        for text, expected in zip(result.as_numpy("probabilities")[:, 0], self.golden["probabilities"]):
            _, index, label = text.decode().split(":")
            self.assertEqual(int(index), np.argmax(expected))
            self.assertEqual(label, repository.LABELS[np.argmax(expected)])

    def test_what_perf_analyzer_sends(self):
        request = service_pb2.ModelInferRequest(model_name="mlp")
        request.inputs.add(name="x", datatype="FP32", shape=[1, 4])
        request.raw_input_contents.append(np.array(self.golden["x"][0], np.float32).tobytes())
        request.parameters["triton_enable_empty_final_response"].bool_param = True
        with grpc_io.insecure_channel(clients.server.grpc) as channel:
            answer = service_pb2_grpc.GRPCInferenceServiceStub(channel).ModelInfer(request)
        self.assertEqual(len(answer.raw_output_contents), 2)

    def test_compression(self):
        for algorithm in ("gzip", "deflate", None):
            result = self.infer(self.golden["x"] * 20, "unlimited", compression_algorithm=algorithm)
            np.testing.assert_allclose(result.as_numpy("logits"), self.golden["logits"] * 20, rtol=1e-5,
                                       atol=1e-6)

    def test_as_many_rows_as_may_wait_and_no_more(self):
        rows = np.random.default_rng(1).normal(size=(1000, 4)).astype(np.float32)
        result = self.infer(rows, "unlimited")
        np.testing.assert_allclose(result.as_numpy("probabilities").sum(axis=1), np.ones(len(rows)), rtol=1e-5)
        with self.assertRaises(InferenceServerException) as caught:
            self.infer(np.zeros((60_000, 4), np.float32), "unlimited")
        self.assertIn("60000 rows at once are more than", caught.exception.message())

    def test_megabytes(self):
        texts = np.array([["a" * 3_000_000, "é" * 1_500_000]], object)
        inputs = [each for each in tensors.typed_inputs(grpc) if each.name() != "string"]
        result = self.client.infer("types", [*inputs, tensors.filled(grpc, "string", "BYTES", texts)],
                                   outputs=[grpc.InferRequestedOutput("string_out")])
        self.assertEqual([text.decode() for text in result.as_numpy("string_out")[0]], texts[0].tolist())

    def test_many_at_once(self):
        answers = queue.Queue()
        for i in range(50):
            self.client.async_infer("mlp", [tensors.numbers(grpc, [self.golden["x"][i % 5]])],
                                    lambda result, error: answers.put((result, error)), request_id=str(i))
        for _ in range(50):
            result, error = answers.get(timeout=60)
            self.assertIsNone(error)
            np.testing.assert_allclose(result.as_numpy("logits")[0],
                                       self.golden["logits"][int(result.get_response().id) % 5], rtol=1e-5,
                                       atol=1e-6)

    def test_wrong_inputs_are_named(self):
        x = tensors.numbers(grpc, self.golden["x"])
        self.refusal("NOT_FOUND", "zebra", "zebra", x)
        self.refusal("NOT_FOUND", "3", "mlp", x, model_version="3")
        self.refusal("INVALID_ARGUMENT", "version '01'", "mlp", x, model_version="01")
        self.refusal("INVALID_ARGUMENT", "no input 'y'; the model takes: x", "mlp",
                     tensors.filled(grpc, "y", "FP32", np.zeros((1, 4), np.float32)))
        self.refusal("INVALID_ARGUMENT", "input 'x'", "mlp",
                     tensors.filled(grpc, "x", "FP32", np.zeros((1, 5), np.float32)))
        self.refusal("INVALID_ARGUMENT", "no output 'z'", "mlp", x, outputs=[grpc.InferRequestedOutput("z")])
        shared = grpc.InferRequestedOutput("logits")
        shared.set_shared_memory("region", 12)
        self.refusal("UNIMPLEMENTED", "not offered", "mlp", x, outputs=[shared])

    def test_bytes_that_are_no_message_are_refused(self):
        with grpc_io.insecure_channel(clients.server.grpc) as channel:
            raw = channel.unary_unary("/inference.GRPCInferenceService/ModelInfer",
                                      request_serializer=bytes, response_deserializer=bytes)
            for bad in (b"\xff" * 9, b"\x3a\x7f123"):
                with self.assertRaises(grpc_io.RpcError):
                    raw(bad, timeout=30)
        self.assertTrue(self.client.is_server_live())
