"""ModelStreamInfer with the sync and the aio client: one answer a request; an error ends nothing."""

import asyncio
import queue
import unittest

import numpy as np
import tritonclient.grpc as grpc
import tritonclient.grpc.aio as grpc_aio

import clients
import repository
import tensors


class Stream(unittest.TestCase):
    def setUp(self):
        self.golden = repository.golden()

    def test_answers_each_and_goes_on_after_an_error(self):
        answers = queue.Queue()
        with grpc.InferenceServerClient(clients.server.grpc) as client:
            client.start_stream(lambda result, error: answers.put((result, error)))
            for i in range(20):
                client.async_stream_infer("mlp", [tensors.numbers(grpc, [self.golden["x"][i % 5]])],
                                          request_id=str(i))
            client.async_stream_infer("zebra", [tensors.numbers(grpc, self.golden["x"])], request_id="z")
            client.async_stream_infer("mlp", [tensors.numbers(grpc, self.golden["x"])], request_id="last")
            got = [answers.get(timeout=60) for _ in range(22)]
            client.stop_stream()
        errors = [error for _, error in got if error is not None]
        self.assertEqual(len(errors), 1)
        self.assertIn("zebra", errors[0].message())
        results = {result.get_response().id: result for result, error in got if error is None}
        self.assertEqual(sorted(results), sorted([*map(str, range(20)), "last"]))
        for i in range(20):
            np.testing.assert_allclose(results[str(i)].as_numpy("logits")[0], self.golden["logits"][i % 5],
                                       rtol=1e-5, atol=1e-6)

    def test_a_stream_that_is_cancelled_leaves_the_server_well(self):
        answers = queue.Queue()
        with grpc.InferenceServerClient(clients.server.grpc) as client:
            client.start_stream(lambda result, error: answers.put(error))
            for _ in range(3):
                client.async_stream_infer("slow", [tensors.turns(grpc, 400)])
            client.stop_stream(cancel_requests=True)
            self.assertTrue(client.is_server_live())

    def test_aio(self):
        async def run():
            async def requests():
                for i in range(10):
                    yield {"model_name": "mlp", "request_id": str(i),
                           "inputs": [tensors.numbers(grpc_aio, [self.golden["x"][i % 5]])]}

            async with grpc_aio.InferenceServerClient(clients.server.grpc) as client:
                return [answer async for answer in client.stream_infer(requests())]

        got = asyncio.run(run())
        self.assertEqual(len(got), 10)
        for result, error in got:
            self.assertIsNone(error)
            np.testing.assert_allclose(result.as_numpy("logits")[0],
                                       self.golden["logits"][int(result.get_response().id) % 5], rtol=1e-5,
                                       atol=1e-6)
