"""The server as a process of its own, for measurements: `python -m tests.loopback --latency 0.1`.

Prints its address and runs until its standard input is closed.
"""

import argparse
import sys

from .server import Loopback

parser = argparse.ArgumentParser(prog="python -m tests.loopback", description=__doc__)
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--latency", type=float, default=0.0, help="seconds before every answer")
options = parser.parse_args()
with Loopback(options.port, options.latency, keep=False) as server:
    print(server.url, flush=True)
    sys.stdin.read()
