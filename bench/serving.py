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

from serving_giving_up import p5
from serving_world import Bench, median_us, of_rounds, spread

IDENTITY = ("INPUT0", "OUTPUT0")
WIRES = {"http": "binary HTTP", "grpc": "gRPC"}
CPU = "server_cpu_core_ms"


def p1(bench):
    """One connection: what HTTP adds to a bare echo and a bare run; gRPC ÷ those; and Triton's p50 beside ours."""
    done = subprocess.run([bench.a.http_bench, bench.out / "bare", "mlp", "11", "2000"], check=True,
                          capture_output=True, text=True)
    result = json.loads(done.stdout)
    parts = ", ".join(f"{name} {result[name]['median']:.1f}" for name in ("echo_us", "bare_us", "full_us"))
    bench.row("P1.http", "p50 at one connection: binary HTTP minus bare Beast echo and bare engine, mlp",
              result["over_us"], "µs", "<= 15", f"medians in µs: {parts}; 11 rounds of 2000, one process")
    p1_grpc(bench)
    with bench.braid("base") as ours, bench.triton("base") as theirs:
        for wire, name in WIRES.items():
            result = bench.compare(ours, theirs, "--model", "identity_fp32", "--connections", 1, wire=wire)
            us = {side: median_us(result, side, "latency_ms.p50") for side in "ab"}
            bench.row(f"P1.{wire}_triton", f"p50 at one connection, {name}, identity: Triton's ÷ ours",
                      result["b_over_a"]["latency_p50"], "", ">= 1",
                      f"ours {us['a']:.0f} µs, Triton's {us['b']:.0f} µs")


def p1_grpc(bench):
    """Echo and server are each a process of its own and have the same client."""
    bare_us = float(bench.bare("braid/base/identity_fp32/1/model.onnx", IDENTITY, "16", 1, 2)[5])
    with bench.braid("base") as ours, bench.echo(16, 16) as echo:
        result = bench.compare(ours, echo, "--model", "identity_fp32", "--connections", 1, wire="grpc")
    key = "latency_ms.p50"
    pairs = zip(of_rounds(result, "a", key), of_rounds(result, "b", key))
    us = {side: median_us(result, side, key) for side in "ab"}
    bench.row("P1.grpc", "p50 at one connection: gRPC ÷ (bare grpc++ echo + bare engine), identity",
              [1000 * a / (1000 * b + bare_us) for a, b in pairs], "", "<= 1.25",
              f"ours {us['a']:.0f} µs, echo {us['b']:.0f} µs, engine {bare_us:.1f} µs; "
              f"{bench.a.rounds} rounds of A B B A")


def bare_rows_per_s(bench, seconds):
    """The encoder in as many bare sessions of one thread as there are slots."""
    return float(bench.bare("braid/more/plain/encoder/1/model.onnx", ("x", "y"), "64,512", bench.a.slots, seconds)[7])


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
    words = ["--model", "identity_fp32", "--connections", 16]
    with bench.braid("base") as ours, bench.triton("base") as theirs:
        for wire, name, goal in (("http", "P3.http", ">= 2.5"), ("grpc", "P3.grpc_triton", "")):
            result = bench.compare(ours, theirs, *words, wire=wire)
            us = {side: median_us(result, side, CPU) for side in "ab"}
            bench.row(name, f"server CPU a request, identity, 16 connections, {WIRES[wire]}: Triton's ÷ ours",
                      result["b_over_a"]["server_cpu"], "", goal, f"ours {us['a']:.1f} µs, Triton's {us['b']:.1f} µs")
            bench.row(f"P3.{wire}_throughput", f"requests a second of the same, {WIRES[wire]}: ours ÷ Triton's",
                      [1 / v for v in spread(result, "requests_per_s")], "", "", f"{bench.a.rounds} rounds of A B B A")
    engine_us = float(bench.bare("braid/base/identity_fp32/1/model.onnx", IDENTITY, "16", 1, 2)[8])
    with bench.braid("base") as ours, bench.echo(16, 16) as echo:
        result = bench.compare(echo, ours, *words, wire="grpc")
    us = {side: median_us(result, side, CPU) for side in "ab"}
    bench.row("P3.grpc", "server CPU a request, identity, 16 connections, gRPC: ours ÷ bare grpc++ echo",
              result["b_over_a"]["server_cpu"], "", "<= 1.25", f"ours {us['b']:.1f} µs, echo {us['a']:.1f} µs, bare engine {engine_us:.1f} µs in a loop")


def p4(bench):
    """An MLP with dynamic batching."""
    for repository, suffix, delay in (("base", "", "100 µs"), ("more/d0", "_d0", "0")):
        with bench.braid(repository) as ours, bench.triton(repository) as theirs:
            for wire, goal in (("http", ">= 2.5"), ("grpc", ">= 1.8")):
                p4_wire(bench, ours, theirs, wire, goal, suffix, delay)


