"""Starts one server and runs the official clients' tests against it, all or those that match.

    clients.py BRAID [PATTERN]      BRAID: the program; PATTERN: as `python -m unittest -k` has it
"""

import pathlib
import sys
import unittest

import served

server = None  # of this run; the tests ask for it


def main():
    sys.modules["clients"] = sys.modules["__main__"]
    global server
    loader = unittest.TestLoader()
    if len(sys.argv) > 2:
        loader.testNamePatterns = [f"*{sys.argv[2]}*"]
    tests = loader.discover(str(pathlib.Path(__file__).parent), pattern="test_*.py")
    with served.Served(sys.argv[1]) as server:
        result = unittest.TextTestRunner(verbosity=2).run(tests)
        if not result.wasSuccessful():
            print(f"what the server said:\n{server.said()}", file=sys.stderr)
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
