#!/usr/bin/env python3
"""Records what real tools say, as fixtures.

    record.py TOOLS [NAME...]

TOOLS is a folder that install.sh filled. For every case a text is written in four shapes (as it is, with CRLF, with a
byte order mark, with both), the tool is run on each, and fixtures/NAME.json gets the texts, the commands, what they
printed, and what the tool's own fixing makes of the text. The folder in which it runs is written as /workspace.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures"
SCRATCH = f"{tempfile.gettempdir()}/regreen-record"
CASES = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))


def shapes(case):
    text = case["text"]
    wanted = case.get("shapes", ["plain", "crlf", "bom", "bom-crlf"])
    made = {
        "plain": text,
        "crlf": text.replace("\n", "\r\n"),
        "bom": "\ufeff" + text,
        "bom-crlf": "\ufeff" + text.replace("\n", "\r\n"),
    }
    return {name: made[name] for name in wanted}


def run(command, root, environment, stdin=None):
    done = subprocess.run(
        command,
        cwd=root,
        env=environment,
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def clean(data, root):
    text = data.decode("utf-8").replace(str(root), "/workspace")
    return text.replace(SCRATCH, "/scratch")


def record(name, case, tools):
    environment = {
        "PATH": f"{tools}/bin:{os.environ['PATH']}",
        "HOME": os.environ["HOME"] if case.get("home") else tempfile.gettempdir(),
        "LANG": "C.UTF-8",
        **{key: value.replace("{scratch}", SCRATCH) for key, value in case.get("env", {}).items()},
    }
    recorded = []
    for shape, text in shapes(case).items():
        root = pathlib.Path(tempfile.mkdtemp(prefix="record-"))
        try:
            file = root / case["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            for other, content in case.get("settings", {}).items():
                (root / other).parent.mkdir(parents=True, exist_ok=True)
                (root / other).write_text(content, encoding="utf-8", newline="")
            file.write_bytes(text.encode("utf-8"))
            stdin = text.encode("utf-8") if case.get("stdin") else None
            status, stdout, stderr = run(case["command"], root, environment, stdin)
            entry = {"shape": shape, "text": text, "status": status, "stdout": clean(stdout, root)}
            if case.get("keep_stderr"):
                entry["stderr"] = clean(stderr, root)
            if "answer" in case:
                entry["answer"] = clean((root / case["answer"]).read_bytes(), root)
            if "rewrite" in case:
                run(case["rewrite"], root, environment)
                entry["changed"] = file.read_bytes().decode("utf-8")
                file.write_bytes(text.encode("utf-8"))
            for key in ("fix", "fix_all"):
                if key in case:
                    code, _, err = run(case[key], root, environment)
                    entry[key.replace("fix", "fixed")] = file.read_bytes().decode("utf-8")
                    if code not in (0, 1, 2):
                        print(f"{name} {shape}: {case[key]} ended with {code}: {err[-300:]}", file=sys.stderr)
                    file.write_bytes(text.encode("utf-8"))
            if status not in case.get("statuses", [0, 1, 2]):
                print(f"{name} {shape}: status {status}: {stderr[-400:]}", file=sys.stderr)
            recorded.append(entry)
        finally:
            shutil.rmtree(root)
    version = run(case["version"], tools, environment)
    version = (version[1] + version[2]).decode("utf-8").strip()
    kept = {
        "adapter": case.get("adapter", name),
        "version": version.replace(str(tools), "/tools"),
        "file": case["file"],
        "command": case["command"],
        "rewrite": case.get("rewrite"),
        "stdin": bool(case.get("stdin")),
        "answer": case.get("answer"),
        "shapes": recorded,
    }
    FIXTURES.mkdir(exist_ok=True)
    target = FIXTURES / f"{name}.json"
    target.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main():
    tools = pathlib.Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or CASES:
        record(name, CASES[name], tools)


main()
