"""Starts one server and sends it mutated requests (bench/mutate_requests.py).

    mutated.py BRAID [OPTION...]      BRAID: the program; options are those of mutate_requests.py
"""

import subprocess
import sys

import repository
import served


def main():
    with served.Served(sys.argv[1]) as server:
        done = subprocess.run([sys.executable, str(repository.ROOT / "bench/mutate_requests.py"), server.http,
                               "--model", "mlp", "--pipeline", "triage", *sys.argv[2:]], check=False)
        if done.returncode != 0:
            print(f"what the server said last:\n{server.said()[-20000:]}", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
