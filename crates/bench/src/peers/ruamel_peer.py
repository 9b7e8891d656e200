"""Carries out operations on YAML with ruamel.yaml, round trip, for the benchmark `yaml-ops`.

Reads {"text", "operations"} or {"cases": [{"text", "operation"}]} as JSON from standard input and writes
{"seconds", "peak_kb", "version"} or {"results": [text or null]} to standard output.
"""

import io
import json
import resource
import sys
import time

import ruamel.yaml


def find(node, path):
    for segment in path:
        node = node[int(segment)] if isinstance(node, list) else node[segment]
    return node


def apply(root, operation):
    kind = operation["op"]
    if kind == "replace":
        parent, last = find(root, operation["at"][:-1]), operation["at"][-1]
        parent[int(last) if isinstance(parent, list) else last] = operation["value"]
    elif kind == "add_key":
        find(root, operation["at"])[operation["key"]] = operation["value"]
    elif kind == "remove_key":
        del find(root, operation["at"])[operation["key"]]
    elif kind == "rename_key":
        mapping, old = find(root, operation["at"]), operation["from"]
        position = list(mapping).index(old)
        mapping.insert(position, operation["to"], mapping.pop(old))
    elif kind == "insert_item":
        find(root, operation["at"]).insert(operation["index"], operation["value"])
    elif kind == "append_item":
        find(root, operation["at"]).append(operation["value"])
    elif kind == "delete_item":
        del find(root, operation["at"])[operation["index"]]
    elif kind == "move_key":
        value = find(root, operation["from"]).pop(operation["key"])
        find(root, operation["to"])[operation["key"]] = value


def edit(text, operations):
    # The settings that keep the most: quotes, width, and the indentation of the input.
    yaml = ruamel.yaml.YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.indent(mapping=2, sequence=4, offset=2)
    root = yaml.load(text)
    for operation in operations:
        apply(root, operation)
    out = io.StringIO()
    yaml.dump(root, out)
    return out.getvalue()


def attempt(case):
    try:
        return edit(case["text"], [case["operation"]])
    except Exception:
        return None


def main():
    request = json.load(sys.stdin)
    if "cases" in request:
        json.dump({"results": [attempt(case) for case in request["cases"]]}, sys.stdout)
        return
    start = time.process_time()
    edit(request["text"], request["operations"])
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    version = ruamel.yaml.__version__
    json.dump({"seconds": seconds, "peak_kb": peak, "version": version}, sys.stdout)


main()
