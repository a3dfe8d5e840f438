"""The aio twins of both clients."""

import asyncio
import unittest

import numpy as np
import tritonclient.grpc.aio as grpc_aio
import tritonclient.http.aio as http_aio
from tritonclient.utils import InferenceServerException

import clients
import repository
import tensors

TWINS = ((http_aio, "http"), (grpc_aio, "grpc"))


class Aio(unittest.TestCase):
    def setUp(self):
        self.golden = repository.golden()

    def with_each(self, run):
        """`run(client, module)` with a client of each protocol."""
        async def all_of_them():
            for module, protocol in TWINS:
                async with module.InferenceServerClient(getattr(clients.server, protocol)) as client:
                    await run(client, module)

        asyncio.run(all_of_them())

    def test_health_metadata_and_statistics(self):
        async def run(client, _):
            self.assertTrue(await client.is_server_live())
            self.assertTrue(await client.is_server_ready())
            self.assertTrue(await client.is_model_ready("mlp"))
            self.assertFalse(await client.is_model_ready("zebra"))
            for answer in (await client.get_server_metadata(), await client.get_model_metadata("mlp"),
                           await client.get_model_config("mlp"), await client.get_inference_statistics("mlp"),
                           await client.get_model_repository_index()):
                self.assertIsNotNone(answer)

        self.with_each(run)

    def test_all_types(self):
        async def run(client, module):
            tensors.check_types(self, await client.infer("types", tensors.typed_inputs(module)))

        self.with_each(run)

    def test_many_at_once(self):
        async def run(client, module):
            results = await asyncio.gather(*(
                client.infer("mlp", [tensors.numbers(module, [self.golden["x"][i % 5]])]) for i in range(40)))
            for i, result in enumerate(results):
                np.testing.assert_allclose(result.as_numpy("logits")[0], self.golden["logits"][i % 5],
                                           rtol=1e-5, atol=1e-6)

        self.with_each(run)

    def test_errors(self):
        async def run(client, module):
            with self.assertRaises(InferenceServerException) as caught:
                await client.infer("zebra", [tensors.numbers(module, self.golden["x"])])
            self.assertIn("zebra", caught.exception.message())

        self.with_each(run)

    def test_a_task_that_is_cancelled_leaves_the_server_well(self):
        async def run(client, module):
            asked = asyncio.create_task(client.infer("slow", [tensors.turns(module, 400)]))
            await asyncio.sleep(0.05)
            asked.cancel()
            with self.assertRaises((asyncio.CancelledError, InferenceServerException)):
                await asked
            self.assertTrue(await client.is_server_live())

        self.with_each(run)
