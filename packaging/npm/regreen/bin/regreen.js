#!/usr/bin/env node
// Runs the binary of the platform package in place of this script: same arguments, same streams, same end.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const PACKAGE = `@regreen/${process.platform}-${process.arch}`;
const SIGNALS = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM", "SIGUSR2"];

// The exit code of regreen for work that could not be done.
const FAILED = 3;

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(FAILED);
}

function findBinary() {
  try {
    return require.resolve(`${PACKAGE}/bin/regreen`);
  } catch {
    return fail(
      `cannot find the package \`${PACKAGE}\`, which holds the binary of regreen for this platform\n` +
        "  If npm was told to leave out optional dependencies, install again without `--omit=optional`.\n" +
        "  Otherwise there is no binary for this platform yet: `cargo install --locked regreen` builds one.",
    );
  }
}

function run(binary) {
  const args = process.argv.slice(2);
  // Newer versions of Node can become the program, which is exact. Elsewhere it runs as a child.
  if (typeof process.execve === "function") {
    try {
      process.execve(binary, [binary, ...args], process.env);
    } catch {
      // Not in a worker, and not where permissions forbid it: run it as a child.
    }
  }
  const child = spawn(binary, args, { stdio: "inherit" });
  // A signal of the terminal reaches both; the child sees it once more, which changes nothing. We end when it ends.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`cannot run ${binary}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    // Whoever waits for us sees the same signal. One that does not end a process is told as shells do.
    for (const handled of SIGNALS) process.removeAllListeners(handled);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + os.constants.signals[signal]), 1000);
  });
}

run(findBinary());
