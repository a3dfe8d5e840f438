"""What bench/serving.py measures with: the servers, each on ports of its own, `braid bench`, and rows."""

import json
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def get(port, path):
    """The status of one GET; None when nobody listens."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
            return client.recv(4096)[9:12].decode()
    except OSError:
        return None


class Server:
    """A server on ports of its own; ready when made, ended at the end of `with`."""

    def __init__(self, name, command, environment, log, port, grpc_port, metrics_port):
        self.port, self.url, self.grpc_url = port, f"http://127.0.0.1:{port}", f"grpc://127.0.0.1:{grpc_port}"
        self.metrics_url = f"http://127.0.0.1:{metrics_port}/metrics"
        begin = time.monotonic()
        with open(log, "wb") as out:
            self.process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=out, stderr=out)
        while get(port, "/v2/health/ready") != "200":
            if self.process.poll() is not None or time.monotonic() > begin + 120:
                self.process.kill()
                self.process.wait()
                raise SystemExit(f"error: {name} does not get ready; see {log}")
            time.sleep(0.0005)
        self.ready_ms = (time.monotonic() - begin) * 1000
        self.pid = self.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def resident_kib(self):
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        return 0


class Echo:
    """The bare grpc++ server: takes `width` floats, answers `answer_width`."""

    def __init__(self, program, width, answer_width):
        self.process = subprocess.Popen([program, str(width), str(answer_width)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.grpc_url = f"grpc://127.0.0.1:{int(self.process.stdout.readline())}"
        self.pid, self.metrics_url = self.process.pid, None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)


class Bench:
    def __init__(self, arguments):
        self.a = arguments
        self.out = arguments.out
        self.rows = []

    def braid(self, *repositories, options=()):
        port, grpc, metrics = free_port(), free_port(), free_port()
        command = [self.a.braid, "serve", "--http-port", str(port), "--grpc-port", str(grpc), "--metrics-port",
                   str(metrics), "--slots", str(self.a.slots), *options]
        for repository in repositories:
            command += ["--repository", str(self.out / "braid" / repository)]
        return Server("braid", command, {}, self.out / "braid.log", port, grpc, metrics)

    def triton(self, repository):
        port, grpc, metrics = free_port(), free_port(), free_port()
        environment = {"PREFIX": self.a.prefix, "REPO": str(self.out / "triton" / repository),
                       "HTTP_PORT": str(port), "GRPC_PORT": str(grpc), "METRICS_PORT": str(metrics)}
        return Server("triton", [str(self.a.peers / "run_triton.sh")], environment,
                      self.out / "triton.log", port, grpc, metrics)

    def echo(self, width, answer_width):
        return Echo(self.a.grpc_echo, width, answer_width)

    def run(self, *words, seconds=None):
        """One `braid bench`; its figures."""
        file = self.out / "bench.json"
        command = [self.a.braid, "bench", "--duration", str(seconds or self.a.seconds), "--json", str(file),
                   *map(str, words)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"error: {' '.join(map(str, command))}\n{done.stderr}")
        return json.loads(file.read_text())

    def one(self, server, *words, **more):
        return self.run("--url", server.url, "--pid", server.pid, *words, **more)

    def compare(self, a, b, *words, wire="http"):
        """A B B A over HTTP or gRPC; the figures of both."""
        def url(server):
            return server.grpc_url if wire == "grpc" else server.url

        metrics = []
        for option, server in (("--metrics-url", a), ("--compare-metrics-url", b)):
            metrics += [option, server.metrics_url] if server.metrics_url else []
        return self.run("--url", url(a), "--pid", a.pid, "--compare", url(b), "--compare-pid", b.pid, *metrics,
                        "--rounds", self.a.rounds, *words)

    def bare(self, model, names, shape, slots, seconds):
        """Columns of the bare ONNX Runtime loop: model, batch, intra, instances, runs, p50 µs, p99, rows/s, CPU."""
        done = subprocess.run([f"{self.a.prefix}/bin/bare", self.out / model, *names, shape, "1", "1", str(slots),
                               str(seconds)], check=True, capture_output=True, text=True)
        return done.stdout.split(",")

    def row(self, name, what, values, unit="", goal="", note=""):
        """`values`: of the rounds, or {min, median, max}, or one number."""
        if isinstance(values, dict):
            low, value, high = values["min"], values["median"], values["max"]
        elif isinstance(values, list):
            low, value, high = min(values), statistics.median(values), max(values)
        else:
            low, value, high = None, values, None
        self.rows.append({"id": name, "what": what, "value": value, "low": low, "high": high, "unit": unit,
                          "goal": goal, "note": note})
        print(f"{name:16} {what}: {value:.4g} [{low}, {high}] {unit} {goal}", file=sys.stderr, flush=True)


def median_us(result, side, key):
    """Of the rounds; what is in milliseconds there."""
    return 1000 * statistics.median(of_rounds(result, side, key))


def spread(result, name):
    ratio = result["b_over_a"][name]
    return [ratio["min"], ratio["median"], ratio["max"]]


def of_rounds(result, side, key):
    """A figure of each round; latencies as latency_ms.p50."""
    values = []
    for each in result["rounds"]:
        value = each[side]
        for part in key.split("."):
            value = value[part]
        values.append(value)
    return values
