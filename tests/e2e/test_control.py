"""The repository (index, load, unload), statistics, log and trace settings, with both clients."""

import unittest

import tritonclient.grpc as grpc
import tritonclient.http as http
from tritonclient.utils import InferenceServerException

import clients
import repository
import tensors


class Control(unittest.TestCase):
    def setUp(self):
        self.http = http.InferenceServerClient(clients.server.http, network_timeout=60)
        self.grpc = grpc.InferenceServerClient(clients.server.grpc)
        self.addCleanup(self.http.close)
        self.addCleanup(self.grpc.close)

    def states(self):
        """Of each name, as both clients see it: they must agree."""
        over_http = {each["name"]: each["state"] for each in self.http.get_model_repository_index()}
        over_grpc = {each.name: each.state for each in self.grpc.get_model_repository_index().models}
        self.assertEqual(over_http, over_grpc)
        return over_http

    def test_load_and_unload(self):
        x = repository.golden()["x"]
        for module, client, other in ((http, self.http, self.grpc), (grpc, self.grpc, self.http)):
            self.assertNotEqual(self.states().get("sleeper"), "READY")
            self.assertFalse(client.is_model_ready("sleeper"))
            with self.assertRaises(InferenceServerException):
                client.infer("sleeper", [tensors.numbers(module, x)])
            client.load_model("sleeper")
            self.assertEqual(self.states()["sleeper"], "READY")
            self.assertTrue(other.is_model_ready("sleeper"))
            self.assertEqual(client.infer("sleeper", [tensors.numbers(module, x)]).as_numpy("logits").shape, (5, 3))
            client.unload_model("sleeper")
            self.assertNotEqual(self.states().get("sleeper"), "READY")
            self.assertFalse(other.is_model_ready("sleeper"))

    def test_a_pipeline_is_loaded_and_unloaded_too(self):
        self.http.unload_model("triage")
        self.addCleanup(self.http.load_model, "triage")
        self.assertFalse(self.grpc.is_model_ready("triage"))
        self.grpc.load_model("triage")
        self.assertTrue(self.http.is_model_ready("triage"))

    def test_what_cannot_be_loaded_is_refused_in_words(self):
        for client in (self.http, self.grpc):
            with self.assertRaises(InferenceServerException) as caught:
                client.load_model("zebra")
            self.assertIn("zebra", caught.exception.message())
            with self.assertRaises(InferenceServerException) as caught:
                client.load_model("sleeper", config='{"max_batch_size": 1}')
            self.assertIn("overrides are not offered", caught.exception.message())
            with self.assertRaises(InferenceServerException):
                client.load_model("../mlp")

    def test_statistics_count_rows_and_runs(self):
        def of_mlp():
            return self.http.get_inference_statistics("mlp")["model_stats"][0]

        before = of_mlp()
        for module, client in ((http, self.http), (grpc, self.grpc)):
            client.infer("mlp", [tensors.numbers(module, repository.golden()["x"])])
        after = of_mlp()
        self.assertEqual(after["inference_count"] - before["inference_count"], 10)
        self.assertEqual(after["execution_count"] - before["execution_count"], 2)
        self.assertEqual(after["inference_stats"]["success"]["count"] -
                         before["inference_stats"]["success"]["count"], 2)
        self.assertGreater(after["inference_stats"]["success"]["ns"], 0)
        over_grpc = self.grpc.get_inference_statistics("mlp").model_stats[0]
        self.assertEqual(over_grpc.inference_count, after["inference_count"])
        self.assertGreaterEqual(len(self.grpc.get_inference_statistics().model_stats), 5)

    def test_log_settings(self):
        before = self.http.get_log_settings()
        self.assertTrue(before["log_info"])
        changed = self.http.update_log_settings({"log_verbose_level": 1})
        self.assertEqual(changed["log_verbose_level"], 1)
        seen = self.grpc.get_log_settings(as_json=True)["settings"]
        self.assertEqual(seen["log_verbose_level"]["uint32_param"], 1)
        back = self.grpc.update_log_settings({"log_verbose_level": 0}, as_json=True)["settings"]
        self.assertEqual(back["log_verbose_level"].get("uint32_param", 0), 0)
        for client in (self.http, self.grpc):
            with self.assertRaises(InferenceServerException) as caught:
                client.update_log_settings({"log_file": "/tmp/x"})
            self.assertIn("log_file", caught.exception.message())

    def test_trace_settings(self):
        self.assertEqual(self.http.get_trace_settings()["trace_level"], ["OFF"])
        self.assertEqual(self.http.update_trace_settings(settings={"trace_level": ["OFF"]})["trace_level"], ["OFF"])
        seen = self.grpc.get_trace_settings(model_name="mlp", as_json=True)["settings"]
        self.assertEqual(seen["trace_level"]["value"], ["OFF"])
        for client in (self.http, self.grpc):
            with self.assertRaises(InferenceServerException) as caught:
                client.update_trace_settings(settings={"trace_file": "/tmp/x"})
            self.assertIn("trace_file", caught.exception.message())
            with self.assertRaises(InferenceServerException) as caught:
                client.update_trace_settings(settings={"trace_level": ["TIMESTAMPS"]})
            self.assertIn("not offered", caught.exception.message())

    def test_shared_memory_is_not_offered(self):
        for client in (self.http, self.grpc):
            with self.assertRaises(InferenceServerException):
                client.get_system_shared_memory_status()
