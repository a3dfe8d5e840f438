"""A pipeline as any model of the protocol, and as people ask it with curl."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.http as http
from tritonclient.utils import InferenceServerException

import clients
import repository
import tensors

OUTPUTS = ["label", "probabilities", "confidence", "uncertainty", "contributions", "route", "degraded",
           "out_of_domain"]


class Pipeline(unittest.TestCase):
    def setUp(self):
        self.golden = repository.golden()
        self.records = np.array([repository.record(row) for row in self.golden["x"]], object)
        self.http = http.InferenceServerClient(clients.server.http, network_timeout=60)
        self.grpc = grpc.InferenceServerClient(clients.server.grpc)
        self.addCleanup(self.http.close)
        self.addCleanup(self.grpc.close)

    def check(self, result):
        """Five cases of which the second opinion is absent: the decision is the first one's."""
        expected = np.array(self.golden["probabilities"])
        np.testing.assert_allclose(result.as_numpy("probabilities"), expected, rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(result.as_numpy("confidence"), expected.max(axis=1), rtol=1e-4)
        entropy = -(expected * np.log(expected)).sum(axis=1) / np.log(3)
        np.testing.assert_allclose(result.as_numpy("uncertainty"), entropy, rtol=1e-3, atol=1e-5)

        def text(value):
            return value.decode() if isinstance(value, bytes) else value

        self.assertEqual([text(each) for each in result.as_numpy("label")],
                         [repository.LABELS[i] for i in expected.argmax(axis=1)])
        for route, degraded, why in zip(*(result.as_numpy(n) for n in ("route", "degraded", "contributions"))):
            steps = json.loads(text(route))
            self.assertEqual([(step["branch"], step["variant"]) for step in steps], [("first", "mlp")])
            self.assertEqual([(each["part"], each["reason"]) for each in json.loads(text(degraded))],
                             [("second", "absent")])
            self.assertIn("record", json.loads(text(why)))

    def test_metadata(self):
        model = self.http.get_model_metadata("triage")
        self.assertEqual(model["platform"], "braid_pipeline")
        self.assertEqual([(each["name"], each["datatype"]) for each in model["inputs"]],
                         [("record", "BYTES"), ("second", "BYTES")])
        self.assertEqual([each["name"] for each in model["outputs"]], OUTPUTS)
        self.assertEqual(self.grpc.get_model_metadata("triage").platform, "braid_pipeline")
        self.assertEqual(len(self.grpc.get_model_config("triage").config.input), 2)

    def test_cases_as_bytes(self):
        for binary in (True, False):
            outputs = [http.InferRequestedOutput(name, binary_data=binary) for name in OUTPUTS]
            record = tensors.filled(http, "record", "BYTES", self.records, binary)
            self.check(self.http.infer("triage", [record], outputs=outputs))
        self.check(self.http.infer("triage", [tensors.filled(http, "record", "BYTES", self.records)]))
        self.check(self.grpc.infer("triage", [tensors.filled(grpc, "record", "BYTES", self.records)]))

    def test_both_inputs_and_parameters(self):
        inputs = [tensors.filled(grpc, name, "BYTES", self.records) for name in ("record", "second")]
        result = self.grpc.infer("triage", inputs, timeout=20_000_000, parameters={"min_confidence": 0.2})
        np.testing.assert_allclose(result.as_numpy("probabilities"), self.golden["probabilities"], rtol=1e-4,
                                   atol=1e-6)
        self.assertEqual(json.loads(result.as_numpy("degraded")[0]), [])

    def test_what_is_wrong_is_named(self):
        with self.assertRaises(InferenceServerException) as caught:
            self.http.infer("triage", [tensors.filled(http, "recrd", "BYTES", self.records)])
        self.assertEqual(caught.exception.status(), "400")
        self.assertIn("the pipeline takes: record, second", caught.exception.message())
        with self.assertRaises(InferenceServerException) as caught:
            self.grpc.infer("triage", [tensors.filled(grpc, "record", "FP32", np.zeros(2, np.float32))])
        self.assertEqual(caught.exception.status(), "StatusCode.INVALID_ARGUMENT")
        self.assertIn("BYTES", caught.exception.message())

    def curl(self, *words):
        """The status and the JSON of an answer."""
        done = subprocess.run(["curl", "-sS", "-m", "60", "-w", "\n%{http_code}", *words], check=True,
                              capture_output=True, text=True)
        body, _, status = done.stdout.rpartition("\n")
        return int(status), json.loads(body)

    def decide(self):
        return f"http://{clients.server.http}/v2/pipelines/triage/decide"

    def check_decision(self, status, decision):
        self.assertEqual(status, 200)
        best = int(np.argmax(self.golden["probabilities"][0]))
        self.assertEqual(decision["pipeline"], "triage")
        self.assertEqual(decision["label"], repository.LABELS[best])
        self.assertEqual(list(decision["probabilities"]), repository.LABELS)
        np.testing.assert_allclose(list(decision["probabilities"].values()), self.golden["probabilities"][0],
                                   rtol=1e-4, atol=1e-6)
        self.assertEqual(decision["route"][0]["branch"], "first")

    def test_curl_form(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "record.json"
            file.write_bytes(self.records[0])
            self.check_decision(*self.curl("-F", f"record=@{file}", "-F", "explain=true", self.decide()))
            self.check_decision(*self.curl("-F", f"record=<{file}", self.decide()))
        status, answer = self.curl("-F", "recrd=x", self.decide())
        self.assertEqual(status, 400)
        self.assertIn("did you mean 'record'?", answer["error"])

    def test_curl_json(self):
        body = json.dumps({"id": "7", "inputs": {"record": json.loads(self.records[0]), "second": None}})
        status, decision = self.curl("-H", "Content-Type: application/json", "-d", body, self.decide())
        self.check_decision(status, decision)
        self.assertEqual(decision["id"], "7")
        status, answer = self.curl("-H", "Content-Type: application/json", "-d", '{"inputs": ', self.decide())
        self.assertEqual(status, 400)
        self.assertTrue(answer["error"])
        status, described = self.curl(f"http://{clients.server.http}/v2/pipelines/triage")
        self.assertEqual(status, 200)
        self.assertEqual(described["name"], "triage")
