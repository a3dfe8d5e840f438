#!/usr/bin/env python3
"""Measures what bench/serving.sh sets up, with `braid bench`, and writes OUT/rows.json for
tools/evidence.py. Everything that is compared takes turns in one run."""

import argparse
import contextlib
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


class NotReady(SystemExit):
    pass


class Server:
    """A server on ports of its own; ready when made, ended at the end of `with`."""

    def __init__(self, name, command, environment, log, port, metrics_port):
        self.port, self.url = port, f"http://127.0.0.1:{port}"
        self.metrics_url = f"http://127.0.0.1:{metrics_port}/metrics"
        begin = time.monotonic()
        with open(log, "wb") as out:
            self.process = subprocess.Popen(command, env={**os.environ, **environment}, stdout=out, stderr=out)
        while get(port, "/v2/health/ready") != "200":
            if self.process.poll() is not None or time.monotonic() > begin + 120:
                self.process.kill()
                self.process.wait()
                raise NotReady(f"error: {name} does not get ready; see {log}")
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


class Bench:
    def __init__(self, arguments):
        self.a = arguments
        self.out = arguments.out
        self.rows = []

    def braid(self, *repositories):
        port, metrics = free_port(), free_port()
        command = [self.a.braid, "serve", "--http-port", str(port), "--metrics-port", str(metrics),
                   "--slots", str(self.a.slots)]
        for repository in repositories:
            command += ["--repository", str(self.out / "braid" / repository)]
        return Server("braid", command, {}, self.out / "braid.log", port, metrics)

    def triton(self, repository):
        port, metrics = free_port(), free_port()
        environment = {"PREFIX": self.a.prefix, "REPO": str(self.out / "triton" / repository),
                       "HTTP_PORT": str(port), "GRPC_PORT": str(free_port()), "METRICS_PORT": str(metrics)}
        return Server("triton", [str(self.a.peers / "run_triton.sh")], environment,
                      self.out / "triton.log", port, metrics)

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

    def compare(self, a, b, *words):
        return self.run("--url", a.url, "--pid", a.pid, "--metrics-url", a.metrics_url, "--compare", b.url,
                        "--compare-pid", b.pid, "--compare-metrics-url", b.metrics_url,
                        "--rounds", self.a.rounds, *words)

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


def of_rounds(result, side, key):
    """A figure of each round; latencies as latency_ms.p50."""
    values = []
    for each in result["rounds"]:
        value = each[side]
        for part in key.split("."):
            value = value[part]
        values.append(value)
    return values


def p1(bench):
    """One connection: what HTTP adds to a bare echo and a bare run; and Triton's p50 beside ours."""
    done = subprocess.run([bench.a.http_bench, bench.out / "bare", "mlp", "11", "2000"], check=True,
                          capture_output=True, text=True)
    result = json.loads(done.stdout)
    parts = ", ".join(f"{name} {result[name]['median']:.1f}" for name in ("echo_us", "bare_us", "full_us"))
    bench.row("P1.http", "p50 at one connection: binary HTTP minus bare Beast echo and bare engine, mlp",
              result["over_us"], "µs", "<= 15", f"medians in µs: {parts}; 11 rounds of 2000, one process")
    with bench.braid("base") as ours, bench.triton("base") as theirs:
        result = bench.compare(ours, theirs, "--model", "identity_fp32", "--connections", 1)
        ms = {side: statistics.median(of_rounds(result, side, "latency_ms.p50")) for side in "ab"}
        bench.row("P1.http_triton", "p50 at one connection, binary HTTP, identity: Triton's ÷ ours",
                  result["b_over_a"]["latency_p50"], "", ">= 1",
                  f"ours {ms['a'] * 1000:.0f} µs, Triton's {ms['b'] * 1000:.0f} µs")


def bare_rows_per_s(bench, seconds):
    """The encoder in as many bare sessions of one thread as there are slots."""
    file = bench.out / "braid/more/plain/encoder/1/model.onnx"
    done = subprocess.run([f"{bench.a.prefix}/bin/bare", file, "x", "y", "64,512", "1", "1", str(bench.a.slots),
                           str(seconds)], check=True, capture_output=True, text=True)
    return float(done.stdout.split(",")[7])