def p4_wire(bench, ours, theirs, wire, goal, suffix, delay):
    result = bench.compare(ours, theirs, "--model", "mlp", "--connections", 64, wire=wire)
    us = {side: median_us(result, side, CPU) for side in "ab"}
    rows = {side: result[side]["batch_rows"] for side in "ab"}
    what = f"mlp, 64 connections, {WIRES[wire]}, queue delay {delay}"
    bench.row(f"P4.{wire}{suffix}", f"server CPU a request, {what}: Triton's ÷ ours",
              result["b_over_a"]["server_cpu"], "", goal,
              f"ours {us['a']:.1f} µs at {rows['a']:.1f} rows a run, Triton's {us['b']:.1f} µs at {rows['b']:.1f}")
    bench.row(f"P4.{wire}{suffix}_throughput", f"requests a second, {what}: ours ÷ Triton's",
              [1 / v for v in spread(result, "requests_per_s")])


def p6(bench):
    """What an edge of a pipeline costs; and further ones over HTTP, beside further steps of an ensemble."""
    done = subprocess.run([bench.a.engine_bench, "9"], check=True, capture_output=True, text=True)
    one = next(row for row in json.loads(done.stdout) if row["id"] == "A1.branches1")
    bench.row("P6", "a pipeline of one edge, branch to fusion, minus the bare calls",
              [one["low"], one["value"], one["high"]], "µs", "<= 10",
              "request to decision, so an upper bound of the edge; no-op model; 9 rounds of 2000")
    record = bench.out / "record.json"
    record.write_text(json.dumps({f"f{i}": 0.5 for i in range(256)}))
    words = {"braid": ["--input", f"record=@{record}", "--output", "label"], "triton": []}
    for name, start, what in (("braid", bench.braid, "edge"), ("triton", bench.triton, "ensemble step")):
        with start("more/steps") as server:
            result = bench.run("--url", server.url, "--model", "steps_1", "--compare", server.url, "--compare-model",
                               "steps_4", "--rounds", bench.a.rounds, "--connections", 1, *words[name])
        key = "latency_ms.p50"
        pairs = zip(of_rounds(result, "a", key), of_rounds(result, "b", key))
        us = {side: median_us(result, side, key) for side in "ab"}
        bench.row(f"P6.http_{name}", f"one {what} more, run of its model included, {name}: p50 over HTTP",
                  [1000 * (b - a) / 3 for a, b in pairs], "µs", "",
                  f"(four − one) ÷ 3 at one connection: one {us['a']:.0f} µs, four {us['b']:.0f} µs")


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


def starts(start, count):
    """Milliseconds to ready and MiB resident, of each start."""
    ready, resident = [], []
    for _ in range(count):
        with start() as server:
            ready.append(server.ready_ms)
            resident.append(server.resident_kib() / 1024)
    return ready, resident


def p12(bench):
    """From the start of the process to ready, without models and with a tiny one."""
    explicit = ["--model-control-mode", "explicit"]  # without it, a repository of nothing is taken for a mistake
    start = {"braid": lambda: bench.braid("more/empty", options=explicit),
             "braid_identity": lambda: bench.braid("more/copy"),
             "triton": lambda: bench.triton("more/empty"),
             "triton_identity": lambda: bench.triton("more/copy")}
    for who, count, goals in (("braid", 20, ("<= 50", "<= 40")), ("triton", 3, ("", ""))):
        for suffix, what in (("", "without models"), ("_identity", "with one identity model")):
            ready, resident = starts(start[who + suffix], count)
            goals = goals if suffix == "" else ("", "")
            bench.row(f"P12.start_{who}{suffix}", f"start to ready {what}, {who}", ready, "ms", goals[0],
                      f"{count} starts")
            bench.row(f"P12.resident_{who}{suffix}", f"resident {what}, {who}", resident, "MB", goals[1])


def p13(bench):
    """JSON of 150,528 numbers."""
    with bench.braid("more/plain") as ours, bench.triton("more/plain") as theirs:
        result = bench.compare(theirs, ours, "--model", "image_mean", "--json-tensors", "--cases", 2,
                               "--connections", 2)
    ms = {side: statistics.median(of_rounds(result, side, CPU)) for side in "ab"}
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


FIGURES = {"P1": p1, "P2": p2, "P3": p3, "P4": p4, "P5": p5, "P6": p6, "P11": p11, "P12": p12, "P13": p13, "P15": p15}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--braid", required=True)
    parser.add_argument("--http-bench", required=True)
    parser.add_argument("--grpc-echo", required=True)
    parser.add_argument("--engine-bench", required=True)
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
