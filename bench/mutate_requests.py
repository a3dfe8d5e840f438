#!/usr/bin/env python3
"""Sends mutated requests to a running server; each must be answered, or its connection closed.

    mutate_requests.py HOST:PORT [--model NAME] [--pipeline NAME] [--count 10000] [--seed 1]
                       [--connections 8] [--limit-s 5]

Valid requests of five kinds (tensors in JSON, tensors in binary, a form, a decision in JSON, raw
HTTP) are built from the metadata of the model and the pipeline, then damaged: bytes flipped, cut,
repeated, swapped, numbers made huge, headers doubled. After every 500 the server must say that it
is live. Prints how often each status came. Exit code 1 when a request hangs for longer than the
limit, when the answer is no HTTP, or when the server is gone; the seed, the request's number and
its bytes (in a file) are printed so that it can be sent again. Python's standard library only.
"""
import argparse
import collections
import json
import random
import re
import socket
import struct
import sys
import tempfile
import threading
import time

SIZES = {"BOOL": 1, "UINT8": 1, "INT8": 1, "UINT16": 2, "INT16": 2, "FP16": 2, "BF16": 2,
         "UINT32": 4, "INT32": 4, "FP32": 4, "UINT64": 8, "INT64": 8, "FP64": 8}
EDGE_NUMBERS = [b"0", b"-1", b"1", b"255", b"256", b"65536", b"2147483647", b"2147483648",
                b"4294967295", b"4294967296", b"9223372036854775807", b"18446744073709551616",
                b"-9223372036854775809", b"1e308", b"1e309", b"-0", b"NaN", b"1e-400", b"0x10",
                b"1152921504606846978", b"9" * 300]
TOKENS = [b"null", b"true", b"[]", b"{}", b'""', b"[", b"]", b"{", b"}", b",", b":", b'"', b"\\",
          b"\\ud800", b"\xff", b"\x00", b"[" * 2000, b'{"a":' * 2000, b"\r\n", b"\r\n\r\n", b"--",
          b"--B", b"\r\n--B--\r\n", b"%00", b"%", b"../", b";", b"="]


GRACE_S = 0.15  # a request that has no answer by then is taken for one that was cut short


class Hang(Exception):
    pass


class Gone(Exception):
    pass


def connect(address, limit_s):
    try:
        connection = socket.create_connection(address, timeout=limit_s)
    except OSError as error:
        raise Gone(f"cannot connect: {error}") from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def read_answer(connection, limit_s, data):
    """Status of the answer, or 'closed'. Raises Hang. `data` keeps what has come so far."""
    end = time.monotonic() + limit_s
    while True:
        head, separator, rest = bytes(data).partition(b"\r\n\r\n")
        if separator:
            status = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
            if status is None:
                return "not HTTP"
            if status.group(1) == b"100":
                data[:] = rest
                continue
            length = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
            if length is None or len(rest) >= int(length.group(1)):
                return int(status.group(1))
        left = end - time.monotonic()
        if left <= 0:
            raise Hang(f"no whole answer after {limit_s} s; got {bytes(data[:80])!r}")
        connection.settimeout(left)
        try:
            more = connection.recv(1 << 18)
        except socket.timeout:
            continue
        except OSError:
            return "closed"
        if not more:
            return "closed"
        data += more


def send_and_read(address, data, limit_s):
    answer = bytearray()
    with connect(address, limit_s) as connection:
        try:
            connection.sendall(data)
        except socket.timeout as error:
            raise Hang("the server stopped reading") from error
        except OSError:
            pass  # refused early: its answer is still there to read
        try:
            return read_answer(connection, GRACE_S, answer)
        except Hang:
            pass
        try:
            connection.shutdown(socket.SHUT_WR)  # what is cut short: there will be no more
        except OSError:
            pass
        return read_answer(connection, limit_s, answer)


def get_json(address, path):
    request = f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
    with connect(address, 10) as connection:
        connection.sendall(request)
        data = b""
        while True:
            more = connection.recv(1 << 18)
            if not more:
                break
            data += more
    head, _, body = data.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise SystemExit(f"GET {path}: {head.splitlines()[0].decode()} {body[:200].decode()}")
    return json.loads(body)