def p2(bench):
    """Saturated: rows a second of the encoder ÷ those of a bare loop in as many slots."""
    words = ["--model", "encoder", "--connections", 2 * bench.a.slots]
    ratios = {"ours": [], "triton": []}
    with bench.braid("more/plain") as ours, bench.triton("more/plain") as theirs:
        for _ in range(bench.a.p2_rounds):
            speeds = {"bare": [], "ours": [], "triton": []}
            for turn in ("bare", "ours", "triton", "triton", "ours", "bare"):
                if turn == "bare":
                    speeds[turn].append(bare_rows_per_s(bench, bench.a.seconds))
                else:
                    server = ours if turn == "ours" else theirs
                    speeds[turn].append(bench.one(server, *words)["requests_per_s"])
            for name, of_name in ratios.items():
                of_name.append(sum(speeds[name]) / sum(speeds["bare"]))
    note = f"encoder without batching, {2 * bench.a.slots} connections, {bench.a.slots} slots, {bench.a.p2_rounds} rounds"
    bench.row("P2", "saturated throughput ÷ bare loop, encoder", ratios["ours"], "", ">= 0.97", note)
    bench.row("P2.triton", "the same of Triton", ratios["triton"], "", "", note)


def p3(bench):
    """Server CPU of a tiny request."""
    with bench.braid("base") as ours, bench.triton("base") as theirs:
        result = bench.compare(ours, theirs, "--model", "identity_fp32", "--connections", 16)
    us = {side: 1000 * statistics.median(of_rounds(result, side, "server_cpu_core_ms")) for side in "ab"}
    bench.row("P3.http", "server CPU a request, identity, 16 connections, binary HTTP: Triton's ÷ ours",
              result["b_over_a"]["server_cpu"], "", ">= 2.5", f"ours {us['a']:.1f} µs, Triton's {us['b']:.1f} µs")
    bench.row("P3.http_throughput", "requests a second of the same: ours ÷ Triton's",
              [1 / v for v in spread(result, "requests_per_s")], "", "", f"{bench.a.rounds} rounds of A B B A")


def spread(result, name):
    ratio = result["b_over_a"][name]
    return [ratio["min"], ratio["median"], ratio["max"]]


def p4(bench):
    """An MLP with dynamic batching."""
    for name, repository, delay in (("P4.http", "base", "100 µs"), ("P4.http_d0", "more/d0", "0")):
        with bench.braid(repository) as ours, bench.triton(repository) as theirs:
            result = bench.compare(ours, theirs, "--model", "mlp", "--connections", 64)
        us = {side: 1000 * statistics.median(of_rounds(result, side, "server_cpu_core_ms")) for side in "ab"}
        rows = {side: result[side]["batch_rows"] for side in "ab"}
        bench.row(name, f"server CPU a request, mlp, 64 connections, queue delay {delay}: Triton's ÷ ours",
                  result["b_over_a"]["server_cpu"], "", ">= 2.5",
                  f"ours {us['a']:.1f} µs at {rows['a']:.1f} rows a run, Triton's {us['b']:.1f} µs at {rows['b']:.1f}")
        bench.row(name + "_throughput", f"requests a second of the same, queue delay {delay}: ours ÷ Triton's",
                  [1 / v for v in spread(result, "requests_per_s")])


def p11_connections(bench):
    counts = (16, 64, 256, 1000)
    shares = []
    with bench.braid("base") as ours:
        for _ in range(bench.a.rounds):
            speeds = {}
            for count in counts + counts[::-1]:
                result = bench.one(ours, "--model", "identity_fp32", "--connections", count, seconds=3)
                speeds.setdefault(count, []).append(result["requests_per_s"])
            mean = {count: statistics.fmean(values) for count, values in speeds.items()}
            shares.append(min(mean.values()) / max(mean.values()))
    bench.row("P11.connections", "16 to 1000 connections: lowest ÷ highest throughput, identity", shares, "",
              ">= 0.95", f"at {counts} connections, there and back, {bench.a.rounds} rounds")


def p11_idle(bench):
    count = 1000
    with bench.braid("base") as ours:
        bench.one(ours, "--model", "identity_fp32", "--connections", 16, seconds=1)
        before = ours.resident_kib()
        with contextlib.ExitStack() as stack:
            clients = [stack.enter_context(socket.create_connection(("127.0.0.1", ours.port)))
                       for _ in range(count)]
            for client in clients:  # each has been used once
                client.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n")
                client.recv(4096)
            time.sleep(3)
            after = ours.resident_kib()
    bench.row("P11.idle", "resident memory an idle connection", max(after - before, 0) / count, "KB", "<= 64",
              f"{count} connections, each used once, 3 s idle")


def p11_many(bench, name, what, few, many, words):
    with bench.braid(few) as one, bench.braid(many) as all_of_them:
        result = bench.compare(one, all_of_them, *words)
    bench.row(name, what, result["b_over_a"]["requests_per_s"], "", ">= 0.95")


