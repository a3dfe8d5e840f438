"""P5: how soon a server gives up what nobody wants any more: an error after a deadline that passed in
the queue, and the queue slot of a client that has gone."""

import json
import socket
import time

MODEL = "encoder"  # of more/queue: 8 rows a run, 8 requests wait, the next is refused
TIMEOUT_MS = 50
SILENCE_S = 0.04  # a refusal comes sooner; what is silent for so long was taken in
QUEUE_MAX = 8     # of the model's config.pbtxt


def infer_bytes(rows, parameters):
    """An inference in the binary tensor extension: zeros."""
    size = rows * 64 * 512 * 4
    head = json.dumps({
        "parameters": {"binary_data_output": True, **parameters},
        "inputs": [{"name": "x", "shape": [rows, 64, 512], "datatype": "FP32",
                    "parameters": {"binary_data_size": size}}]}).encode()
    return (f"POST /v2/models/{MODEL}/infer HTTP/1.1\r\nHost: x\r\nContent-Type: application/octet-stream\r\n"
            f"Inference-Header-Content-Length: {len(head)}\r\nContent-Length: {len(head) + size}\r\n\r\n"
            ).encode() + head + bytes(size)


class Asked:
    """One request on a connection of its own."""

    def __init__(self, port, rows=1, **parameters):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(infer_bytes(rows, parameters))
        self.sent = time.monotonic()

    def status(self, patience_s=30):
        """Of the answer; None when there is none in time."""
        self.socket.settimeout(patience_s)
        try:
            return self.socket.recv(65536)[9:12].decode()
        except TimeoutError:
            return None

    def close(self):
        self.socket.close()


def occupy(server, slots):
    """Every slot with as many rows as a run takes."""
    busy = [Asked(server.port, 8) for _ in range(slots)]
    time.sleep(0.03)
    return busy


def settle(asked):
    """Waits for what is under way."""
    for each in asked:
        each.status()
        each.close()


def expiry_ms(server, slots):
    """From the deadline of a request that waits to its error."""
    busy = occupy(server, slots)
    late = Asked(server.port, timeout=TIMEOUT_MS * 1000)
    status = late.status()
    waited = time.monotonic() - late.sent
    settle(busy)
    late.close()
    if status is None or status.startswith("2"):
        raise SystemExit(f"error: a request with a timeout of {TIMEOUT_MS} ms behind a busy slot was answered: {status}")
    return waited * 1000 - TIMEOUT_MS


def freed_ms(server, slots):
    """From the end of a client whose request waits to the first request that is taken in its place.
    None when the queue was not full."""
    waiting = occupy(server, slots)
    queued = [Asked(server.port) for _ in range(QUEUE_MAX)]
    one_more = Asked(server.port)
    is_full = one_more.status(SILENCE_S) is not None
    one_more.close()
    if not is_full:  # a run has ended and taken them in
        settle(waiting + queued)
        return None
    gone = queued.pop()
    waiting += queued
    begin = time.monotonic()
    gone.close()
    while True:
        each = Asked(server.port)
        if each.status(SILENCE_S) is None:
            break
        each.close()
    waiting.append(each)
    taken = each.sent - begin
    settle(waiting)
    return taken * 1000


def freed(server, slots, trials):
    values = []
    for _ in range(5 * trials):
        if len(values) == trials:
            return values
        taken = freed_ms(server, slots)
        values += [] if taken is None else [taken]
    raise SystemExit(f"error: the queue was full in {len(values)} of {5 * trials} trials")


def p5(bench):
    trials = 3 * bench.a.rounds
    for name, start, goal in (("", bench.braid, "<= 5"), ("_triton", bench.triton, "")):
        who = "Triton" if name else "ours"
        with start("more/queue") as server:
            settle([Asked(server.port, rows) for rows in (1, 8, 8, 8)])
            bench.row(f"P5.expiry{name}", f"error after the deadline of a request that waits, {who}",
                      [expiry_ms(server, bench.a.slots) for _ in range(trials)], "ms", goal,
                      f"timeout {TIMEOUT_MS} ms behind runs of 8 rows of the encoder; {trials} trials; client included")
            bench.row(f"P5.disconnect{name}", f"client gone to its queue slot taken by the next request, {who}",
                      freed(server, bench.a.slots, trials), "ms", goal,
                      f"the queue is full (max_queue_size), so others are refused till then; {trials} trials")
