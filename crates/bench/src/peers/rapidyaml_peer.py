# Reads each file with rapidyaml and prints the processor time of the first parse and of the best of several, in
# seconds. What is timed is the parse alone, of bytes in memory into a tree of spans, the cheapest way that it offers.
import sys
import time

import ryml

runs = int(sys.argv[1])
for path in sys.argv[2:]:
    with open(path, "rb") as file:
        data = file.read()
    times = []
    for _ in range(runs):
        for parse, text in ((ryml.parse_in_place, bytearray(data)), (ryml.parse_in_arena, data)):
            start = time.process_time()
            tree = parse(text)
            times.append(time.process_time() - start)
            del tree
    print(times[0], min(times))
