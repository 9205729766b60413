"""Prints the nanoseconds that the Python SDK's codec takes to seal and to open a state.

usage: seal-peers-python.py BYTES
"""

import statistics
import sys
import time

from mcp.server.request_state import AESGCMRequestStateCodec

ROUNDS = 31
REPEATS = 200


def median_ns(work):
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter_ns()
        for _ in range(REPEATS):
            work()
        times.append((time.perf_counter_ns() - start) / REPEATS)
    return statistics.median(times)


def main():
    state = bytes(i * 7 % 256 for i in range(int(sys.argv[1])))
    codec = AESGCMRequestStateCodec([b"\x42" * 32])
    token = codec.seal(state)
    assert codec.unseal(token) == state
    print(median_ns(lambda: codec.seal(state)), median_ns(lambda: codec.unseal(token)))


main()