def post(path, body, *headers):
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Seeds:
    """Valid requests, from what the server says of itself."""

    def __init__(self, address, model, pipeline):
        self.model, self.pipeline = model, pipeline
        self.tensors = get_json(address, f"/v2/models/{model}")["inputs"] if model else []
        self.inputs = []
        if pipeline:
            self.inputs = [t["name"] for t in get_json(address, f"/v2/models/{pipeline}")["inputs"]]

    def kinds(self):
        kinds = [self.raw_http]
        if self.model:
            kinds += [self.infer_json, self.infer_binary]
        if self.pipeline:
            kinds += [self.form, self.decide_json, self.pipeline_infer]
        return kinds

    def shape_of(self, tensor):
        return [2 if d < 0 else d for d in tensor["shape"]]

    def infer_json(self, rng):
        inputs = []
        for tensor in self.tensors:
            shape = self.shape_of(tensor)
            count = 1
            for d in shape:
                count *= d
            kind = tensor["datatype"]
            if kind == "BYTES":
                data = ["text"] * count
            elif kind == "BOOL":
                data = [True] * count
            else:
                data = [rng.randint(0, 100)] * count
            inputs.append({"name": tensor["name"], "datatype": kind, "shape": shape, "data": data})
        body = json.dumps({"id": "7", "parameters": {"timeout": 1000000}, "inputs": inputs})
        return post(f"/v2/models/{self.model}/infer", body.encode(),
                    "Content-Type: application/json")

    def infer_binary(self, rng):
        inputs, blobs = [], b""
        for tensor in self.tensors:
            shape = self.shape_of(tensor)
            count = 1
            for d in shape:
                count *= d
            blob = (struct.pack("<I", 4) + b"text") * count if tensor["datatype"] == "BYTES" else \
                b"\0" * (count * SIZES[tensor["datatype"]])
            inputs.append({"name": tensor["name"], "datatype": tensor["datatype"], "shape": shape,
                           "parameters": {"binary_data_size": len(blob)}})
            blobs += blob
        head = json.dumps({"inputs": inputs, "parameters": {"binary_data_output": True}}).encode()
        return post(f"/v2/models/{self.model}/infer", head + blobs,
                    "Content-Type: application/octet-stream",
                    f"Inference-Header-Content-Length: {len(head)}")

    def some_input(self, rng):
        return rng.choice([b"a red running shoe", b'{"price": 9.5, "kind": "x"}', b"",
                           b"\xff\xd8\xff\xe0" + rng.randbytes(40), b"\x89PNG\r\n\x1a\n" + b"\0" * 30,
                           rng.randbytes(rng.randint(1, 2000))])

    def form(self, rng):
        body = b""
        for name in self.inputs + ["id"]:
            body += (f'--B\r\nContent-Disposition: form-data; name="{name}"; '
                     f'filename="x"\r\nContent-Type: application/octet-stream\r\n\r\n').encode()
            body += self.some_input(rng) + b"\r\n"
        return post(f"/v2/pipelines/{self.pipeline}/decide", body + b"--B--\r\n",
                    "Content-Type: multipart/form-data; boundary=B")

    def decide_json(self, rng):
        values = [{"base64": "/9j/4AAQ"}, "a shoe", {"price": 9.5, "kind": "x"}, None, 5, [1, "x"]]
        body = json.dumps({"id": "7", "inputs": {n: rng.choice(values) for n in self.inputs},
                           "deadline_ms": 2000, "min_confidence": 0.5, "explain": True})
        return post(f"/v2/pipelines/{self.pipeline}/decide", body.encode(),
                    "Content-Type: application/json")

    def pipeline_infer(self, rng):
        inputs = [{"name": n, "datatype": "BYTES", "shape": [2], "data": ["a", '{"price": 1}']}
                  for n in self.inputs]
        return post(f"/v2/models/{self.pipeline}/infer", json.dumps({"inputs": inputs}).encode())

    def raw_http(self, rng):
        return rng.choice([
            b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /v2/models/x/ready HTTP/1.1\r\nHost: x\r\n\r\n" * 3,
            b"POST /v2/models/x/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"5\r\nabcde\r\n0\r\n\r\n",
            b"HEAD /v2 HTTP/1.0\r\n\r\n",
            b"OPTIONS * HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
            rng.randbytes(rng.randint(1, 300)) + b"\r\n\r\n",
        ])


