"""Starts one server, runs a command against it, and ends with the command's exit code.

    with_server.py BRAID COMMAND...      BRAID: the program; {http} and {grpc} in the command become
                                         the server's addresses
"""

import subprocess
import sys

import served


def main():
    with served.Served(sys.argv[1]) as server:
        command = [word.format(http=server.http, grpc=server.grpc) for word in sys.argv[2:]]
        code = subprocess.run(command, check=False).returncode
        if code != 0:
            print(f"what the server said last:\n{server.said()[-20000:]}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
