"""How fast rapidyaml reads the files that `speed.rs` reads: best of many runs, parse into its tree alone."""
import sys
import time

import ryml

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        data = file.read()
    rates = {}
    for name in ("in_arena", "in_place"):
        best = float("inf")
        started = time.perf_counter()
        while time.perf_counter() - started < 0.5:
            buffer = bytearray(data)
            tree = ryml.Tree()
            before = time.perf_counter()
            if name == "in_arena":
                tree = ryml.parse_in_arena(data)
            else:
                tree = ryml.parse_in_place(buffer)
            best = min(best, time.perf_counter() - before)
            del tree
        rates[name] = len(data) / best / 1e6
    print(f"{rates['in_arena']:8.1f} MB/s in arena  {rates['in_place']:8.1f} MB/s in place  {path.rsplit('/')[-1]}")
