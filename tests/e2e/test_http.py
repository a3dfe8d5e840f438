"""tritonclient.http: infer in all its forms."""

import unittest

import numpy as np
import tritonclient.http as http

import clients
import repository
import tensors
from tritonclient.utils import InferenceServerException


class Http(unittest.TestCase):
    def setUp(self):
        self.client = http.InferenceServerClient(clients.server.http, concurrency=4, network_timeout=60)
        self.addCleanup(self.client.close)
        self.golden = repository.golden()

    def infer(self, rows, model="mlp", **more):
        return self.client.infer(model, [tensors.numbers(http, rows)], **more)

    def test_health_and_metadata(self):
        self.assertTrue(self.client.is_server_live())
        self.assertTrue(self.client.is_server_ready())
        self.assertTrue(self.client.is_model_ready("mlp"))
        self.assertTrue(self.client.is_model_ready("mlp", "1"))
        self.assertFalse(self.client.is_model_ready("mlp", "2"))
        self.assertFalse(self.client.is_model_ready("zebra"))
        server = self.client.get_server_metadata()
        self.assertEqual(server["name"], "braid")
        for extension in ("binary_tensor_data", "classification", "model_repository", "statistics",
                          "model_configuration", "logging", "trace"):
            self.assertIn(extension, server["extensions"])
        model = self.client.get_model_metadata("mlp")
        self.assertEqual(model["inputs"], [{"name": "x", "datatype": "FP32", "shape": [-1, 4]}])
        self.assertEqual([each["name"] for each in model["outputs"]], ["logits", "probabilities"])
        self.assertEqual(model["versions"], ["1"])
        config = self.client.get_model_config("mlp")
        self.assertEqual(config["max_batch_size"], 8)
        self.assertEqual(config["input"][0]["data_type"], "TYPE_FP32")
        self.assertIn("dynamic_batching", config)

    def test_binary_and_json_of_all_types(self):
        tensors.check_types(self, self.client.infer("types", tensors.typed_inputs(http)))
        outputs = [http.InferRequestedOutput(name + "_out", binary_data=name in tensors.WITHOUT_JSON)
                   for name in tensors.TYPES]
        tensors.check_types(self, self.client.infer("types", tensors.typed_inputs(http, binary=False),
                                                    outputs=outputs))

    def test_numbers_are_numpys(self):
        result = self.infer(self.golden["x"], request_id="7")
        np.testing.assert_allclose(result.as_numpy("logits"), self.golden["logits"], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(result.as_numpy("probabilities"), self.golden["probabilities"],
                                   rtol=1e-5, atol=1e-7)
        self.assertEqual(result.get_response()["id"], "7")
        self.assertEqual(result.get_response()["model_version"], "1")

    def test_more_rows_than_the_config_states_are_refused(self):
        with self.assertRaisesRegex(InferenceServerException, "25 rows came; the model takes at most 8"):
            self.infer(self.golden["x"] * 5)
        result = self.infer(self.golden["x"] * 30, "unlimited")  # 150; a run takes 32
        np.testing.assert_allclose(result.as_numpy("logits"), self.golden["logits"] * 30, rtol=1e-5, atol=1e-6)

    def test_outputs_come_in_the_order_asked(self):
        for names in (["probabilities", "logits"], ["logits", "probabilities"], ["probabilities"]):
            result = self.infer(self.golden["x"], outputs=[http.InferRequestedOutput(n) for n in names])
            self.assertEqual([each["name"] for each in result.get_response()["outputs"]], names)

    def test_classification(self):
        for binary in (True, False):
            wanted = http.InferRequestedOutput("probabilities", class_count=2, binary_data=binary)
            classes = self.infer(self.golden["x"], outputs=[wanted]).as_numpy("probabilities")
            self.assertEqual(classes.shape, (5, 2))
            for row, expected in zip(classes, self.golden["probabilities"]):
                best = np.argsort(expected)[::-1]
                for place in range(2):
                    text = row[place] if isinstance(row[place], str) else row[place].decode()
                    value, index, label = text.split(":")
                    self.assertEqual(int(index), best[place])
                    self.assertEqual(label, repository.LABELS[best[place]])
                    self.assertAlmostEqual(float(value), expected[best[place]], places=4)

    def test_compression_in_both_directions(self):
        for request in ("gzip", "deflate", None):
            for response in ("gzip", "deflate", None):
                result = self.infer(self.golden["x"] * 20, "unlimited", request_compression_algorithm=request,
                                    response_compression_algorithm=response)
                np.testing.assert_allclose(result.as_numpy("logits"), self.golden["logits"] * 20, rtol=1e-5,
                                           atol=1e-6)

    def test_many_at_once(self):
        asked = [self.client.async_infer("mlp", [tensors.numbers(http, [row])], request_id=str(i))
                 for i, row in enumerate(self.golden["x"] * 10)]
        for i, each in enumerate(asked):
            result = each.get_result()
            self.assertEqual(result.get_response()["id"], str(i))
            np.testing.assert_allclose(result.as_numpy("logits")[0], self.golden["logits"][i % 5], rtol=1e-5,
                                       atol=1e-6)

    def test_an_optional_input_may_be_left_out(self):
        x = np.array([[1, 2]], np.float32)
        result = self.client.infer("optional", [tensors.filled(http, "x", "FP32", x)])
        np.testing.assert_array_equal(result.as_numpy("y"), x + [[10, 20]])  # the file's own shift

    def test_wrong_inputs_are_named_and_the_connection_goes_on(self):
        def refusal(status, text, model, *inputs, **more):
            with self.assertRaises(InferenceServerException) as caught:
                self.client.infer(model, list(inputs), **more)
            self.assertEqual(caught.exception.status(), status)
            self.assertRegex(caught.exception.message(), text)

        x = tensors.numbers(http, self.golden["x"])
        refusal("404", "zebra", "zebra", x)
        refusal("404", "3", "mlp", x, model_version="3")
        refusal("400", "no input 'y'; the model takes: x", "mlp",
                tensors.filled(http, "y", "FP32", np.zeros((1, 4), np.float32)))
        refusal("400", "input 'x': FP32 .1, 5. came, but .* .-1, 4. is wanted", "mlp",
                tensors.filled(http, "x", "FP32", np.zeros((1, 5), np.float32)))
        refusal("400", "input 'x'.*INT32", "mlp", tensors.filled(http, "x", "INT32", np.zeros((1, 4), np.int32)))
        refusal("400", "no output 'z'; there are: logits, probabilities", "mlp", x,
                outputs=[http.InferRequestedOutput("z")])
        self.assertTrue(self.client.is_server_live())
