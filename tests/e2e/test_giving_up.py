"""Time-outs and cancelled calls: what waits leaves the queue, and says why."""

import queue
import time
import unittest

import tritonclient.grpc as grpc
import tritonclient.http as http
from tritonclient.utils import InferenceServerException

import clients
import served
import tensors


class GivingUp(unittest.TestCase):
    def setUp(self):
        self.http = http.InferenceServerClient(clients.server.http, network_timeout=60)
        self.grpc = grpc.InferenceServerClient(clients.server.grpc)
        self.addCleanup(self.http.close)
        self.addCleanup(self.grpc.close)
        self.answers = queue.Queue()
        self.wait_until_idle()

    def wait_until_idle(self):
        self.http.infer("slow", [tensors.turns(http, 1)])

    def fail_count(self):
        statistics = self.http.get_inference_statistics("slow")["model_stats"][0]
        return statistics["inference_stats"]["fail"]["count"]

    def occupy(self, count=4000):
        """The only instance runs for some seconds; returns when it does."""
        call = self.grpc.async_infer("slow", [tensors.turns(grpc, count)],
                                     lambda result, error: self.answers.put(error))
        time.sleep(0.3)
        return call

    def test_timeout_of_a_request_that_waits(self):
        self.occupy()
        begin = time.monotonic()
        with self.assertRaises(InferenceServerException) as caught:
            self.http.infer("slow", [tensors.turns(http, 1)], timeout=100_000)
        self.assertEqual(caught.exception.status(), "504")
        self.assertIn("deadline", caught.exception.message())
        with self.assertRaises(InferenceServerException) as caught:
            self.grpc.infer("slow", [tensors.turns(grpc, 1)], timeout=100_000)
        self.assertEqual(caught.exception.status(), "StatusCode.DEADLINE_EXCEEDED")
        self.assertIn("deadline", caught.exception.message())
        self.assertTrue(self.answers.empty(), "the first request must still run, or this shows nothing")
        self.assertLess(time.monotonic() - begin, 2)
        self.assertIsNone(self.answers.get(timeout=120))

    def test_deadline_of_a_call(self):
        self.occupy()
        failed = self.fail_count()
        with self.assertRaises(InferenceServerException) as caught:
            self.grpc.infer("slow", [tensors.turns(grpc, 1)], client_timeout=0.1)
        self.assertEqual(caught.exception.status(), "StatusCode.DEADLINE_EXCEEDED")
        served.until(lambda: self.fail_count() == failed + 1, "the request leaves the queue", 2)
        self.assertTrue(self.answers.empty(), "the first request must still run, or this shows nothing")
        self.assertIsNone(self.answers.get(timeout=120))

    def test_a_cancelled_call_leaves_the_queue(self):
        self.occupy()
        failed = self.fail_count()
        cancelled = queue.Queue()
        call = self.grpc.async_infer("slow", [tensors.turns(grpc, 1)],
                                     lambda result, error: cancelled.put(error))
        time.sleep(0.1)
        call.cancel()
        self.assertEqual(cancelled.get(timeout=10).status(), "StatusCode.CANCELLED")
        served.until(lambda: self.fail_count() == failed + 1, "the request leaves the queue", 2)
        self.assertTrue(self.answers.empty(), "the first request must still run, or this shows nothing")
        self.assertIsNone(self.answers.get(timeout=120))

    def test_a_client_that_hangs_up_leaves_the_queue(self):
        self.occupy()
        failed = self.fail_count()
        hasty = http.InferenceServerClient(clients.server.http, network_timeout=0.2)
        with self.assertRaises(Exception):
            hasty.infer("slow", [tensors.turns(http, 1)])
        hasty.close()
        served.until(lambda: self.fail_count() == failed + 1, "the request leaves the queue", 2)
        self.assertTrue(self.answers.empty(), "the first request must still run, or this shows nothing")
        self.assertIsNone(self.answers.get(timeout=120))