def p11(bench):
    p11_connections(bench)
    p11_idle(bench)
    p11_many(bench, "P11.models", "200 loaded models ÷ one: throughput of one of them, identity, 16 connections",
             "more/copy", "more/copies", ["--model", "identity_000", "--connections", 16])
    record = bench.out / "record.json"
    record.write_text(json.dumps({f"f{i}": round(((i * 7919) % 1000) / 500 - 1, 3) for i in range(256)}))
    p11_many(bench, "P11.pipelines", "100 pipelines ÷ one: throughput of one of them, 16 connections",
             "more/pipeline", "more/pipelines",
             ["--model", "line_000", "--input", f"record=@{record}", "--output", "label", "--connections", 16])


def starts(start, repository, count):
    """Milliseconds to ready and MiB resident, of each start."""
    ready, resident = [], []
    for _ in range(count):
        with start(repository) as server:
            ready.append(server.ready_ms)
            resident.append(server.resident_kib() / 1024)
    return ready, resident


def p12(bench):
    """From the start of the process to ready, without models and with a tiny one."""
    for who, start, count, goals in (("braid", bench.braid, 20, ("<= 50", "<= 40")),
                                     ("triton", bench.triton, 3, ("", ""))):
        for suffix, what, repository in (("", "without models", "more/empty"),
                                         ("_identity", "with one identity model", "more/copy")):
            try:
                ready, resident = starts(start, repository, count)
            except NotReady:
                print(f"P12: {who} does not start {what}: no row", file=sys.stderr)
                continue
            bench.row(f"P12.start_{who}{suffix}", f"start to ready {what}, {who}", ready, "ms", goals[0],
                      f"{count} starts")
            bench.row(f"P12.resident_{who}{suffix}", f"resident {what}, {who}", resident, "MB", goals[1])


def p13(bench):
    """JSON of 150,528 numbers."""
    with bench.braid("more/plain") as ours, bench.triton("more/plain") as theirs:
        result = bench.compare(theirs, ours, "--model", "image_mean", "--json-tensors", "--cases", 2,
                               "--connections", 2)
    ms = {side: statistics.median(of_rounds(result, side, "server_cpu_core_ms")) for side in "ab"}
    bench.row("P13", "server CPU of a JSON input of 3 × 224 × 224 floats: ours ÷ Triton's",
              result["b_over_a"]["server_cpu"], "", "<= 0.5", f"ours {ms['b']:.2f} ms, Triton's {ms['a']:.2f} ms")


def p15(bench):
    """Five times as many requests as can be answered."""
    deadline_ms = 300
    shares, p99s = [], []
    with bench.braid("more/plain") as ours:
        for _ in range(bench.a.rounds):
            peaks = []
            loads = []
            for turn in ("peak", "load", "load", "peak"):
                if turn == "peak":
                    peaks.append(bench.one(ours, "--model", "encoder", "--connections",
                                           2 * bench.a.slots)["requests_per_s"])
                else:
                    loads.append(bench.one(ours, "--model", "encoder", "--rate", f"{5 * peaks[0]:.1f}",
                                           "--connections", 1000, "--deadline-ms", deadline_ms, "--parameter",
                                           f"timeout={deadline_ms * 1000}", "--timeout-ms", 5000))
            shares.append(sum(load["goodput_per_s"] for load in loads) / sum(peaks))
            p99s.append(max(load["latency_ms"]["p99"] for load in loads))
    note = f"encoder, Poisson arrivals at 5 × the closed loop's peak, deadline {deadline_ms} ms, {bench.a.rounds} rounds"
    bench.row("P15.goodput", "overload × 5: goodput ÷ peak", shares, "", ">= 0.95", note)
    bench.row("P15.p99", "overload × 5: p99 of what is answered", p99s, "ms", f"<= {deadline_ms}", note)


FIGURES = {"P1": p1, "P2": p2, "P3": p3, "P4": p4, "P11": p11, "P12": p12, "P13": p13, "P15": p15}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--braid", required=True)
    parser.add_argument("--http-bench", required=True)
    parser.add_argument("--peers", type=pathlib.Path, required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--slots", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--p2-rounds", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--only", default=",".join(FIGURES), help="such as P1,P3")
    bench = Bench(parser.parse_args())
    bench.out = bench.out.resolve()
    unknown = set(bench.a.only.split(",")) - set(FIGURES)
    if unknown:
        raise SystemExit(f"error: no figure {', '.join(sorted(unknown))}; there are {', '.join(FIGURES)}")
    load = os.getloadavg()[0]
    if load > 0.7:
        print(f"warning: the machine is busy (load {load:.1f}); only ratios mean anything", file=sys.stderr)
    for name in bench.a.only.split(","):
        FIGURES[name](bench)
        (bench.out / "rows.json").write_text(json.dumps(bench.rows, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
