"""`braid serve` as a test has it: on a repository of its own, on free ports, ended at the end.

Python's standard library only: what needs no client runs without the clients' environment.
"""

import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import time

import repository

READY_S = 120  # a sanitized build on a busy machine
STOP_S = 60


class Served:
    """`with Served(program) as server:` is ready at once. Leaving it stops the server with SIGTERM and
    wants the exit code 0, with which a leak or an error that a sanitizer saw does not agree."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory(prefix="braid-e2e-")
        models = pathlib.Path(self.folder.name) / "repository"
        repository.build(models)
        self.lines = []
        self.process = subprocess.Popen(
            [program, "serve", "--repository", str(models), "--http-port", "0", "--grpc-port", "0",
             "--metrics-port", "0", "--model-control-mode", "explicit", "--strict",
             *(word for name in ("types", "optional", "unlimited", "slow", "mlp", "triage")
               for word in ("--load-model", name))],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.listening = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        """All that the server says; the line with its ports sets `listening`."""
        for line in self.process.stderr:
            self.lines.append(line)
            ports = re.search(r"on http://[^ ]*:(\d+), gRPC on port (\d+), metrics on port (\d+)", line)
            if ports:
                self.http, self.grpc, self.metrics = (f"127.0.0.1:{port}" for port in ports.groups())
                self.listening.set()
        self.listening.set()

    def said(self):
        return "".join(self.lines)

    def __enter__(self):
        self.listening.wait(READY_S)
        if not hasattr(self, "http"):
            self.process.kill()
            raise SystemExit(f"the server does not get ready:\n{self.said()}")
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = f"none after {STOP_S} s"
        self.reader.join()
        self.folder.cleanup()
        if code != 0:
            raise SystemExit(f"the server ended with {code}:\n{self.said()}")


def until(holds, what, limit_s=30):
    """Waits for something that the server does by itself."""
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(f"not within {limit_s} s: {what}")
        time.sleep(0.01)