def flip(rng, data):
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 5, 20])):
        if data:
            data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def cut(rng, data):
    return data[:rng.randrange(len(data) + 1)]


def remove(rng, data):
    at = rng.randrange(len(data) + 1)
    return data[:at] + data[at + rng.choice([1, 2, 8, 64, 500]):]


def repeat(rng, data):
    at = rng.randrange(len(data) + 1)
    piece = data[at:at + rng.choice([1, 4, 16, 200])]
    return data[:at] + piece * rng.choice([2, 3, 50, 1000]) + data[at:]


def insert(rng, data):
    at = rng.randrange(len(data) + 1)
    return data[:at] + rng.choice(TOKENS + EDGE_NUMBERS) + data[at:]


def change_number(rng, data):
    numbers = list(re.finditer(rb"-?\d+(\.\d+)?", data))
    if not numbers:
        return flip(rng, data)
    number = rng.choice(numbers)
    return data[:number.start()] + rng.choice(EDGE_NUMBERS) + data[number.end():]


def change_word(rng, data):
    words = list(re.finditer(rb"[A-Za-z_][A-Za-z_0-9-]+", data))
    if not words:
        return flip(rng, data)
    word, other = rng.choice(words), rng.choice(words)
    return data[:word.start()] + data[other.start():other.end()] + data[word.end():]


def double_header(rng, data):
    head, separator, body = data.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    lines.insert(rng.randrange(1, len(lines) + 1), rng.choice(lines))
    return b"\r\n".join(lines) + separator + body


def fix_length(data):
    """Repairs Content-Length, so that the damage reaches what lies behind the HTTP layer."""
    head, separator, body = data.partition(b"\r\n\r\n")
    head = re.sub(rb"Content-Length: \d+", b"Content-Length: %d" % len(body), head, count=1)
    return head + separator + body


MUTATIONS = [flip, flip, cut, remove, repeat, insert, insert, change_number, change_number,
             change_word, double_header]


def mutated(rng, seeds):
    data = rng.choice(seeds.kinds())(rng)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 6])):
        data = rng.choice(MUTATIONS)(rng, data)
    return fix_length(data) if rng.random() < 0.7 else data


class Run:
    def __init__(self, options, address, seeds):
        self.options, self.address, self.seeds = options, address, seeds
        self.lock = threading.Lock()
        self.next = 0
        self.statuses = collections.Counter()
        self.failure = None

    def draw(self):
        with self.lock:
            if self.failure is not None or self.next == self.options.count:
                return None
            self.next += 1
            return self.next - 1

    def work(self):
        while (index := self.draw()) is not None:
            data = mutated(random.Random(self.options.seed * 1000003 + index), self.seeds)
            try:
                status = send_and_read(self.address, data, self.options.limit_s)
                if status == "not HTTP":
                    raise Gone("the answer is no HTTP")
                if (index + 1) % 500 == 0:
                    live = send_and_read(self.address, b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n"
                                         b"\r\n", self.options.limit_s)
                    if live != 200:
                        raise Gone(f"health says {live}")
            except (Hang, Gone) as problem:
                with self.lock:
                    self.failure = self.failure or (index, data, problem)
                return
            with self.lock:
                self.statuses[str(status)] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address", help="HOST:PORT of the server")
    parser.add_argument("--model", help="name of a model for tensor requests")
    parser.add_argument("--pipeline", help="name of a pipeline for decisions")
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--limit-s", type=float, default=5)
    options = parser.parse_args()
    host, _, port = options.address.rpartition(":")
    address = (host or "127.0.0.1", int(port))
    run = Run(options, address, Seeds(address, options.model, options.pipeline))
    begin = time.monotonic()
    threads = [threading.Thread(target=run.work) for _ in range(options.connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = ", ".join(f"{status}: {count}" for status, count in sorted(run.statuses.items()))
    print(f"{sum(run.statuses.values())} of {options.count} requests (seed {options.seed}) in "
          f"{time.monotonic() - begin:.1f} s: {counts}")
    if run.failure is None:
        return 0
    index, data, problem = run.failure
    with tempfile.NamedTemporaryFile(prefix="mutated-", delete=False) as file:
        file.write(data)
    print(f"request {index}: {problem}; its bytes are in {file.name}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
